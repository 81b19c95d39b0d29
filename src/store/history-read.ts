import type { ExecRecord, Registry, RunStatus, Shown } from '../schema/index.ts'
import { reasonOf } from './folder.ts'
import type { HistoryIndex } from './history-index.ts'
import { type EndLine, parseEndRecord, type RunRecord, unsealed, withoutTexts } from './history-line.ts'
import type { Entry } from './history-open.ts'
import type { Log } from './log.ts'
import type { Segments } from './segments.ts'
import { nothingShown, readShown } from './shown.ts'

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

/** A run that is still going, and the segment that holds its begin line. */
export interface LiveRun {
  record: ExecRecord
  segment: number
}

export interface HistoryReader {
  get(id: string): Promise<EndedRun | null>
  list(query: ListQuery): Promise<RunRecord[]>
  /** The line of an ended run, which says where its output lies. */
  ended(id: string): EndLine | null
}

export interface HistoryReaderOptions {
  live: Registry<string, LiveRun>
  index: HistoryIndex
  segments: Segments | null
  folder: string | null
  stored<T extends RunRecord>(record: T): T
  log: Log
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const hasText = (record: RunRecord, text: string): boolean =>
  text === '' || record.id.includes(text) || record.command.toLowerCase().includes(text)

export const createHistoryReader = (options: HistoryReaderOptions): HistoryReader => {
  const { live, index, segments, folder, stored, log } = options

  /** null: the disk gives back something else, or nothing. */
  const lineOf = (id: string, entry: Entry): string | null => {
    try {
      const line = unsealed(entry.line === undefined ? segments!.readAt(entry, entry.length) : toBytes(entry.line))
      if (line === null) log({ id }, 'a history line is damaged')
      return line
    } catch (error) {
      log({ id, reason: reasonOf(error) }, 'a history line cannot be read')
      return null
    }
  }

  const parsed = <T>(id: string, parse: (line: string) => T): T | null => {
    const entry = index.get(id)
    const line = entry ? lineOf(id, entry) : null
    return line === null ? null : parse(line)
  }

  const liveRecord = (id: string): RunRecord | null => {
    const run = live.get(id)
    return run ? withoutTexts(stored(run.record)) : null
  }

  const hasStatus = (id: string, status: RunStatus | undefined): boolean =>
    status === undefined || (live.get(id)?.record ?? index.get(id))?.status === status

  const ended = (id: string): EndLine | null => parsed(id, JSON.parse)

  const get = async (id: string): Promise<EndedRun | null> => {
    const running = liveRecord(id)
    if (running) return { record: running, shown: nothingShown }
    const line = ended(id)
    return line && { record: line.record, shown: await readShown(folder, line) }
  }

  const list = async ({ status, q = '', limit, before }: ListQuery): Promise<RunRecord[]> => {
    const ids = [...index.ids(), ...live.keys()].sort()
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

/** A line in memory, as the disk would have given it back. */
const toBytes = (line: string): Buffer => Buffer.from(line.slice(0, -1))
