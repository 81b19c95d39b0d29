import type { Finding } from '../schema/index.ts'
import type { DialectText, Ended, ToolResult } from './dialect.ts'
import {
  countCharacters,
  decisive,
  firstCharacters,
  firstOf,
  lacksApproval,
  missingBytes,
  noApproval,
  onOwnLine,
} from './text.ts'

/** PicoClaw's limit on the text of both streams together, in characters; the exit code comes after it. */
export const MAX_OUTPUT_CHARACTERS = 10_000

/** A duration as Go writes it: 90000 → `1m30s`, 500 → `500ms`. */
export const goDuration = (ms: number): string => {
  if (ms < 1000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = Number(((ms % 60_000) / 1000).toFixed(3))
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/** Go's words for signals, as they stand in `Exit code: signal: killed`. */
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

/** Both streams, stderr under its header after one empty line. */
const combined = ({ stdout, stderr }: Ended): string => {
  if (stderr === '') return stdout
  const above = stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`
  return `${above}\nSTDERR:\n${stderr}`
}

/** At most 10 000 characters, and how many more there were; bytes that were never kept count as one character each. */
const cut = (ended: Ended): string => {
  const text = combined(ended)
  const more =
    countCharacters(text) + missingBytes(ended, 'stdout') + missingBytes(ended, 'stderr') - MAX_OUTPUT_CHARACTERS
  if (more <= 0) return text
  return `${firstCharacters(text, MAX_OUTPUT_CHARACTERS)}\n... (truncated, ${more} more chars)`
}

const partial = (ended: Ended): string => {
  const text = cut(ended)
  return text === '' ? '' : `\n\nPartial output before timeout:\n${text}`
}

const workspaceWords: Record<string, string> = {
  'path-traversal': 'path traversal detected',
  'path-outside': 'path outside working dir',
  'cwd-outside': 'access denied: path is outside the workspace',
  'unknown-path': 'path resolution failed',
}

const guardWords = ({ guard, rule, reason }: Finding): string => {
  if (guard === 'workspace') return workspaceWords[rule ?? ''] ?? 'path outside working dir'
  if (guard === 'allowlist') return 'not in allowlist'
  return guard === 'deny-patterns' || guard === 'catastrophic' ? 'dangerous pattern detected' : (reason ?? 'denied')
}

/** PicoClaw looks at the patterns before it looks at paths. */
const order = ['deny-patterns', 'catastrophic', 'allowlist', 'workspace']

const denied = (ended: Ended): string => {
  const words = lacksApproval(ended) ? noApproval(ended) : guardWords(firstOf(decisive(ended.decision), order))
  return `Command blocked by safety guard (${words})`
}

const endedText = (ended: Ended): string => {
  if (ended.status === 'denied') return denied(ended)
  if (ended.status === 'timed_out') {
    return `Command timed out after ${goDuration(ended.timeout_seconds * 1000)}${partial(ended)}`
  }
  if (ended.status === 'canceled') return onOwnLine(cut(ended), 'Command canceled')
  if (ended.status === 'failed') return onOwnLine(cut(ended), `Exit code: ${exitWords(ended)}`)
  return cut(ended) || '(no output)'
}

const startFailure = 'Failed to start process: '
const badDirectory = 'Working directory does not exist: '

const problemText = (message: string): string => {
  if (message.startsWith(startFailure)) return `failed to start command: ${message.slice(startFailure.length)}`
  if (message.startsWith(badDirectory)) {
    return `failed to start command: chdir ${message.slice(badDirectory.length)}: no such file or directory`
  }
  return message
}

export const toText = (result: ToolResult): DialectText =>
  'problem' in result
    ? { is_error: true, output: problemText(result.problem.message) }
    : { is_error: result.ended.status !== 'completed', output: endedText(result.ended) }
