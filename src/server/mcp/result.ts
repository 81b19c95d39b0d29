import type { CallToolResult } from '@modelcontextprotocol/server'
import { type Static, Type } from '@sinclair/typebox'
import { denialText } from '../dialects/index.ts'
import type { Watched } from '../exec/index.ts'
import { type ExecRecord, ShellphoneError } from '../../shared/schema/index.ts'

/** What a run's tools answer as structured content: clients hand the model this or the text, so that each is enough alone. */
export const RunAnswer = Type.Object({
  id: Type.String(),
  status: Type.String({
    description: 'completed, failed, timed_out, canceled, denied; queued, running: not ended yet',
  }),
  exit_code: Type.Optional(Type.Integer()),
  signal: Type.Optional(Type.String()),
  stdout: Type.Optional(Type.String()),
  stderr: Type.Optional(Type.String()),
  truncated: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String({ description: 'What is worth knowing, and what to do next' })),
})
type RunAnswer = Static<typeof RunAnswer>

/** Text and structured content of one answer. */
export const toResult = (
  text: string,
  structuredContent: Record<string, unknown>,
  isError = false,
): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
  ...(isError && { isError }),
})

/** A run that has ended. A code other than 0 is a result; an error is what kept the command from running its course. */
export function recordResult(record: ExecRecord): CallToolResult {
  const { id, status, exit_code, signal, stdout, stderr, truncated, output } = record
  const said = record.notes.map(({ text }) => text)
  const notes = [...said, ...(truncated ? [`output was cut: exec_output with id ${id} reads all of it`] : [])]
  const reasons = [...reasonOf(record), ...notes]
  const answer: RunAnswer = {
    id,
    status,
    ...(exit_code !== -1 && { exit_code }),
    ...(signal !== null && { signal }),
    ...(stdout !== '' && { stdout }),
    ...(stderr !== '' && { stderr }),
    ...(truncated && { truncated }),
    ...(reasons.length > 0 && { note: reasons.join('; ') }),
  }
  return toResult([output, ...notes.map((note) => `[note] ${note}`)].join('\n'), answer, stopped.includes(status))
}

const stopped = ['denied', 'timed_out', 'canceled']

/** What the text says of an ending that no field tells. */
function reasonOf(record: ExecRecord): string[] {
  if (record.status === 'timed_out') return [`ended at its timeout of ${record.timeout_seconds} s`]
  return record.status === 'denied' ? [denialText(record)] : []
}

/** A run that goes on: what the caller does next. */
export function handleResult(run: Watched, waitedMs: number): CallToolResult {
  const { id, status, waitsFor, output } = run
  const bytes = output.size('stdout') + output.size('stderr')
  const next = 'call exec_wait with this id, or exec_cancel'
  const note = waitsFor
    ? `waits for approval until ${waitsFor.expires_at}: ${next}`
    : `still running${waitedMs > 0 ? ` after ${Math.round(waitedMs / 1000)} s` : ''}, ${bytes} bytes so far: ${next}`
  const answer: RunAnswer = { id, status: status === 'starting' ? 'running' : status, note }
  return toResult(`Run ${id}: ${note}`, answer)
}

/** A request that became no run: text alone, for structured content has the tool's own shape. What is our own bug is thrown on. */
export function errorResult(error: unknown): CallToolResult {
  if (!(error instanceof ShellphoneError)) throw error
  return { content: [{ type: 'text', text: error.message }], isError: true }
}
