import { Type } from '@sinclair/typebox'
import { COMMAND_REQUIRED, type ExecRecord } from '../../shared/schema/index.ts'
import { type CanonicalEnded, type Dialect, type ToolResult, plainRequest } from './dialect.ts'
import { lacksApproval, noApproval, onOwnLine, readArguments } from './shared.ts'

const Parameters = Type.Object({
  command: Type.String({ description: 'The shell command to execute' }),
  timeout_seconds: Type.Optional(
    Type.Integer({
      default: 30,
      exclusiveMinimum: 0,
      description: 'Maximum execution time in seconds. Default: 30, maximum: 120',
    }),
  ),
  working_directory: Type.Optional(
    Type.String({ description: 'Working directory for the command. Default: app data directory' }),
  ),
  max_length: Type.Optional(
    Type.Integer({
      default: 50_000,
      exclusiveMinimum: 0,
      description:
        'Maximum output length in characters, stdout and stderr together, without the lines that the tool adds. Default: 50000',
    }),
  ),
})

/** Returns why a denied command did not run. */
export const denialText = (ended: CanonicalEnded): string =>
  lacksApproval(ended) ? noApproval(ended) : (ended.decision.reason ?? 'denied by policy')

/** The service's own message for an ending, shown under `[stderr]`. */
const ownWords: Partial<Record<ExecRecord['status'], (ended: CanonicalEnded) => string>> = {
  timed_out: (ended) => `Process killed after ${ended.timeout_seconds} seconds timeout.`,
  denied: denialText,
}

/**
 * Returns the canonical text of an ended run, which POST /exec returns as `output`. stdout and stderr appear verbatim, so the caller
 * shortens them first. A newline is added only after a stream that does not end with one.
 */
export function canonicalText(ended: CanonicalEnded): string {
  const own = ownWords[ended.status]?.(ended)
  const errors = own === undefined ? ended.stderr : onOwnLine(ended.stderr, own)
  const first = ended.status === 'timed_out' ? '[Exit Code: -1 (timeout)]\n' : `[Exit Code: ${ended.exit_code}]\n`
  if (ended.stdout === '' && errors === '') return `${first}(no output)`
  return first + (errors === '' ? ended.stdout : onOwnLine(ended.stdout, `[stderr]\n${errors}`))
}

/** Only denials and cancellations are errors; a non-zero exit code and a timeout are results. */
function toText(result: ToolResult) {
  if ('problem' in result) return { is_error: true, output: result.problem.message }
  const { status } = result.ended
  return { is_error: status === 'denied' || status === 'canceled', output: canonicalText(result.ended) }
}

/** OneClaw's `exec`, the canonical tool (FEAT-029, see README.md), whose format POST /exec uses. */
export const oneclaw: Dialect = {
  name: 'oneclaw',
  family: 'oneclaw',
  tool: 'exec',
  description: 'Execute a shell command on the device and return its output',
  parameters: Parameters,
  settings: [],
  toRequest(given) {
    const read = readArguments(Parameters, given, COMMAND_REQUIRED)
    return 'refusal' in read ? read : { request: { ...plainRequest, ...read.values } }
  },
  toText,
}
