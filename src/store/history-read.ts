import type { RunStatus, Shown } from '../schema/index.ts'
import type { HistoryIndex } from './history-index.ts'
import { type EndLine, parseEndRecord, parseSealed, type RunRecord, withoutTexts } from './history-line.ts'
import type { Entry } from './history-open.ts'
import type { LiveRuns } from './live-runs.ts'
import type { Segments } from './segments.ts'
import { nothingShown, readShown } from './shown.ts'
import type { Warnings } from './warnings.ts'

export const DAMAGED_LINES = 'lines of history are damaged'
/** One list answers at most so many. */
export const MAX_LIST = 1000

export interface ListQuery {
  status?: RunStatus
  /** part of the command or of the id, in any case */
  q?: string
  /** at most 1000 */
  limit: number
  /** only runs older than this one */
  before?: string
}

/** A record, and what the texts of its reply are made of; null: that is no longer kept. */
export interface EndedRun {
  record: RunRecord
  shown: Shown | null
}

export interface HistoryReader {
  get(id: string): Promise<EndedRun | null>
  list(query: ListQuery): Promise<RunRecord[]>
  /** The line of an ended run, which says where its output lies. */
  ended(id: string): EndLine | null
}

export interface HistoryReaderOptions {
  live: LiveRuns
  index: HistoryIndex
  segments: Segments | null
  folder: string | null
  stored<T extends RunRecord>(record: T): T
  warnings: Warnings
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const hasText = (record: RunRecord, text: string): boolean =>
  text === '' || record.id.includes(text) || record.command.toLowerCase().includes(text)

export const createHistoryReader = (options: HistoryReaderOptions): HistoryReader => {
  const { live, index, segments, folder, stored, warnings } = options

  const bytesOf = (entry: Entry): Buffer =>
    entry.line === undefined ? segments!.readAt(entry, entry.length) : Buffer.from(entry.line.slice(0, -1))

  /** null: not known, or the disk gives back something else, or nothing. */
  const parsed = <T>(id: string, parse: (line: Buffer) => T | null): T | null => {
    const entry = index.get(id)
    if (entry === undefined) return null
    try {
      const found = parse(bytesOf(entry))
      if (found === null) warnings.count(DAMAGED_LINES, 1, id)
      return found
    } catch (error) {
      warnings.set('history cannot be read', error)
      return null
    }
  }

  const liveRecord = (id: string): RunRecord | null => {
    const run = live.get(id)
    return run ? withoutTexts(stored(run.record)) : null
  }

  const hasStatus = (id: string, status: RunStatus | undefined): boolean =>
    status === undefined || (live.get(id)?.record ?? index.get(id))?.status === status

  const ended = (id: string): EndLine | null => parsed(id, parseSealed<EndLine>)

  const get = async (id: string): Promise<EndedRun | null> => {
    const running = liveRecord(id)
    if (running) return { record: running, shown: nothingShown }
    const line = ended(id)
    return line && { record: line.record, shown: await readShown(folder, line, warnings) }
  }

  const list = async ({ status, q = '', limit, before }: ListQuery): Promise<RunRecord[]> => {
    const ids = [...index.ids(), ...live.ids()].sort()
    const text = q.toLowerCase()
    const found: RunRecord[] = []
    for (let at = ids.length - 1; at >= 0 && found.length < Math.min(limit, MAX_LIST); at--) {
      const id = ids[at]!
      if ((before !== undefined && id >= before) || !hasStatus(id, status)) continue
      // a long search lets others have their turn
      if (at % 128 === 0) await nextTurn()
      const record = liveRecord(id) ?? parsed(id, parseEndRecord)
      if (record && hasText(record, text)) found.push(record)
    }
    return found
  }

  return { get, list, ended }
}
