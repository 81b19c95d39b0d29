import { isSettled, type Row } from './job-words.ts'
import { readRow } from './jobs.ts'
import type { Link } from './link.ts'
import { isOvertaken, workSubject, writeAt } from './streams.ts'

/** One phone's row of one job, and what is written into it. */
export interface RowWriter {
  /** as it was read or written last; null: there is none */
  readonly row: Row | null
  /** Reads it again: another plane may have written that the job is canceled. Throws BROKER_UNAVAILABLE. */
  refresh(): Promise<void>
  /** Acknowledged by the broker when it resolves. What another plane has settled stays; throws BROKER_UNAVAILABLE. */
  put(change: Partial<Row> & Pick<Row, 'state'>): Promise<void>
}

/** Reads it from the leader; writes go one after the other. */
export async function createRowWriter(link: Link, name: string, job: string): Promise<RowWriter> {
  let known = await readRow(link, name, job)
  let last = Promise.resolve()
  const write = async (change: Partial<Row> & Pick<Row, 'state'>) => {
    for (;;) {
      if (known !== null && isSettled(known.value)) return
      const value = { ...known?.value, ...change }
      try {
        const sequence = await writeAt(link, workSubject(name, job), value, known?.sequence ?? 0)
        known = { value, sequence, atMs: 0 }
        return
      } catch (error) {
        if (!isOvertaken(error)) throw error
        known = await readRow(link, name, job)
        if (change.state === 'sent' && known !== null) return // another plane has sent it, or it was withdrawn
      }
    }
  }
  const inTurn = (act: () => Promise<void>) => {
    const next = last.then(act)
    last = next.catch(() => {})
    return next
  }
  return {
    get row() {
      return known?.value ?? null
    },
    refresh: () => inTurn(async () => void (known = await readRow(link, name, job))),
    put: (change) => inTurn(() => write(change)),
  }
}
