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
  return [...(why ?? []), ...notes.map(({ text }) => text)]
}
