import { type Static, Type } from '@sinclair/typebox'
import { settingRows } from '../schema/index.ts'
import { type Dialect, MAX_TIMEOUT_MS, plainRequest, type PolicySwitches } from './dialect.ts'
import { readArguments } from './parameters.ts'
import { absolutePath } from './paths.ts'
import { toText } from './picoclaw-text.ts'

const Parameters = Type.Object({
  command: Type.String({ description: 'The shell command to execute.' }),
  working_dir: Type.Optional(
    Type.String({
      description:
        "Optional working directory for the command. If not specified, uses the tool's default working directory.",
    }),
  ),
})

const Settings = Type.Object({
  enable_deny_patterns: Type.Boolean({ default: true, description: 'block dangerous commands by the deny patterns' }),
  custom_deny_patterns: Type.Array(Type.String(), { default: [], description: 'more patterns to block' }),
  custom_allow_patterns: Type.Array(Type.String(), {
    default: [],
    description: 'commands that may run although a deny pattern matches them',
  }),
  restrict_to_workspace: Type.Boolean({ default: false, description: 'keep commands out of files beyond workspace' }),
  workspace: Type.String({ default: '', description: 'absolute path; empty: the default working directory' }),
  timeout_seconds: Type.Number({ default: 60, minimum: 0, description: 'seconds; 0: no timeout (one day)' }),
})
type Settings = Static<typeof Settings>

/** Enough of each stream to count what is cut off exactly in all but floods. */
const MAX_OUTPUT_BYTES = 1_048_576

const KILL_GRACE_MS = 2000

const policy = (settings: Settings, workspace: string): PolicySwitches => ({
  ...(settings.enable_deny_patterns
    ? {
        enable_deny_patterns: true,
        custom_deny_patterns: settings.custom_deny_patterns,
        custom_allow_patterns: settings.custom_allow_patterns,
      }
    : {}),
  ...(settings.restrict_to_workspace ? { restrict_to_workspace: true, workspace_dir: workspace } : {}),
})

const timeoutOf = ({ timeout_seconds }: Settings) =>
  timeout_seconds === 0 ? MAX_TIMEOUT_MS : Math.min(timeout_seconds * 1000, MAX_TIMEOUT_MS)

/** PicoClaw's `exec`: deny patterns on, workspace restriction on demand, the timeout from the settings alone. */
export const picoclaw: Dialect<Settings> = {
  name: 'picoclaw',
  tool: 'exec',
  description: 'Execute a shell command and return its output.',
  parameters: Parameters,
  settings: settingRows(Settings),
  toRequest(given, settings, world) {
    const read = readArguments(Parameters, given, 'command is required')
    if ('refusal' in read) return read
    const { command, working_dir } = read.values
    const workspace = settings.workspace || world.defaultWorkingDirectory
    const working_directory = absolutePath(working_dir || workspace, workspace, world.home)
    return {
      request: {
        ...plainRequest,
        command,
        working_directory,
        timeoutMs: timeoutOf(settings),
        killGraceMs: KILL_GRACE_MS,
        policy: policy(settings, workspace),
        output: { keep: 'head', maxBytes: MAX_OUTPUT_BYTES },
      },
    }
  },
  toText,
}
