import { isAbsolute } from 'node:path/posix'
import { type Static, Type } from '@sinclair/typebox'
import { isWithin, oneWordOf, settingRows } from '../schema/index.ts'
import {
  type Dialect,
  type EnvironmentWish,
  MAX_TIMEOUT_MS,
  plainRequest,
  type PolicySwitches,
  type World,
} from './dialect.ts'
import { toText } from './nullclaw-text.ts'
import { readArguments } from './parameters.ts'
import { absolutePath } from './paths.ts'

const Parameters = Type.Object({
  command: Type.String({ description: 'The shell command to execute' }),
  cwd: Type.Optional(
    Type.String({
      description: 'Working directory (absolute path within allowed paths; defaults to workspace)',
    }),
  ),
})

const strings = (description: string) => Type.Array(Type.String(), { default: [], description })

const Settings = Type.Object({
  workspace_dir: Type.String({ default: '', description: 'absolute path; empty: the default working directory' }),
  allowed_paths: strings('more directories that cwd may lie in; "*": any'),
  timeout_ns: Type.Integer({
    default: 60_000_000_000,
    minimum: 0,
    description: 'nanoseconds; 0: no timeout (one day)',
  }),
  max_output_bytes: Type.Integer({ default: 1_048_576, minimum: 1, description: 'bytes of each stream in the reply' }),
  autonomy: oneWordOf(['read_only', 'readonly', 'supervised', 'full'], {
    default: 'supervised',
    description:
      'read_only (or readonly): low risk alone runs; supervised: medium risk is asked about; full: high risk is',
  }),
  allowed_commands: strings('the only commands that may run; empty: any'),
  require_approval_for_medium_risk: Type.Boolean({ default: true, description: 'ask before medium risk (supervised)' }),
  block_high_risk_commands: Type.Boolean({ default: true, description: 'deny high risk instead of asking' }),
  max_actions_per_hour: Type.Integer({ default: 20, minimum: 0, description: 'commands in any hour; 0: none' }),
  path_env_vars: strings('more environment names, passed on when every path in them lies in an allowed directory'),
})
type Settings = Static<typeof Settings>

/** NullClaw's safe names; every other variable is withheld. */
const safeNames = ['PATH', 'HOME', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'USER', 'SHELL', 'TMPDIR']

/** NullClaw waits 100 ms between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 100

const policy = (settings: Settings): PolicySwitches => ({
  autonomy: settings.autonomy === 'readonly' ? 'read_only' : settings.autonomy,
  require_approval_for_medium_risk: settings.require_approval_for_medium_risk,
  block_high_risk_commands: settings.block_high_risk_commands,
  max_actions_per_hour: settings.max_actions_per_hour,
  ...(settings.allowed_commands.length > 0 ? { allowed_commands: settings.allowed_commands } : {}),
})

const environment = (settings: Settings, pathRoots: string[]): EnvironmentWish => ({
  mode: 'only',
  names: safeNames,
  pathNames: settings.path_env_vars,
  pathRoots,
})

const timeoutOf = ({ timeout_ns }: Settings) =>
  timeout_ns === 0 ? MAX_TIMEOUT_MS : Math.min(Math.ceil(timeout_ns / 1e6), MAX_TIMEOUT_MS)

type Cwd = { path: string } | { refusal: string }

/** NullClaw's cwd rules: absolute, existing, and inside the workspace or an allowed path once symlinks are followed. */
const resolveCwd = (cwd: string, workspace: string, settings: Settings, world: World): Cwd => {
  if (!isAbsolute(cwd)) return { refusal: 'cwd must be an absolute path' }
  const path = world.realpath(cwd)
  if (path === null) return { refusal: 'Failed to resolve cwd: FileNotFound' }
  const roots = rootsOf(workspace, settings, world)
  if (roots.length === 0) return { refusal: 'cwd not allowed (workspace unavailable and no allowed_paths configured)' }
  const allowed = roots.some((root) => root === '*' || isWithin({ path, root }))
  return allowed ? { path } : { refusal: 'cwd is outside allowed areas' }
}

const rootsOf = (workspace: string, { allowed_paths }: Settings, world: World): string[] =>
  [workspace, ...allowed_paths.map((path) => path.trim())]
    .map((path) => (path === '*' ? path : world.realpath(absolutePath(path, workspace, world.home))))
    .filter((path) => path !== null)

/** NullClaw's `shell`: risk table, allowlist, safe environment, absolute cwd. */
export const nullclaw: Dialect<Settings> = {
  name: 'nullclaw',
  tool: 'shell',
  description: 'Execute a shell command in the workspace directory',
  parameters: Parameters,
  settings: settingRows(Settings),
  toRequest(given, settings, world) {
    const read = readArguments(Parameters, given, "Missing 'command' parameter")
    if ('refusal' in read) return read
    const { command, cwd } = read.values
    const workspace = absolutePath(settings.workspace_dir, world.defaultWorkingDirectory, world.home)
    const place = cwd === undefined ? { path: workspace } : resolveCwd(cwd, workspace, settings, world)
    if ('refusal' in place) return place
    return {
      request: {
        ...plainRequest,
        command,
        working_directory: place.path,
        timeoutMs: timeoutOf(settings),
        killGraceMs: KILL_GRACE_MS,
        policy: policy(settings),
        environment: environment(settings, rootsOf(workspace, settings, world)),
        output: { keep: 'head', maxBytes: settings.max_output_bytes },
      },
    }
  },
  toText: (result, _given, settings) => toText(result, settings),
}
