import type { ExecRecord, Shown } from '../schema/index.ts'
import { createAgeClock } from './age-clock.ts'
import { createHistoryIndex } from './history-index.ts'
import {
  type EndLine,
  endLine,
  freeLine,
  type Kept,
  type LineOutput,
  type RunKey,
  type RunRecord,
  sweptLine,
  toLineOutput,
  toLineRecord,
} from './history-line.ts'
import { type Entry, type OpenHistoryOptions, openHistory } from './history-open.ts'
import { createHistoryReader, DAMAGED_LINES, type HistoryReader } from './history-read.ts'
import { createHistoryWriter } from './history-writer.ts'
import { createKeys, type OpenKeys } from './keys.ts'
import { createLiveRuns } from './live-runs.ts'
import type { Log } from './log.ts'
import type { Lost } from './losses.ts'
import type { SmallOutput, SpoolSummary } from './output.ts'
import { redacted } from './redact.ts'
import type { Place, Segments } from './segments.ts'
import type { Warnings } from './warnings.ts'

const NOT_KEPT = 'the disk did not take this record: it is kept in memory until it does'

/** Every run, denied ones too. What is stored of a command, its notes and reasons is redacted (a setting). */
export interface History {
  /**
   * Written at once, before the spawn. With a key it resolves when the line is on the disk itself, so that a crash cannot run the
   * command twice; EXECUTION_ERROR where the disk will not, and then it has not begun. The record stays the caller's: `get` and `list` show its changes until `end`.
   */
  begin(record: ExecRecord, key?: RunKey): Promise<void>
  /**
   * Resolves when it is written (before the answer); also without `begin`. The texts are not kept: `get` gives back what they can be
   * made of. `summary` null: there was no output, as for a denied run. `shown`: what the reply was made of. Gives back notes for the
   * answer: plain words on what the disk did not take.
   */
  end(record: ExecRecord, summary: SpoolSummary | null, shown?: Shown | null): Promise<string[]>
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
  /** The files of an ended run were removed to make room. */
  swept(id: string): void
  isLive(id: string): boolean
  close(): void
}

export interface HistoryOptions extends Omit<OpenHistoryOptions, 'clock'> {
  /** null: in memory alone */
  segments: Segments | null
  /** runs/, where files are; null: there are none */
  folder: string | null
  maxCount: number
  maxAgeMs: number
  redact(text: string): string
  log: Log
  warnings: Warnings
  /** monotonic milliseconds */
  elapsedMs(): number
  /** a key must be on the disk before its run starts */
  keysMustLast: boolean
  /** removes old output where the disk is full */
  makeRoom(): Promise<unknown>
  /** the runs that have files */
  withFiles(): Set<string>
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
  stdout: { ...stdout, sums: undefined, lines: shown?.stdout.lines },
  stderr: { ...stderr, sums: undefined, lines: shown?.stderr.lines },
})

const toEndLine = (record: RunRecord, kept: Kept, out?: LineOutput): EndLine => ({
  e: record.id,
  status: record.status,
  files: kept.where === 'file' || undefined,
  record,
  kept,
  out,
})

/** What the opening found to be lost, for /health and the log. */
const tellLosses = ({ damaged, missing, segments }: Lost, warnings: Warnings): void => {
  warnings.count(DAMAGED_LINES, damaged)
  warnings.count('lines of history are missing', missing)
  warnings.count('segments of history are missing', segments)
}

/** Where runs have files, and no longer do though nobody swept them. */
const tellLostFiles = (entries: Map<string, Entry>, present: Set<string>, warnings: Warnings): void => {
  for (const [id, { files }] of entries) if (files && !present.has(id)) warnings.count('outputs are missing', 1, id)
}

/** Where all keys of a forgotten segment are old, their file goes too. */
const forgetOldKeys = (segments: Segments, used: Set<number>): void => {
  const newest = segments.numbers().at(-1)
  for (const segment of segments.keyNumbers()) {
    if (segment !== newest && !used.has(segment)) segments.forgetKeys(segment)
  }
}

/** Reads all that a former life left, before it returns. */
export const createHistory = (options: HistoryOptions): OpenHistory => {
  const { segments, folder, now, elapsedMs, smallOf, warnings, log } = options
  const clock = createAgeClock(now, elapsedMs, log)
  const opened = openHistory(segments, { ...options, clock })
  const stored = <T extends RunRecord>(record: T): T => redacted(record, options.redact)
  const keys = createKeys(opened.keys, clock.now, (runId) => segments?.appendKey(freeLine(runId)))
  const live = createLiveRuns(() => writer, { ...options, keys, stored })
  const index = createHistoryIndex(opened.entries, { ...options, ageNow: clock.now, onForgetSegment: live.carryFrom })
  const writer = createHistoryWriter({ ...options, retain })

  function retain(): void {
    try {
      index.retain()
      if (segments) forgetOldKeys(segments, keys.segments())
    } catch (error) {
      warnings.set('old history is not forgotten', error)
    }
  }

  const writeEnd = (end: EndLine): Place | null => {
    const line = endLine(end)
    const place = writer.write(line)
    const { status, files = false } = end
    const entry = { status, files, length: Buffer.byteLength(line) - 1, ageMs: clock.now() }
    index.add(end.e, place ? { ...entry, ...place } : { ...entry, segment: 0, offset: 0, line })
    return place
  }

  tellLosses(opened.lost, warnings)
  tellLostFiles(opened.entries, options.withFiles(), warnings)
  for (const { record, kept } of opened.interrupted) writeEnd(toEndLine(toLineRecord(record), kept))
  setImmediate(retain)

  return {
    ...createHistoryReader({ live, index, segments, folder, stored, warnings }),
    keys,
    begin: live.begin,
    end: async (record, summary, shown = null) => {
      const small = summary && smallOf(record.id)
      const ended = summary ?? noOutput
      const where = whereOf(ended, small, segments !== null)
      live.end(record.id)
      const out = toLineOutput(ended, small, shown)
      const place = writeEnd(toEndLine(toLineRecord(stored(record)), toKept(ended, where, shown), out))
      return place === null && segments ? [NOT_KEPT] : []
    },
    swept: (id) => {
      if (index.get(id)?.files) writer.write(sweptLine(id))
    },
    interrupted: opened.interrupted.map(({ record }) => record),
    isLive: live.has,
    close: () => segments?.close(),
  }
}
