import type { RunRecord } from '../../sdk/index.ts'
import { denialText } from './wait-text.ts'

/** What a person should know about the connection. */
export const connectionRemarks = {
  disconnected: 'the connection is lost; reconnecting',
  connected: 'connected again',
} as const

/** What a person should know about the end of the run besides its exit code. */
export function remarks(record: RunRecord): string[] {
  const { status, notes, timeout_seconds } = record
  const why = {
    denied: [denialText(record)],
    timed_out: [`timed out after ${timeout_seconds} s`],
  }[status as string]
  const shown = notes.filter(({ code }) => code !== 'OUTPUT_NOT_KEPT') // the service did not store this output, but it was printed here
  return [...(why ?? []), ...shown.map(({ text }) => text)]
}
