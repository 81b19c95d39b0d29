import { type Job, type JobRow, writtenState } from './job-types.ts'
import type { BrokerLink } from '../broker/broker-link.ts'
import { rowAfter, type RowEvent } from './row-states.ts'
import { isOvertaken, readLast, WORK, workSubject, writeAt, type StoredMessage } from '../broker/job-streams.ts'

/** One phone's row of one job, and what is written into it. */
export interface RowWriter {
  /** as it was read or written last; null: there is none */
  readonly row: StoredMessage<JobRow> | null
  /** Reads it again: another plane may have written that the job is canceled. Throws BROKER_UNAVAILABLE. */
  refresh(): Promise<void>
  /**
   * Acknowledged by the broker when it resolves: true where this was written, false where the row can become that no more. Throws
   * BROKER_UNAVAILABLE: it may be written, then or later.
   */
  put(event: RowEvent, more?: Omit<JobRow, 'state'>): Promise<boolean>
}

/** One phone's row as it is on the leader. */
export const readRow = (link: BrokerLink, name: string, job: string): Promise<StoredMessage<JobRow> | null> =>
  readLast<JobRow>(link, WORK, workSubject(name, job))

/** Reads it from the leader; writes go one after the other. */
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
        // the broker alone knows when it took the first one
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
