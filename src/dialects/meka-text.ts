import type { DialectText, Ended, ToolResult } from './dialect.ts'
import { decisive, firstBytes, lacksApproval, noApproval } from './text.ts'

/** A result longer than this many bytes is left in the spool and named by a handle. */
export const MAX_INLINE_BYTES = 30_000

const PREVIEW_BYTES = 2000

/** Meka's sentence for a machine without the sandbox. */
export const READ_MODE_UNAVAILABLE =
  'Shell commands are not available in read mode — switch to write mode to execute commands without a sandbox.'

const sizeWords = (bytes: number): string =>
  bytes < 1_048_576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`

const below = (text: string, line: string) => (text === '' ? line : `${text}\n${line}`)

const divider = '\n--- stderr ---\n'

const streams = ({ stdout, stderr }: Ended): string => stdout + (stdout && stderr && divider) + stderr

/** What both streams and the divider have together, in bytes, whether they are given or not. */
const sizeOf = ({ stdout_bytes, stderr_bytes }: Ended): number =>
  stdout_bytes + stderr_bytes + (stdout_bytes > 0 && stderr_bytes > 0 ? divider.length : 0)

/** scratchpad_read's counterpart here: the spool of the run, stream by stream, never cut. */
const whereToRead = ({ id }: Ended) =>
  `scratchpad_read here: GET /runs/${id}/output?stream=stdout&offset=0 (and stream=stderr).`

const saved = (name: string, size: number, ended: Ended): string =>
  `Output saved to scratchpad "${name}" (${size} bytes). Use scratchpad_read to access it.\n${whereToRead(ended)}`

const largeOutput = (name: string, size: number, text: string, ended: Ended): string =>
  [
    `<large-output name="${name}" size="${size}">`,
    `Output too large (${sizeWords(size)}). Read with \`scratchpad_read\`, or page with \`offset\`/\`limit\` if a partial read is enough.`,
    whereToRead(ended),
    '',
    `Preview (first ${PREVIEW_BYTES} bytes):`,
    firstBytes(text, PREVIEW_BYTES),
    '...',
    '</large-output>',
  ].join('\n')

/** The output itself, or the handle under which all of it is kept. */
const body = (ended: Ended, scratchpad: string | undefined): string => {
  const text = streams(ended)
  const size = sizeOf(ended)
  if (scratchpad !== undefined) return saved(scratchpad, size, ended)
  if (size <= MAX_INLINE_BYTES) return text
  return largeOutput(`execute_command_${ended.id.slice(-6)}_1`, size, text, ended)
}

const denied = (ended: Ended): string => {
  if (lacksApproval(ended)) return `Command not executed: ${noApproval(ended)}`
  return `Command denied: ${decisive(ended.decision)[0]!.reason ?? 'by policy'}`
}

const exitWords = ({ exit_code, signal }: Ended): string =>
  signal === null ? `Exit code: ${exit_code}` : `Exit code: ${exit_code} (${signal})`

const endedText = (ended: Ended, scratchpad: string | undefined): string => {
  if (ended.status === 'denied') return denied(ended)
  const silent = ended.stdout_bytes + ended.stderr_bytes === 0 && scratchpad === undefined
  const text = silent ? '' : body(ended, scratchpad)
  if (ended.status === 'timed_out') {
    return `Command timed out after ${Math.round(ended.timeout_seconds * 1000)}ms${text && `\n${text}`}`
  }
  if (ended.status === 'canceled') return `Command interrupted${text && `\n${text}`}`
  if (ended.status === 'failed') return below(text, exitWords(ended))
  return text || '(no output)'
}

/** `scratchpad`: the name that the agent gave; undefined: none. */
export const toText = (result: ToolResult, scratchpad: string | undefined): DialectText => {
  if ('ended' in result) {
    return { is_error: result.ended.status !== 'completed', output: endedText(result.ended, scratchpad) }
  }
  const { code, message } = result.problem
  return { is_error: true, output: code === 'SANDBOX_UNAVAILABLE' ? `${READ_MODE_UNAVAILABLE}\n${message}` : message }
}
