import { type Job, writtenState } from './job-types.ts'
import type { JobRow } from './phone-results.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import { rowAfter, type RowEvent } from './row-states.ts'
import { isOvertaken, readLast, WORK, workSubject, writeAt, type StoredMessage } from '../broker/job-streams.ts'

/** Reads and writes one phone's row of one job. */
export interface RowWriter {
  /** the row as it was last read or written; null: it does not exist */
  readonly row: StoredMessage<JobRow> | null
  /** Reads the row again, because another plane may have written a cancellation. Throws BROKER_UNAVAILABLE. */
  refresh(): Promise<void>
  /**
   * Writes an event. Resolves with true once the broker has acknowledged it, or with false if the row's state no longer allows it. Throws
   * BROKER_UNAVAILABLE if it is unknown whether the event was or will be written.
   */
  put(event: RowEvent, more?: Omit<JobRow, 'state'>): Promise<boolean>
}

/** Reads one phone's row from the stream's leader; null if it does not exist. */
export const readRow = (link: BrokerLink, name: string, job: string): Promise<StoredMessage<JobRow> | null> =>
  readLast<JobRow>(link, WORK, workSubject(name, job))

/** Reads the row from the leader and creates its writer, which makes one write at a time. */
export async function createRowWriter(link: BrokerLink, name: string, job: Job): Promise<RowWriter> {
  const read = () => readRow(link, name, job.id)
  let row = await read()
  let last: Promise<unknown> = Promise.resolve()
  const write = async (event: RowEvent, more: Omit<JobRow, 'state'>): Promise<boolean> => {
    for (;;) {
      const state = rowAfter(writtenState(job, row), event)
      if (state === null) return false
      const value: JobRow = {
        ...row?.value,
        ...more,
        state,
        ...(event === 'cancel' && row !== null && { cancel: true }),
      }
      try {
        const sequence = await writeAt(link, workSubject(name, job.id), value, row?.sequence ?? 0)
        // reads the first write back, because only the broker knows when it accepted it
        row = row === null ? await read() : { value, sequence, atMs: row.atMs }
        return true
      } catch (error) {
        if (!isOvertaken(error)) throw error
        row = await read()
      }
    }
  }
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const next = last.then(act)
    last = next.catch(() => {})
    return next
  }
  return {
    get row() {
      return row
    },
    refresh: () => inTurn(async () => void (row = await read())),
    put: (event, more = {}) => inTurn(() => write(event, more)),
  }
}
