import type { CallToolResult } from '@modelcontextprotocol/server'
import { type Static, Type } from '@sinclair/typebox'
import { denialText } from '../dialects/index.ts'
import type { Watched } from '../exec/index.ts'
import { DialectAnswer, errorTable, type ExecRecord, ShellphoneError } from '../../shared/schema/index.ts'

/** The structured content of the tools for runs. Clients pass either this or the text to the model, so each is complete on its own. */
export const RunResult = Type.Object({
  id: Type.Optional(Type.String()),
  status: Type.Optional(
    Type.String({
      description: 'completed, failed, timed_out, canceled or denied; queued or running if the run has not ended',
    }),
  ),
  error_type: Type.Optional(
    Type.String({ description: 'Why no command ran: validation_error, execution_error …; the note says more' }),
  ),
  exit_code: Type.Optional(Type.Integer()),
  signal: Type.Optional(Type.String()),
  stdout: Type.Optional(Type.String()),
  stderr: Type.Optional(Type.String()),
  truncated: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String({ description: 'Further information, and what to do next' })),
})
type RunResult = Static<typeof RunResult>

/** Creates a result with text and structured content. */
export const toResult = (
  text: string,
  structuredContent: Record<string, unknown>,
  isError = false,
): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
  ...(isError && { isError }),
})

/** Creates the result of a run that has ended. Denials, timeouts and cancellations are errors; non-zero exit codes are not. */
export function recordResult(record: ExecRecord): CallToolResult {
  const { id, status, exit_code, signal, stdout, stderr, truncated, output, failure } = record
  if (failure) {
    const { code, message: note } = failure
    return toResult(note, { id, status, error_type: errorTable[code].type, note }, true)
  }
  const recordNotes = record.notes.map(({ text }) => text)
  const notes = [
    ...recordNotes,
    ...(truncated ? [`the output is truncated; exec_output with id ${id} reads all of it`] : []),
  ]
  const reasons = [...reasonOf(record), ...notes]
  const result: RunResult = {
    id,
    status,
    ...(exit_code !== -1 && { exit_code }),
    ...(signal !== null && { signal }),
    ...(stdout !== '' && { stdout }),
    ...(stderr !== '' && { stderr }),
    ...(truncated && { truncated }),
    ...(reasons.length > 0 && { note: reasons.join('; ') }),
  }
  return toResult([output, ...notes.map((note) => `[note] ${note}`)].join('\n'), result, errorStatuses.includes(status))
}

const errorStatuses = ['denied', 'timed_out', 'canceled']

/** Returns the reason for an ending that no field of the record explains. */
function reasonOf(record: ExecRecord): string[] {
  if (record.status === 'timed_out') return [`ended at its timeout of ${record.timeout_seconds} s`]
  return record.status === 'denied' ? [denialText(record)] : []
}

/** The structured content of exec_wait beside an agent's own tool. */
export const DialectRunResult = Type.Object({
  id: Type.Optional(Type.String()),
  status: Type.Optional(Type.String({ description: 'queued or running if the run has not ended' })),
  ...Type.Pick(DialectAnswer, ['exit_code', 'error_type']).properties,
  output: Type.Optional(Type.String({ description: "The result in the tool's own format" })),
  note: Type.Optional(Type.String({ description: 'Further information, and what to do next' })),
})

/** Creates the result of an agent's own tool. */
export const dialectResult = ({ tool: _, run_id, is_error, output, ...ending }: DialectAnswer): CallToolResult =>
  toResult(output, { ...(run_id !== null && { id: run_id }), ...ending, output }, is_error)

/** Creates the handle `id` of a run that continues, or of a call whose current run it is, with what the caller can do next. */
export function handleResult(id: string, { status, waitsFor, output }: Watched, waitedMs: number): CallToolResult {
  const bytes = output.size('stdout') + output.size('stderr')
  const next = 'call exec_wait with this id, or exec_cancel'
  const note = waitsFor
    ? `waits for approval until ${waitsFor.expires_at}: ${next}`
    : `still running${waitedMs > 0 ? ` after ${Math.round(waitedMs / 1000)} s` : ''}, ${bytes} bytes so far: ${next}`
  const result: RunResult = { id, status: status === 'starting' ? 'running' : status, note }
  return toResult(`Run ${id}: ${note}`, result)
}

/** Creates the result of a wait in which no run ended or needed approval. `live`: the ids of the runs that it waited for. */
export function newsResult(live: string[], waitedMs: number): CallToolResult {
  const note =
    live.length === 0
      ? 'no background run that this token began over MCP is live, and all ended ones have been reported'
      : `still running after ${Math.round(waitedMs / 1000)} s: ${shortList(live)}: call exec_wait again`
  return toResult(note, { ...(live.length > 0 && { status: 'running' }), note })
}

/** Maximum number of ids in one result. */
const MAX_IDS = 8
const shortList = (ids: string[]) =>
  ids.length <= MAX_IDS ? ids.join(', ') : `${ids.slice(0, MAX_IDS).join(', ')} and ${ids.length - MAX_IDS} more`

/**
 * Creates the result of a refused request. `field`: where the tool's structured content has messages; null: it has none, and the result is
 * only text. Rethrows other errors.
 */
export function errorResult(error: unknown, field: 'output' | 'note' | null): CallToolResult {
  if (!(error instanceof ShellphoneError)) throw error
  const { type, message } = error
  if (field !== null) return toResult(message, { error_type: type, [field]: message }, true)
  return { content: [{ type: 'text', text: message }], isError: true }
}
