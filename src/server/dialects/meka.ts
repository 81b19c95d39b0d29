import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf, settingRows } from '../../shared/schema/index.ts'
import {
  type Dialect,
  type DialectText,
  type Ended,
  MAX_TIMEOUT_MS,
  plainRequest,
  type Refusal,
  type ToolResult,
  type DialectWorld,
} from './dialect.ts'
import { decisive, firstBytes, lacksApproval, noApproval, readArguments } from './shared.ts'

const Parameters = Type.Object({
  command: Type.String({ description: 'The shell command to execute' }),
  timeout_ms: Type.Optional(
    Type.Integer({ default: 30_000, exclusiveMinimum: 0, description: 'Timeout in milliseconds (default: 30000)' }),
  ),
  scratchpad: Type.Optional(Type.String({ description: 'Save output to the scratchpad under this name' })),
})

const Settings = Type.Object({
  permission: oneWordOf(['read', 'write'], {
    default: 'read',
    description: 'read: run commands only in the read-only sandbox; write: run them without a sandbox',
  }),
  sandbox: Type.Boolean({
    default: true,
    description: 'false: disable the sandbox, so that commands need permission write',
  }),
})
type Settings = Static<typeof Settings>

const NO_COMMAND = "Missing required parameter 'command'"

/** Meka waits 200 ms between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 200

/** Returns why read mode cannot run a command; null if it can, or in write mode. */
function readModeFault({ permission, sandbox }: Settings, { noReadOnlySandbox }: DialectWorld): Refusal | null {
  if (permission === 'write') return null
  if (!sandbox) return { refusal: WRITE_MODE_REQUIRED, code: 'FORBIDDEN' }
  if (noReadOnlySandbox === null) return null
  return { refusal: `${READ_MODE_UNAVAILABLE}\n${noReadOnlySandbox}`, code: 'SANDBOX_UNAVAILABLE' }
}

/** A longer result, in bytes, stays in the spool, and the reply contains a handle for it. */
const MAX_INLINE_BYTES = 30_000

const PREVIEW_BYTES = 2000

const WRITE_MODE_REQUIRED =
  'Shell commands require write mode: sandboxed execution in read mode is disabled (sandbox = false).'

/** Meka's message for a machine without the sandbox. */
const READ_MODE_UNAVAILABLE =
  'Shell commands are not available in read mode — switch to write mode to execute commands without a sandbox.'

const sizeWords = (bytes: number): string =>
  bytes < 1_048_576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`

const below = (text: string, line: string) => (text === '' ? line : `${text}\n${line}`)

const DIVIDER = '\n--- stderr ---\n'

const streams = ({ stdout, stderr }: Ended): string => stdout + (stdout && stderr && DIVIDER) + stderr

/** Returns the total size of both streams and the divider in bytes, including bytes that the dialect did not receive. */
const sizeOf = ({ stdout_bytes, stderr_bytes }: Ended): number =>
  stdout_bytes + stderr_bytes + (stdout_bytes > 0 && stderr_bytes > 0 ? DIVIDER.length : 0)

const lost = ({ storedBytes, ...ended }: Ended): string[] =>
  (['stdout', 'stderr'] as const)
    .filter((stream) => storedBytes[stream] < ended[`${stream}_bytes`])
    .map(
      (stream) => `${stream}: only the first ${storedBytes[stream]} of ${ended[`${stream}_bytes`]} bytes are stored.`,
    )

/** Returns where to read the output, because this service has no scratchpad_read, and which bytes are missing there. */
const whereToRead = (ended: Ended) =>
  [
    `scratchpad_read here: GET /runs/${ended.id}/output?stream=stdout&offset=0 (and stream=stderr).`,
    ...lost(ended),
  ].join('\n')

function saved(name: string, size: number, ended: Ended): string {
  const how = lost(ended).length > 0 ? 'partly saved' : 'saved'
  return `Output ${how} to scratchpad "${name}" (${size} bytes). Use scratchpad_read to access it.\n${whereToRead(ended)}`
}

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

/** Returns the output itself, or a handle for reading all of it. */
function body(ended: Ended, scratchpad: string | undefined): string {
  const text = streams(ended)
  const size = sizeOf(ended)
  if (scratchpad !== undefined) return saved(scratchpad, size, ended)
  if (size <= MAX_INLINE_BYTES) return text
  return largeOutput(`execute_command_${ended.id.slice(-6)}_1`, size, text, ended)
}

function denied(ended: Ended): string {
  if (lacksApproval(ended)) return `Command not executed: ${noApproval(ended)}`
  return `Command denied: ${decisive(ended.decision)[0]!.reason ?? 'by policy'}`
}

const exitWords = ({ exit_code, signal }: Ended): string =>
  signal === null ? `Exit code: ${exit_code}` : `Exit code: ${exit_code} (${signal})`

function endedText(ended: Ended, scratchpad: string | undefined): string {
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

/** `scratchpad`: the name from the agent; undefined: no name. */
function toText(result: ToolResult, scratchpad: string | undefined): DialectText {
  if ('ended' in result) {
    const { ended } = result
    const isLost = ended.status !== 'denied' && lost(ended).length > 0
    return { is_error: ended.status !== 'completed' || isLost, output: endedText(ended, scratchpad) }
  }
  const { code, message } = result.problem
  return { is_error: true, output: code === 'SANDBOX_UNAVAILABLE' ? `${READ_MODE_UNAVAILABLE}\n${message}` : message }
}

/** Meka's `execute_command`: runs in a read-only sandbox depending on the permission, and never loses output. */
export const meka: Dialect<Settings> = {
  name: 'meka',
  family: 'meka',
  tool: 'execute_command',
  description: 'Execute a shell command and return its output.',
  parameters: Parameters,
  settings: settingRows(Settings),
  toRequest(given, settings, world) {
    const read = readArguments(Parameters, given, NO_COMMAND)
    if ('refusal' in read) return read
    const { command, timeout_ms = 30_000, scratchpad } = read.values
    const fault = readModeFault(settings, world)
    if (fault !== null) return fault
    return {
      request: {
        ...plainRequest,
        command,
        sandbox: settings.permission === 'read' ? 'read-only' : 'none',
        timeoutMs: Math.min(timeout_ms, MAX_TIMEOUT_MS),
        killGraceMs: KILL_GRACE_MS,
        output: { keep: 'head', maxBytes: MAX_INLINE_BYTES },
        isLossless: true,
        scratchpad: scratchpad ?? null,
      },
    }
  },
  toText(result, given) {
    const read = readArguments(Parameters, given, NO_COMMAND)
    return toText(result, 'values' in read ? read.values.scratchpad : undefined)
  },
}
