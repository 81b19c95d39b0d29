import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf, settingRows } from '../schema/index.ts'
import { type Dialect, MAX_TIMEOUT_MS, plainRequest, type World } from './dialect.ts'
import { MAX_INLINE_BYTES, READ_MODE_UNAVAILABLE, toText } from './meka-text.ts'
import { readArguments } from './parameters.ts'

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
    description: 'read: commands run in the read-only sandbox or not at all; write: without a sandbox',
  }),
  sandbox: Type.Boolean({
    default: true,
    description: 'false: no sandboxed execution, commands need permission write',
  }),
})
type Settings = Static<typeof Settings>

const NO_COMMAND = "Missing required parameter 'command'"

/** Meka waits 200 ms between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 200

/** Why read mode cannot run this; null: it can, or it is not read mode. */
const readModeFault = ({ permission, sandbox }: Settings, { noReadOnlySandbox }: World): string | null => {
  if (permission === 'write') return null
  if (!sandbox) {
    return 'Shell commands require write mode: sandboxed execution in read mode is disabled (sandbox = false).'
  }
  return noReadOnlySandbox === null ? null : `${READ_MODE_UNAVAILABLE}\n${noReadOnlySandbox}`
}

/** Meka's `execute_command`: a read-only sandbox by permission, and output that is never lost. */
export const meka: Dialect<Settings> = {
  name: 'meka',
  tool: 'execute_command',
  description: 'Execute a shell command and return its output.',
  parameters: Parameters,
  settings: settingRows(Settings),
  toRequest(given, settings, world) {
    const read = readArguments(Parameters, given, NO_COMMAND)
    if ('refusal' in read) return read
    const { command, timeout_ms = 30_000, scratchpad } = read.values
    const fault = readModeFault(settings, world)
    if (fault !== null) return { refusal: fault }
    return {
      request: {
        ...plainRequest,
        command,
        sandbox: settings.permission === 'read' ? 'read-only' : 'none',
        timeoutMs: Math.min(timeout_ms, MAX_TIMEOUT_MS),
        killGraceMs: KILL_GRACE_MS,
        output: { keep: 'head', maxBytes: MAX_INLINE_BYTES },
        scratchpad: scratchpad ?? null,
      },
    }
  },
  toText(result, given) {
    const read = readArguments(Parameters, given, NO_COMMAND)
    return toText(result, 'values' in read ? read.values.scratchpad : undefined)
  },
}
