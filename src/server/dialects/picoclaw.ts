import { type Static, Type } from '@sinclair/typebox'
import { type Finding, settingRows } from '../../shared/schema/index.ts'
import {
  type Dialect,
  type DialectText,
  type Ended,
  MAX_TIMEOUT_MS,
  plainRequest,
  type PolicySwitches,
  type Problem,
  type ToolResult,
} from './dialect.ts'
import {
  absolutePath,
  countCharacters,
  decisive,
  firstCharacters,
  firstOf,
  lacksApproval,
  missingBytes,
  noApproval,
  onOwnLine,
  readArguments,
} from './shared.ts'

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
  enable_deny_patterns: Type.Boolean({ default: true, description: 'Block dangerous commands with the deny patterns' }),
  custom_deny_patterns: Type.Array(Type.String(), { default: [], description: 'Further patterns to block' }),
  custom_allow_patterns: Type.Array(Type.String(), {
    default: [],
    description: 'Patterns of commands that may run although a deny pattern matches them',
  }),
  restrict_to_workspace: Type.Boolean({ default: false, description: 'Block access to files outside the workspace' }),
  workspace: Type.String({
    default: '',
    description: 'Workspace, an absolute path; empty: the default working directory',
  }),
  timeout_seconds: Type.Number({ default: 60, minimum: 0, description: 'Timeout in seconds; 0: no timeout (one day)' }),
})
type Settings = Static<typeof Settings>

/** Bytes read from each stream: enough to count the omitted characters exactly, except for very large outputs. */
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
  ...(settings.restrict_to_workspace
    ? { restrict_to_workspace: true, restrict_programs: true, workspace_dir: workspace }
    : {}),
})

/** PicoClaw's limit on the text of both streams together, in characters. The exit code follows and does not count. */
const MAX_OUTPUT_CHARACTERS = 10_000

/** Formats a duration as Go does: 90000 → `1m30s`, 500 → `500ms`. */
function goDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = Number(((ms % 60_000) / 1000).toFixed(3))
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/** Go's names of signals, as in `Exit code: signal: killed`. */
const signalWords: Record<string, string> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
}

const exitWords = ({ signal, exit_code }: Ended) =>
  signal === null ? `exit status ${exit_code}` : `signal: ${signalWords[signal] ?? signal}`

/**
 * Returns both streams, with stderr under its header after an empty line: at most 10 000 characters, and the number of omitted ones. Bytes
 * that the dialect did not receive count as one character each.
 */
function cut(ended: Ended): string {
  const { stdout, stderr } = ended
  const text = stderr === '' ? stdout : `${onOwnLine(stdout, '')}\nSTDERR:\n${stderr}`
  const missing = missingBytes(ended, 'stdout') + missingBytes(ended, 'stderr')
  if (text.length + missing <= MAX_OUTPUT_CHARACTERS) return text // the length is never less than the number of characters
  const more = countCharacters(text) + missing - MAX_OUTPUT_CHARACTERS
  if (more <= 0) return text
  return `${firstCharacters(text, MAX_OUTPUT_CHARACTERS)}\n... (truncated, ${more} more chars)`
}

function partial(ended: Ended): string {
  const text = cut(ended)
  return text === '' ? '' : `\n\n${text}`
}

const workspaceWords: Record<string, string> = {
  'path-traversal': 'path traversal detected',
  'path-outside': 'path outside working dir',
  'cwd-outside': 'path outside working dir',
  'unknown-path': 'path resolution failed',
}

function guardWords({ guard, rule, reason }: Finding): string {
  if (guard === 'workspace') return workspaceWords[rule ?? ''] ?? 'path outside working dir'
  if (guard === 'allowlist') return 'not in allowlist'
  return guard === 'deny-patterns' || guard === 'catastrophic' ? 'dangerous pattern detected' : (reason ?? 'denied')
}

/** The priority of guards in messages: PicoClaw checks patterns before paths. */
const order = ['deny-patterns', 'catastrophic', 'allowlist', 'workspace']

function denied(ended: Ended): string {
  const words = lacksApproval(ended) ? noApproval(ended) : guardWords(firstOf(decisive(ended.decision), order))
  return `Command blocked by safety guard (${words})`
}

function endedText(ended: Ended): string {
  if (ended.status === 'denied') return denied(ended)
  if (ended.status === 'timed_out') {
    return `Command timed out after ${goDuration(ended.timeout_seconds * 1000)}${partial(ended)}`
  }
  if (ended.status === 'canceled') return onOwnLine(cut(ended), 'Command canceled')
  if (ended.status === 'failed') return onOwnLine(cut(ended), `Exit code: ${exitWords(ended)}`)
  return cut(ended) || '(no output)'
}

/** Words a missing shell as Go does; returns any other reason unchanged. */
const startWords = (reason: string): string =>
  reason.replace(/^spawn (.+) ENOENT$/, 'exec: "$1": executable file not found in $$PATH')

function problemText({ code, message, about }: Problem): string {
  if (code === 'NOT_STARTED') return `failed to start command: ${startWords(about)}`
  return code === 'NO_DIRECTORY' ? `failed to start command: chdir ${about}: no such file or directory` : message
}

const toText = (result: ToolResult): DialectText =>
  'problem' in result
    ? { is_error: true, output: problemText(result.problem) }
    : { is_error: result.ended.status !== 'completed', output: endedText(result.ended) }

/** PicoClaw's `exec`: with deny patterns, an optional workspace restriction, and a timeout that only the settings determine. */
export const picoclaw: Dialect<Settings> = {
  name: 'picoclaw',
  family: 'picoclaw',
  tool: 'exec',
  description: 'Execute a shell command and return its output.',
  parameters: Parameters,
  settings: settingRows(Settings),
  toRequest(given, settings, world) {
    const read = readArguments(Parameters, given, 'command is required')
    if ('refusal' in read) return read
    const { command, working_dir } = read.values
    const workspace = settings.workspace || world.settings.working_directory
    const working_directory = absolutePath(working_dir || workspace, workspace, world.home)
    return {
      request: {
        ...plainRequest,
        command,
        working_directory,
        timeoutMs: Math.min(settings.timeout_seconds * 1000 || MAX_TIMEOUT_MS, MAX_TIMEOUT_MS),
        killGraceMs: KILL_GRACE_MS,
        policy: policy(settings, workspace),
        output: { keep: 'head', maxBytes: MAX_OUTPUT_BYTES },
      },
    }
  },
  toText,
}
