import { isAbsolute } from 'node:path/posix'
import { type Static, Type } from '@sinclair/typebox'
import { type Finding, isWithin, oneWordOf, settingRows, type Stream } from '../../shared/schema/index.ts'
import {
  type Dialect,
  type DialectText,
  type Ended,
  type EnvironmentOptions,
  MAX_TIMEOUT_MS,
  plainRequest,
  type PolicySwitches,
  type Problem,
  type ToolResult,
  type DialectWorld,
} from './dialect.ts'
import { absolutePath, decisive, firstOf, lacksApproval, missingBytes, onOwnLine, readArguments } from './shared.ts'

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
  workspace_dir: Type.String({
    default: '',
    description: 'Workspace, an absolute path; empty: the default working directory',
  }),
  allowed_paths: strings('Further directories that may contain cwd; "*": any directory'),
  timeout_ns: Type.Integer({
    default: 60_000_000_000,
    minimum: 0,
    description: 'Timeout in nanoseconds; 0: no timeout (one day)',
  }),
  max_output_bytes: Type.Integer({
    default: 1_048_576,
    minimum: 1,
    description: 'Maximum bytes of each stream in the reply',
  }),
  policy: Type.Boolean({
    default: true,
    description:
      "Apply this dialect's SecurityPolicy, which the settings below configure; false: none, so that only the guards of the owner and the token decide",
  }),
  autonomy: oneWordOf(['read_only', 'readonly', 'supervised', 'full'], {
    default: 'supervised',
    description: 'read_only (or readonly): allow only low risk; supervised: ask at medium risk; full: ask at high risk',
  }),
  allowed_commands: strings('The only commands that may run, shell builtins included; empty: any command'),
  require_approval_for_medium_risk: Type.Boolean({
    default: true,
    description: 'Ask before commands of medium risk (supervised)',
  }),
  block_high_risk_commands: Type.Boolean({
    default: true,
    description: 'Deny commands of high risk instead of asking',
  }),
  max_actions_per_hour: Type.Integer({
    default: 20,
    minimum: 0,
    description: 'Commands within any hour; 0: no command may run',
  }),
  path_env_vars: strings('Further variables, passed on if every path in their value is in an allowed directory'),
})
type Settings = Static<typeof Settings>

/** The variables that NullClaw considers safe. All others are withheld. */
const safeNames = ['PATH', 'HOME', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'USER', 'SHELL', 'TMPDIR']

/** NullClaw waits 100 ms between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 100

function policy(settings: Settings): PolicySwitches {
  if (!settings.policy) return {}
  const { allowed_commands } = settings
  return {
    autonomy: settings.autonomy === 'readonly' ? 'read_only' : settings.autonomy,
    require_approval_for_medium_risk: settings.require_approval_for_medium_risk,
    block_high_risk_commands: settings.block_high_risk_commands,
    max_actions_per_hour: settings.max_actions_per_hour,
    ...(allowed_commands.length > 0 ? { allowed_commands, strict_allowlist: true } : {}),
  }
}

const environment = (settings: Settings, pathRoots: string[]): EnvironmentOptions => ({
  mode: 'only',
  names: safeNames,
  pathNames: settings.path_env_vars,
  pathRoots,
})

const timeoutOf = ({ timeout_ns }: Settings) =>
  timeout_ns === 0 ? MAX_TIMEOUT_MS : Math.min(Math.ceil(timeout_ns / 1e6), MAX_TIMEOUT_MS)

type Cwd = { path: string } | { refusal: string }

/** Applies NullClaw's rules: cwd must be absolute, exist, and be inside the workspace or an allowed path with links resolved. */
function resolveCwd(cwd: string, workspace: string, settings: Settings, world: DialectWorld): Cwd {
  if (!isAbsolute(cwd)) return { refusal: 'cwd must be an absolute path' }
  const path = world.realpath(cwd)
  if (path === null) return { refusal: 'Failed to resolve cwd: FileNotFound' }
  const roots = rootsOf(workspace, settings, world)
  if (roots.length === 0) return { refusal: 'cwd not allowed (workspace unavailable and no allowed_paths configured)' }
  const allowed = roots.some((root) => root === '*' || isWithin({ path, root }))
  return allowed ? { path } : { refusal: 'cwd is outside allowed areas' }
}

const rootsOf = (workspace: string, { allowed_paths }: Settings, world: DialectWorld): string[] =>
  [workspace, ...allowed_paths.map((path) => path.trim())]
    .map((path) => (path === '*' ? path : world.realpath(absolutePath(path, workspace, world.home))))
    .filter((path) => path !== null)

/** The settings on which NullClaw's texts depend. */
interface TextSettings {
  max_output_bytes: number
  autonomy: string
}

/** Accepts both of NullClaw's spellings: read_only and readonly. */
const isReadOnly = (autonomy: string): boolean => /^read_?only$/.test(autonomy)

/** Formats a size as NullClaw does: 1048576 → `1 MB`. */
function sizeWords(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MB`
  return bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} bytes`
}

/** Returns one stream with a note about any bytes beyond the limit. For truncated binary output, returns only a note. */
function cut(ended: Ended, stream: Stream, maxBytes: number): string {
  const text = ended[stream]
  const more = missingBytes(ended, stream)
  if (more === 0) return text
  if (text.includes('\0')) return `[Binary output truncated to ${sizeWords(maxBytes)}]`
  return onOwnLine(text, `[Output truncated to ${sizeWords(maxBytes)}, ${more} more bytes]`)
}

/** Returns stdout followed by stderr. NullClaw's own code drops one of them, but its users want both. */
function streams(ended: Ended, maxBytes: number): string {
  const stderr = cut(ended, 'stderr', maxBytes)
  const stdout = cut(ended, 'stdout', maxBytes)
  return stderr === '' ? stdout : onOwnLine(stdout, stderr)
}

function guardWords({ guard, risk }: Finding, autonomy: string): string {
  if (guard === 'rate') return 'Rate limit exceeded'
  if (guard === 'workspace') return 'cwd is outside allowed areas'
  if (guard === 'allowlist') return 'Command not allowed by security policy'
  if (guard === 'risk' && isReadOnly(autonomy)) return 'Action blocked: agent is in read-only mode'
  if (guard === 'risk' && risk === 'medium') return 'Medium-risk command blocked by security policy'
  return guard === 'risk' || guard === 'catastrophic'
    ? 'High-risk command blocked by security policy'
    : 'Command not allowed by security policy'
}

/** The priority of guards in messages: as in NullClaw, `rm -rf /` is reported as high-risk even if the allowlist also denies it. */
const order = ['rate', 'catastrophic', 'allowlist', 'risk']

const denied = (ended: Ended, { autonomy }: TextSettings): string =>
  lacksApproval(ended)
    ? `Command requires approval (medium/high risk): ${ended.command}`
    : guardWords(firstOf(decisive(ended.decision), order), autonomy)

function endedText(ended: Ended, settings: TextSettings): string {
  if (ended.status === 'denied') return denied(ended, settings)
  const text = streams(ended, settings.max_output_bytes)
  const below = text === '' ? '' : `\n${text}`
  if (ended.status === 'canceled') return `Interrupted by /stop${below}`
  if (ended.status === 'timed_out' || ended.signal !== null) return `Command terminated by signal${below}`
  return text || (ended.status === 'failed' ? 'Command failed with non-zero exit code' : '(no output)')
}

function problemText({ code, message }: Problem): string {
  if (code === 'RATE_LIMITED') return 'Rate limit exceeded'
  return code === 'NO_DIRECTORY' ? 'Failed to resolve cwd: FileNotFound' : message
}

const toText = (result: ToolResult, settings: TextSettings): DialectText =>
  'problem' in result
    ? { is_error: true, output: problemText(result.problem) }
    : { is_error: result.ended.status !== 'completed', output: endedText(result.ended, settings) }

/** NullClaw's `shell`: with a risk table, an allowlist, a safe environment and an absolute cwd. */
export const nullclaw: Dialect<Settings> = {
  name: 'nullclaw',
  family: 'nullclaw',
  tool: 'shell',
  description: 'Execute a shell command in the workspace directory',
  parameters: Parameters,
  settings: settingRows(Settings),
  toRequest(given, settings, world) {
    const read = readArguments(Parameters, given, "Missing 'command' parameter")
    if ('refusal' in read) return read
    const { command, cwd } = read.values
    const workspace = absolutePath(settings.workspace_dir, world.settings.working_directory, world.home)
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
