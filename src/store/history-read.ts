import type { ExecRecord, Registry, RunStatus } from '../schema/index.ts'
import { reasonOf } from './folder.ts'
import type { Entry, HistoryIndex } from './history-index.ts'
import {
  type EndLine,
  parseEndLine,
  parseEndRecord,
  type RunRecord,
  toSmallOutput,
  withoutTexts,
  withTexts,
} from './history-line.ts'
import { isRunId } from './ids.ts'
import type { Log } from './log.ts'
import type { SmallOutput } from './output.ts'
import type { ReplyFiles } from './reply-files.ts'
import type { Segments } from './segments.ts'

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

export interface HistoryReader {
  get(id: string): Promise<ExecRecord | null>
  list(query: ListQuery): Promise<RunRecord[]>
  /** An ended run: where its output lies, and the output itself when it lies in the line. */
  ended(id: string): Promise<{ line: EndLine; small: SmallOutput | null } | null>
}

export interface HistoryReaderOptions {
  live: Registry<string, ExecRecord>
  index: HistoryIndex
  segments: Segments | null
  replies: ReplyFiles
  stored<T extends RunRecord>(record: T): T
  log: Log
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const createHistoryReader = (options: HistoryReaderOptions): HistoryReader => {
  const { live, index, segments, replies, stored, log } = options

  const lineOf = (entry: Entry): string => entry.line ?? segments!.readAt(entry, entry.length).toString()

  const findEntry = async (id: string): Promise<Entry | undefined> => {
    const entry = index.get(id)
    if (entry !== undefined) return entry
    await index.ready
    return index.get(id)
  }

  const find = async (id: string) => {
    const entry = isRunId(id) ? await findEntry(id) : undefined
    if (entry === undefined) return null
    try {
      const { line, reply } = parseEndLine(lineOf(entry))
      return { line, reply: reply ?? (line.replyFile ? await replies.read(id) : null) }
    } catch (error) {
      log({ id, reason: reasonOf(error) }, 'a history line cannot be read')
      return null
    }
  }

  const get = async (id: string): Promise<ExecRecord | null> => {
    const running = live.get(id)
    if (running) return stored(running)
    const found = await find(id)
    if (found === null) return null
    const { record } = found.line
    if (found.reply) return withTexts(record, found.reply)
    const notes = [...record.notes, 'the text of the reply is no longer kept']
    return { ...record, notes, stdout: '', stderr: '', output: '' }
  }

  const recordOf = (id: string): RunRecord | null => {
    const running = live.get(id)
    if (running) return withoutTexts(stored(running))
    const entry = index.get(id)
    try {
      return entry ? parseEndRecord(lineOf(entry)) : null
    } catch {
      return null
    }
  }

  const hasStatus = (id: string, status: RunStatus | undefined): boolean =>
    status === undefined || (live.get(id) ?? index.get(id))?.status === status

  const hasText = (record: RunRecord, text: string): boolean =>
    text === '' || record.id.includes(text) || record.command.toLowerCase().includes(text)

  const list = async ({ status, q = '', limit, before }: ListQuery): Promise<RunRecord[]> => {
    await index.ready
    const ids = [...index.ids(), ...live.keys()].sort()
    const text = q.toLowerCase()
    const found: RunRecord[] = []
    for (let at = ids.length - 1; at >= 0 && found.length < Math.min(limit, MAX_LIST); at--) {
      const id = ids[at]!
      if ((before !== undefined && id >= before) || !hasStatus(id, status)) continue
      // a long search lets others have their turn
      if (at % 128 === 0) await nextTurn()
      const record = recordOf(id)
      if (record && hasText(record, text)) found.push(record)
    }
    return found
  }

  const ended: HistoryReader['ended'] = async (id) => {
    const found = await find(id)
    if (found === null) return null
    const { line, reply } = found
    return { line, small: line.kept.where === 'line' && reply ? toSmallOutput(reply) : null }
  }

  return { get, list, ended }
}
