import { type ExecRecord, Registry } from '../schema/index.ts'
import { createHistoryIndex, type IndexLimits } from './history-index.ts'
import { beginLine, type EndLine, endLine, type Kept, type RunRecord, textsUndefined, toReply } from './history-line.ts'
import { openHistory } from './history-open.ts'
import { createHistoryReader, type HistoryReader } from './history-read.ts'
import type { Log } from './log.ts'
import type { SmallOutput, SpoolSummary } from './output.ts'
import type { ReplyFiles } from './reply-files.ts'
import type { Place, Segments } from './segments.ts'

const SEGMENT_BYTES = 1_048_576
const RETAIN_EVERY_MS = 3_600_000

/** Every run, denied ones too. What is stored of a command, its notes and reasons is redacted (a setting). */
export interface History {
  /** Written before the spawn. The record stays the caller's: `get` and `list` show its changes until `end`. */
  begin(record: ExecRecord, key?: { key: string; digest: string }): Promise<void>
  /** Resolves when it is written (before the answer); also without `begin`. `summary` null: there was no output, as for a denied run. */
  end(record: ExecRecord, summary: SpoolSummary | null): Promise<void>
  /** The record as it is stored; null: not known, or no longer. */
  get: HistoryReader['get']
  /** Newest first. */
  list: HistoryReader['list']
  /** Runs that a crash cut off, found at the opening and marked as failed since. */
  interrupted: ExecRecord[]
}

/** What the store alone asks of it. */
export interface OpenHistory extends History {
  ended: HistoryReader['ended']
  isLive(id: string): boolean
  ready: Promise<void>
  close(): void
}

export interface HistoryOptions extends IndexLimits {
  /** null: in memory alone */
  segments: Segments | null
  replies: ReplyFiles
  redact(text: string): string
  now(): number
  log: Log
  /** a finished spool's whole output, when it is small */
  smallOf(id: string): SmallOutput | null
  /** what lies in the files of a run */
  spoolBytes(id: string): { stdout: number; stderr: number }
  /** a run that has files is known no longer */
  onForget(id: string): void
}

const nothing = { bytes: 0, keptBytes: 0, sha256: null }

const keptOf = (summary: SpoolSummary | null, small: SmallOutput | null, onDisk: boolean): Kept => {
  const { stdout, stderr } = summary ?? { stdout: nothing, stderr: nothing }
  if (summary === null || small !== null) return { where: 'line', stdout, stderr }
  return { where: onDisk && stdout.keptBytes + stderr.keptBytes > 0 ? 'file' : 'none', stdout, stderr }
}

const toEndLine = (record: ExecRecord, kept: Kept, replyFile: boolean): EndLine => ({
  e: record.id,
  status: record.status,
  files: kept.where === 'file' || replyFile || undefined,
  record: textsUndefined(record),
  kept,
  replyFile: replyFile || undefined,
})

/** Opens in the time that two segments take to read; older ones follow in the background. */
export const createHistory = (options: HistoryOptions): OpenHistory => {
  const { segments, replies, redact, now, log, smallOf } = options
  const live = new Registry<string, ExecRecord>()
  const opened = openHistory(segments, options)
  const index = createHistoryIndex(segments, opened.heads, options, now, options.onForget)
  let carriedBytes = 0
  let retainedMs = now()

  const stored = <T extends RunRecord>(record: T): T => {
    const { decision } = record
    const command = redact(record.command)
    const reason = decision.reason && redact(decision.reason)
    if (record.notes.length === 0 && command === record.command && reason === decision.reason) return record
    return { ...record, command, notes: record.notes.map(redact), decision: { ...decision, reason } }
  }

  const toBeginLine = (record: ExecRecord): string => beginLine(record.id, textsUndefined(stored(record)))

  const retainSoon = (): void => {
    retainedMs = now()
    setImmediate(index.retain)
  }

  /** A new segment begins with the runs that are still going: opening must find them in the newest two. */
  const turnPage = (file: Segments, besides: string): string => {
    file.rotate()
    retainSoon()
    const carried = live
      .values()
      .filter(({ id }) => id !== besides)
      .map(toBeginLine)
    carriedBytes = carried.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
    return carried.join('')
  }

  const write = (id: string, line: string): Place | null => {
    if (segments === null) return null
    const carried = segments.size() - carriedBytes > SEGMENT_BYTES ? turnPage(segments, id) : ''
    if (now() - retainedMs > RETAIN_EVERY_MS) retainSoon()
    const place = segments.append(carried + line)
    return place && { ...place, offset: place.offset + Buffer.byteLength(carried) }
  }

  const writeEnd = (end: EndLine, reply: string | null): void => {
    const line = endLine(end, reply)
    const place = write(end.e, line)
    const length = Buffer.byteLength(line) - 1
    const { segment, offset } = place ?? { segment: 0, offset: 0 }
    const entry = { status: end.status, files: end.files === true, length, segment, offset }
    index.add(end.e, place ? entry : { ...entry, line })
  }

  const end = async (record: ExecRecord, summary: SpoolSummary | null): Promise<void> => {
    const { id, status } = record
    const small = summary && smallOf(id)
    // a denied run has no output: its text speaks of the command
    const texts =
      status === 'denied' ? { ...record, output: redact(record.output), stderr: redact(record.stderr) } : record
    const reply = JSON.stringify(toReply(texts, small))
    const kept = keptOf(summary, small, segments !== null)
    const inLine = replies.fitsLine(reply)
    const replyFile = !inLine && (await replies.write(id, reply))
    live.delete(id)
    writeEnd(toEndLine(stored(record), kept, replyFile), inLine ? reply : null)
  }

  for (const { record, kept } of opened.interrupted) {
    writeEnd(toEndLine(record, kept, false), JSON.stringify(toReply(record, null)))
  }

  return {
    ...createHistoryReader({ live, index, segments, replies, stored, log }),
    begin: async (record) => {
      live.set(record.id, record)
      write(record.id, toBeginLine(record))
    },
    end,
    interrupted: opened.interrupted.map(({ record }) => record),
    isLive: (id) => live.has(id),
    ready: index.ready,
    close: () => segments?.close(),
  }
}
