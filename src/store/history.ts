import { type ExecRecord, Registry, type Shown } from '../schema/index.ts'
import { reasonOf } from './folder.ts'
import { createHistoryIndex } from './history-index.ts'
import {
  beginLine,
  type EndLine,
  endLine,
  freeLine,
  type Kept,
  keyLine,
  type LineOutput,
  type RunKey,
  type RunRecord,
  toLineOutput,
  withoutTexts,
} from './history-line.ts'
import { type OpenHistoryOptions, openHistory } from './history-open.ts'
import { createHistoryReader, type HistoryReader, type LiveRun } from './history-read.ts'
import { createKeys, type OpenKeys } from './keys.ts'
import type { Log } from './log.ts'
import type { SmallOutput, SpoolSummary } from './output.ts'
import { redacted } from './redact.ts'
import type { Place, Segments } from './segments.ts'

const SEGMENT_BYTES = 1_048_576
const RETAIN_EVERY_MS = 3_600_000

/** Every run, denied ones too. What is stored of a command, its notes and reasons is redacted (a setting). */
export interface History {
  /**
   * Written at once, before the spawn. With a key it resolves when the line is on the disk itself, so that a crash cannot run the
   * command twice. The record stays the caller's: `get` and `list` show its changes until `end`.
   */
  begin(record: ExecRecord, key?: RunKey): Promise<void>
  /**
   * Resolves when it is written (before the answer); also without `begin`. The texts are not kept: `get` gives back what they can be
   * made of. `summary` null: there was no output, as for a denied run. `shown`: what the reply was made of.
   */
  end(record: ExecRecord, summary: SpoolSummary | null, shown?: Shown | null): Promise<void>
  /** The record as it is stored; null: not known, or no longer. */
  get: HistoryReader['get']
  /** Newest first. */
  list: HistoryReader['list']
  /** Runs that a crash cut off, found at the opening and marked as failed since. */
  interrupted: ExecRecord[]
}

/** What the store alone asks of it. */
export interface OpenHistory extends History {
  keys: OpenKeys
  ended: HistoryReader['ended']
  isLive(id: string): boolean
  close(): void
}

export interface HistoryOptions extends OpenHistoryOptions {
  /** null: in memory alone */
  segments: Segments | null
  /** runs/, where files are; null: there are none */
  folder: string | null
  maxCount: number
  maxAgeMs: number
  redact(text: string): string
  log: Log
  /** a finished spool's whole output, when it is small */
  smallOf(id: string): SmallOutput | null
  /** a run that has files is known no longer */
  onForget(id: string): void
}

const nothing = { bytes: 0, keptBytes: 0, sha256: null }
const noOutput: SpoolSummary = { stdout: nothing, stderr: nothing, order: [], notes: [] }

const whereOf = (summary: SpoolSummary, small: SmallOutput | null, onDisk: boolean): Kept['where'] => {
  if (summary === noOutput || small !== null) return 'line'
  return onDisk && summary.stdout.keptBytes + summary.stderr.keptBytes > 0 ? 'file' : 'none'
}

const toKept = ({ stdout, stderr }: SpoolSummary, where: Kept['where'], shown: Shown | null): Kept => ({
  where,
  encoding: shown?.encoding ?? 'utf8',
  stdout: { ...stdout, lines: shown?.stdout.lines },
  stderr: { ...stderr, lines: shown?.stderr.lines },
})

const toEndLine = (record: RunRecord, kept: Kept, out?: LineOutput): EndLine => ({
  e: record.id,
  status: record.status,
  files: kept.where === 'file' || undefined,
  record,
  kept,
  out,
})

/** Appends lines, a new segment when the newest is full; forgets what is too old when one begins, and every hour. */
const createWriter = (segments: Segments | null, now: () => number, retain: () => void) => {
  let retainedMs = now()
  return (line: string): Place | null => {
    if (segments === null) return null
    const isFull = segments.size() > SEGMENT_BYTES
    if (isFull) segments.rotate()
    if (isFull || Math.abs(now() - retainedMs) > RETAIN_EVERY_MS) {
      retainedMs = now()
      setImmediate(retain)
    }
    return segments.append(line)
  }
}

/** Reads all that a former life left, before it resolves. */
export const createHistory = (options: HistoryOptions): OpenHistory => {
  const { segments, folder, now, smallOf } = options
  const live = new Registry<string, LiveRun>()
  const opened = openHistory(segments, options)
  const keys = createKeys(opened.keys, now, (runId) => void write(freeLine(runId)))
  const index = createHistoryIndex(opened.entries, {
    ...options,
    isLive: (segment) => live.values().some((run) => run.segment === segment),
    keyLines: (segment) => keys.in(segment).map((row) => keyLine(row.runId, row)),
  })
  const write = createWriter(segments, now, index.retain)
  const stored = <T extends RunRecord>(record: T): T => redacted(record, options.redact)

  const writeEnd = (end: EndLine): void => {
    const line = endLine(end)
    const place = write(line)
    const entry = { status: end.status, files: end.files === true, length: Buffer.byteLength(line) - 1 }
    index.add(end.e, place ? { ...entry, ...place } : { ...entry, segment: 0, offset: 0, line })
  }

  for (const { record, kept } of opened.interrupted) writeEnd(toEndLine(withoutTexts(record), kept))
  setImmediate(index.retain)

  return {
    ...createHistoryReader({ live, index, segments, folder, stored, log: options.log }),
    keys,
    begin: async (record, key) => {
      const place = write(beginLine(withoutTexts(stored(record)), key))
      live.set(record.id, { record, segment: place?.segment ?? segments?.numbers().at(-1) ?? 0 })
      if (key === undefined || place === null) return
      keys.written(key.key, place.segment)
      await segments!.flush().catch((error) => options.log({ reason: reasonOf(error) }, 'a key was not flushed'))
    },
    end: async (record, summary, shown = null) => {
      const small = summary && smallOf(record.id)
      const ended = summary ?? noOutput
      const kept = toKept(ended, whereOf(ended, small, segments !== null), shown)
      live.delete(record.id)
      writeEnd(toEndLine(withoutTexts(stored(record)), kept, toLineOutput(ended, small, shown)))
    },
    interrupted: opened.interrupted.map(({ record }) => record),
    isLive: (id) => live.has(id),
    close: () => segments?.close(),
  }
}
