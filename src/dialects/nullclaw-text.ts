import type { Finding, Stream } from '../schema/index.ts'
import type { DialectText, Ended, ToolResult } from './dialect.ts'
import { decisive, firstOf, lacksApproval, missingBytes, onOwnLine } from './text.ts'

/** The settings that its texts depend on. */
export interface TextSettings {
  max_output_bytes: number
  autonomy: string
}

/** NullClaw takes both spellings, read_only and readonly. */
export const isReadOnly = (autonomy: string): boolean => /^read_?only$/.test(autonomy)

/** A size as NullClaw writes it: 1048576 → `1 MB`. */
const sizeWords = (bytes: number): string => {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MB`
  return bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} bytes`
}

/** One stream, and what it had beyond the limit. Of binary output that was cut nothing is worth keeping. */
const cut = (ended: Ended, stream: Stream, maxBytes: number): string => {
  const text = ended[stream]
  const more = missingBytes(ended, stream)
  if (more === 0) return text
  if (text.includes('\0')) return `[Binary output truncated to ${sizeWords(maxBytes)}]`
  return onOwnLine(text, `[Output truncated to ${sizeWords(maxBytes)}, ${more} more bytes]`)
}

/** stdout, then stderr: NullClaw's own code drops one of the two, its users want both. */
const streams = (ended: Ended, maxBytes: number): string => {
  const stderr = cut(ended, 'stderr', maxBytes)
  const stdout = cut(ended, 'stdout', maxBytes)
  return stderr === '' ? stdout : onOwnLine(stdout, stderr)
}

const guardWords = ({ guard, risk }: Finding, autonomy: string): string => {
  if (guard === 'rate') return 'Rate limit exceeded'
  if (guard === 'workspace') return 'cwd is outside allowed areas'
  if (guard === 'allowlist') return 'Command not allowed by security policy'
  if (guard === 'risk' && isReadOnly(autonomy)) return 'Action blocked: agent is in read-only mode'
  if (guard === 'risk' && risk === 'medium') return 'Medium-risk command blocked by security policy'
  return guard === 'risk' || guard === 'catastrophic'
    ? 'High-risk command blocked by security policy'
    : 'Command not allowed by security policy'
}

/** `rm -rf /` is told to be high-risk although the allowlist refuses it too: NullClaw has both so. */
const order = ['rate', 'catastrophic', 'allowlist', 'risk']

const denied = (ended: Ended, { autonomy }: TextSettings): string =>
  lacksApproval(ended)
    ? `Command requires approval (medium/high risk): ${ended.command}`
    : guardWords(firstOf(decisive(ended.decision), order), autonomy)

const endedText = (ended: Ended, settings: TextSettings): string => {
  if (ended.status === 'denied') return denied(ended, settings)
  const text = streams(ended, settings.max_output_bytes)
  const below = text === '' ? '' : `\n${text}`
  if (ended.status === 'canceled') return `Interrupted by /stop${below}`
  if (ended.status === 'timed_out' || ended.signal !== null) return `Command terminated by signal${below}`
  return text || (ended.status === 'failed' ? 'Command failed with non-zero exit code' : '(no output)')
}

const badDirectory = 'Working directory does not exist: '

const problemText = (message: string): string =>
  message.startsWith(badDirectory) ? 'Failed to resolve cwd: FileNotFound' : message

export const toText = (result: ToolResult, settings: TextSettings): DialectText =>
  'problem' in result
    ? {
        is_error: true,
        output: result.problem.code === 'RATE_LIMITED' ? 'Rate limit exceeded' : problemText(result.problem.message),
      }
    : {
        is_error: result.ended.status !== 'completed',
        output: endedText(result.ended, settings),
      }
