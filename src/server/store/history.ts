import {
  type ExecRecord,
  note,
  type Note,
  ShellphoneError,
  type CollectedOutput,
  type RunSummary,
} from '../../shared/schema/index.ts'
import { AgeClock } from './ids.ts'
import { endCutOff } from './cut-off.ts'
import type { Entries } from './ended-entry.ts'
import { isFull, reasonOf } from './make-folder.ts'
import { type Disk, HistoryIndex, type HistoryParts, type LiveRun } from './history-index.ts'
import { beginLine, type EndLine, freeLine, keyLine, type RunKey, seal, sweptLine, toEndLine } from './history-line.ts'
import { OpenedHistory } from './history-open.ts'
import { Keys } from './keys.ts'
import { toStored, toStoredShown } from './redact.ts'
import { Retention } from './retention.ts'
import { removeSums } from './run-files.ts'
import type { LineAddress } from './segments.ts'
import { MEMORY_BYTES, Spool } from './spool.ts'
import type { SpoolSummary } from './spool-stream.ts'

const RETAIN_EVERY_MS = 3_600_000
/** Of old output, where the disk is full: records matter more. */
export const RECORDS_ROOM_BYTES = 1_048_576

const nothing = { bytes: 0, keptBytes: 0, sha256: null }
const noOutput: SpoolSummary = { stdout: nothing, stderr: nothing, order: [], where: 'line', notes: [], small: null }

/** Every run, denied ones too. What is stored of a command, its notes and reasons is redacted (a setting). */
export class History {
  readonly keys: Keys
  readonly index: HistoryIndex
  /** of the runs that have not ended */
  readonly spools = new Map<string, Spool>()
  /** Runs that a crash cut off, found at the opening and marked as failed since. */
  readonly interrupted: RunSummary[]
  readonly #parts: HistoryParts
  readonly #entries: Entries
  readonly #retention: Retention
  readonly #clock: AgeClock
  /** when, and at which segment's beginning, what is old was forgotten last */
  #retained: { ms: number; segment: number }

  /** Reads all that a former life left, before it returns. */
  constructor(parts: HistoryParts) {
    const { disk, warnings, now, elapsedMs, log } = parts
    this.#parts = parts
    this.#clock = new AgeClock(now, elapsedMs, log)
    const opened = new OpenedHistory(this.#clock)
    if (disk) opened.read(disk.segments, disk.quota.ids(), warnings)
    const onFree = (runId: string) => disk?.segments.appendKey(freeLine(runId))
    this.keys = new Keys(opened.keys.values(), this.#clock, onFree)
    this.#entries = opened.entries
    this.#retention = new Retention(opened.entries, this.#clock, parts)
    this.index = new HistoryIndex(opened.entries, parts)
    this.#retained = { ms: elapsedMs(), segment: disk?.segments.numbers.at(-1) ?? 1 }
    this.interrupted = disk ? this.#endCutOff(opened, disk) : []
    setImmediate(() => this.#retain())
  }

  #endCutOff({ begun }: OpenedHistory, { segments, quota }: Disk): RunSummary[] {
    const { now, warnings } = this.#parts
    const lines = [...begun.values()].map((place) => segments.readAt(place, place.length))
    const ends = lines.flatMap((line) => endCutOff(line, quota.folder, now(), warnings) ?? [])
    for (const end of ends) if (this.#writeEnd(end)) removeSums(quota.folder, end.e)
    segments.open()
    return ends.map(({ record }) => record)
  }

  /**
   * Resolves when its line is written: behind what is ready in this turn of the event loop, the request for the shell among it; not at
   * all where the run has ended by then. With a key it is written at once, and resolves when the line is on the disk itself, so that a
   * crash cannot run the command twice; EXECUTION_ERROR where the disk will not, and then it has not begun. The record stays the
   * caller's: `get` and `list` show its changes until `end`.
   */
  async begin(record: ExecRecord, key?: RunKey): Promise<void> {
    const run: LiveRun = { record, key, segment: 0 }
    this.index.live.set(record.id, run)
    if (key && this.#parts.enabled) return this.#beginKeyed(run, key)
    await new Promise<void>(process.nextTick)
    if (this.index.live.get(record.id) === run) this.#writeBegin(run)
  }

  /** Without its key a run must not start: a crash could run the command twice. */
  async #beginKeyed(run: LiveRun, key: RunKey): Promise<void> {
    const { disk, warnings } = this.#parts
    const { id } = run.record
    try {
      if (disk === null) throw new Error('history is kept in memory alone')
      run.segment = (await this.#writeNow(beginLine(toStored(run.record, this.#parts.redact), key), disk)).segment
      disk.segments.appendKey(keyLine(id, key))
      await disk.segments.flush()
    } catch (error) {
      this.index.live.delete(id)
      this.spools.delete(id)
      warnings.set('KEY_REFUSED', error)
      const message = `Idempotency-Key: it cannot be kept, so that the command was not run: ${reasonOf(error)}`
      throw new ShellphoneError('EXECUTION_ERROR', message)
    }
    this.keys.written(key.key, run.segment)
    warnings.clear('KEY_REFUSED')
  }

  /** A line that must not wait: old output makes room for it. */
  async #writeNow(line: string, { segments, quota }: Disk): Promise<LineAddress> {
    try {
      return segments.appendNow(line)
    } catch (error) {
      if (!isFull(error)) throw error
      await quota.free(RECORDS_ROOM_BYTES)
      return segments.appendNow(line)
    }
  }

  #writeBegin(run: LiveRun): void {
    run.segment = 0
    const line = beginLine(toStored(run.record, this.#parts.redact), run.key)
    this.#write(line, true, ({ segment }) => (run.segment = segment))
  }

  /** Writes the begin lines of a segment again: it is about to be forgotten. */
  #carryFrom(segment: number): void {
    for (const run of this.index.live.values()) if (run.segment === segment) this.#writeBegin(run)
  }

  /** The spool of a run, made at the first call; `end` lets go of it. */
  spool(id: string, waitsForReader = false): Spool {
    const { disk, maxRunSpoolBytes, stallMs } = this.#parts
    const rules = { quota: disk?.quota ?? null, maxBytes: Math.max(maxRunSpoolBytes, MEMORY_BYTES), stallMs }
    const spool = this.spools.get(id) ?? new Spool(id, rules, waitsForReader)
    this.spools.set(id, spool)
    return spool
  }

  /**
   * Resolves when it is written (before the answer); also without `begin`. The texts are not kept: `get` gives back what they can be
   * made of. `summary` null: there was no output, as for a denied run. `shown`: what the reply was made of. Gives back notes for the
   * answer: what the disk did not take.
   */
  async end(record: ExecRecord, summary: SpoolSummary | null, shown: CollectedOutput | null = null): Promise<Note[]> {
    const { disk } = this.#parts
    const { id } = record
    const spool = this.spools.get(id)
    // a run that was denied or cancelled in the queue has no output, and whoever waits for it must hear of the end
    const { small } = (await spool?.finish()) ?? {}
    this.index.live.delete(id)
    const { redact } = this.#parts
    const kept = shown && toStoredShown(shown, redact)
    const isWritten = this.#writeEnd(toEndLine(toStored(record, redact), summary ?? noOutput, kept))
    this.spools.delete(id)
    // a small output lies in its history line now, and the checksums of a large one
    if (small && spool?.files) disk?.quota.forget(id).catch(() => {}) // a later sweep takes what the disk would not remove
    else if (spool?.files && isWritten) removeSums(spool.files.folder, id)
    return !isWritten && disk ? [note('RECORD_IN_MEMORY')] : []
  }

  /** Is it on the disk? Else it is in memory until it is. */
  #writeEnd(end: EndLine): boolean {
    const line = seal(end)
    const { status, files = false } = end
    const length = Buffer.byteLength(line) - 1
    this.#entries.set(end.e, { status, segment: 0, offset: 0, length, files, ageMs: this.#clock.nowMs(), line })
    let [isWritten, isHeld] = [false, false]
    this.#write(line, false, (place) => {
      isWritten = true
      const entry = this.#entries.get(end.e)
      if (entry === undefined) return // forgotten while it waited
      this.#entries.set(end.e, { ...entry, ...place, line: undefined })
      if (isHeld) this.#retention.release(line)
    })
    isHeld = !isWritten
    if (isHeld) this.#retention.hold(line)
    if (this.#entries.size > this.#parts.historyMaxCount) this.#retention.retain()
    return isWritten
  }

  /** `onWritten` as for `Segments.append`. What is old is forgotten where a segment begins, and every hour. */
  #write(line: string, isBegin: boolean, onWritten: (place: LineAddress) => void): void {
    this.#parts.disk?.segments.append(line, isBegin, (place) => {
      onWritten(place)
      const { ms, segment } = this.#retained
      const nowMs = this.#parts.elapsedMs()
      if (place.segment === segment && nowMs - ms < RETAIN_EVERY_MS) return
      this.#retained = { ms: nowMs, segment: place.segment }
      setImmediate(() => this.#retain())
    })
  }

  #retain(): void {
    const { disk, warnings } = this.#parts
    try {
      this.#retention.retain()
      if (disk === null) return
      this.#retention.retainSegments(disk.segments, (segment) => this.#carryFrom(segment))
      disk.segments.forgetKeys(this.keys.segments())
    } catch (error) {
      warnings.set('NOT_FORGOTTEN', error)
    }
  }

  /** The files of an ended run were removed to make room. */
  swept(id: string): void {
    if (this.index.hasFiles(id)) this.#write(sweptLine(id), false, () => undefined)
  }

  close(): void {
    this.#parts.disk?.segments.close()
  }
}
