import {
  type ExecRecord,
  note,
  type Note,
  ShellphoneError,
  type CollectedOutput,
  type RunSummary,
  toIso,
} from '../../shared/schema/index.ts'
import { AgeClock } from './ids.ts'
import { endCutOff } from './cut-off.ts'
import type { Entries } from './ended-entry.ts'
import { isFull, reasonOf } from './make-folder.ts'
import { HistoryEvents, toApprovalEvent, toEndEvent } from './history-events.ts'
import { type Disk, HistoryIndex, type HistoryParts, type LiveRun } from './history-index.ts'
import {
  approvalLine,
  beginLine,
  type EndLine,
  freeLine,
  keyLine,
  type RunKey,
  seal,
  sweptLine,
  toEndLine,
} from './history-line.ts'
import { OpenedHistory } from './history-open.ts'
import { Keys } from './keys.ts'
import { toStored, toStoredShown } from './redact.ts'
import { Retention } from './retention.ts'
import { removeSums } from './run-files.ts'
import type { LineAddress } from './segments.ts'
import { MEMORY_BYTES, Spool } from './spool.ts'
import type { SpoolSummary } from './spool-stream.ts'

const RETAIN_EVERY_MS = 3_600_000
/** Bytes of old output to delete on a full disk to make space for records. */
export const RECORD_RESERVE_BYTES = 1_048_576

const nothing = { bytes: 0, keptBytes: 0, sha256: null }
const noOutput: SpoolSummary = { stdout: nothing, stderr: nothing, order: [], where: 'line', notes: [], small: null }

/** The history of all runs, including denied ones. If configured, it redacts stored commands, notes and reasons. */
export class History {
  readonly keys: Keys
  readonly index: HistoryIndex
  readonly events: HistoryEvents
  /** the spools of runs that have not ended */
  readonly spools = new Map<string, Spool>()
  /** Runs that a crash interrupted, which the store finds when it opens and marks as failed. */
  readonly interrupted: RunSummary[]
  readonly #parts: HistoryParts
  readonly #entries: Entries
  readonly #retention: Retention
  readonly #clock: AgeClock
  /** the time and the segment at which old runs were last forgotten */
  #retained: { ms: number; segment: number }

  /** Reads the whole stored history before it returns. */
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
    this.events = new HistoryEvents(parts)
    this.#retained = { ms: elapsedMs(), segment: disk?.segments.numbers.at(-1) ?? 1 }
    this.interrupted = disk ? this.#endCutOff(opened, disk) : []
    setImmediate(() => this.#retain())
  }

  #endCutOff({ begun }: OpenedHistory, { segments, quota }: Disk): RunSummary[] {
    const { now, warnings } = this.#parts
    const lines = [...begun.values()].map((address) => segments.readAt(address, address.length))
    const ends = lines.flatMap((line) => endCutOff(line, quota.folder, now(), warnings) ?? [])
    for (const end of ends) if (this.#writeEnd(end)) removeSums(quota.folder, end.e)
    segments.open()
    return ends.map(({ record }) => record)
  }

  /**
   * Writes the begin line after the work of this turn of the event loop (such as the shell's start), unless the run has ended by then.
   * With a key, writes the line immediately and flushes it to disk, so that a crash cannot run the command twice. Throws EXECUTION_ERROR if
   * the disk refuses a line with a key; the run has then not begun. The caller still owns the record: `get` and `list` show its changes
   * until `end`.
   */
  async begin(record: ExecRecord, key?: RunKey): Promise<void> {
    const run: LiveRun = { record, key, segment: 0 }
    this.index.live.set(record.id, run)
    if (key && this.#parts.enabled) return this.#beginKeyed(run, key)
    await new Promise<void>(process.nextTick)
    if (this.index.live.get(record.id) === run) this.#writeBegin(run)
  }

  /** A run must not start before its key is stored: a crash could run the command twice. */
  async #beginKeyed(run: LiveRun, key: RunKey): Promise<void> {
    const { disk, warnings } = this.#parts
    const { id } = run.record
    try {
      if (disk === null) throw new Error('history is only in memory')
      run.segment = (await this.#writeNow(beginLine(toStored(run.record, this.#parts.redact), key), disk)).segment
      disk.segments.appendKey(keyLine(id, key))
      await disk.segments.flush()
    } catch (error) {
      this.index.live.delete(id)
      this.spools.delete(id)
      warnings.set('KEY_REFUSED', error)
      const message = `Idempotency-Key: the key cannot be stored, so the command was not run: ${reasonOf(error)}`
      throw new ShellphoneError('EXECUTION_ERROR', message)
    }
    this.keys.written(key.key, run.segment)
    warnings.clear('KEY_REFUSED')
  }

  /** Writes a line that must not wait in the queue; deletes old output if the disk is full. */
  async #writeNow(line: string, { segments, quota }: Disk): Promise<LineAddress> {
    try {
      return segments.appendNow(line)
    } catch (error) {
      if (!isFull(error)) throw error
      await quota.free(RECORD_RESERVE_BYTES)
      return segments.appendNow(line)
    }
  }

  #writeBegin(run: LiveRun): void {
    run.segment = 0
    const line = beginLine(toStored(run.record, this.#parts.redact), run.key)
    this.#write(line, true, ({ segment }) => (run.segment = segment))
  }

  /** Writes the begin lines of a segment again before it is forgotten. */
  #rewriteBegins(segment: number): void {
    for (const run of this.index.live.values()) if (run.segment === segment) this.#writeBegin(run)
  }

  /**
   * The spool of a run, created at the first call and released by `end`. `isLossless`: the limit for all runs applies to it, not the limit
   * for one run.
   */
  spool(id: string, { waitsForReader = false, isLossless = false } = {}): Spool {
    const { disk, maxRunSpoolBytes, maxSpoolBytes, stallMs } = this.#parts
    const limit = isLossless ? Math.max(maxRunSpoolBytes, maxSpoolBytes) : maxRunSpoolBytes
    const rules = { quota: disk?.quota ?? null, maxBytes: Math.max(limit, MEMORY_BYTES), stallMs }
    const spool = this.spools.get(id) ?? new Spool(id, rules, waitsForReader)
    this.spools.set(id, spool)
    return spool
  }

  /**
   * Resolves when the end line is written, before the reply is sent; works without `begin` too. The texts of the reply are not stored: `get`
   * returns the data to rebuild them. `summary` null: no output, as for a denied run. `shown`: the output that the reply was made from.
   * Returns notes for the reply about data that could not be written.
   */
  async end(record: ExecRecord, summary: SpoolSummary | null, shown: CollectedOutput | null = null): Promise<Note[]> {
    const { disk } = this.#parts
    const { id } = record
    const spool = this.spools.get(id)
    // a run that was denied or cancelled in the queue has no output, but its readers must see the end
    const { small } = (await spool?.finish()) ?? {}
    this.index.live.delete(id)
    const { redact } = this.#parts
    const storedShown = shown && toStoredShown(shown, redact)
    const isWritten = this.#writeEnd(toEndLine(toStored(record, redact), summary ?? noOutput, storedShown))
    this.events.emit(toEndEvent(record, this.index.addressOf(id)))
    this.spools.delete(id)
    // a small output and the checksums of a large one are now in the history line
    if (small && spool?.files) disk?.quota.forget(id).catch(() => {}) // a later sweep removes what is left
    else if (spool?.files && isWritten) removeSums(spool.files.folder, id)
    return !isWritten && disk ? [note('RECORD_IN_MEMORY')] : []
  }

  /** Writes that a run waits for approval, or (`answered`) that its approval request has ended. */
  approvalStep({ id: a, token, token_id, session }: ExecRecord, answered: boolean): void {
    const step = { a, answered, token, token_id, session: session?.name, at: toIso(this.#parts.now()) }
    let written: LineAddress | null = null
    this.#write(approvalLine(step), false, (address) => (written = address))
    this.events.emit(toApprovalEvent(step, written))
  }

  /** Returns whether the line is on disk; otherwise it stays in memory until it can be written. */
  #writeEnd(end: EndLine): boolean {
    const line = seal(end)
    const { status, files = false } = end
    const length = Buffer.byteLength(line) - 1
    this.#entries.set(end.e, { status, segment: 0, offset: 0, length, files, ageMs: this.#clock.nowMs(), line })
    let [isWritten, isHeld] = [false, false]
    this.#write(line, false, (address) => {
      isWritten = true
      const entry = this.#entries.get(end.e)
      if (entry === undefined) return // the run was forgotten while its line waited
      this.#entries.set(end.e, { ...entry, ...address, line: undefined })
      if (isHeld) this.#retention.release(line)
    })
    isHeld = !isWritten
    if (isHeld) this.#retention.hold(line)
    if (this.#entries.size > this.#parts.historyMaxCount) this.#retention.retain()
    return isWritten
  }

  /** Writes a line; `onWritten` as for `Segments.append`. Forgets old runs when a segment starts and every hour. */
  #write(line: string, isBegin: boolean, onWritten: (address: LineAddress) => void): void {
    this.#parts.disk?.segments.append(line, isBegin, (address) => {
      onWritten(address)
      const { ms, segment } = this.#retained
      const nowMs = this.#parts.elapsedMs()
      if (address.segment === segment && nowMs - ms < RETAIN_EVERY_MS) return
      this.#retained = { ms: nowMs, segment: address.segment }
      setImmediate(() => this.#retain())
    })
  }

  #retain(): void {
    const { disk, warnings } = this.#parts
    try {
      this.#retention.retain()
      if (disk === null) return
      this.#retention.retainSegments(disk.segments, (segment) => this.#rewriteBegins(segment))
      disk.segments.forgetKeys(this.keys.segments())
    } catch (error) {
      warnings.set('NOT_FORGOTTEN', error)
    }
  }

  /** Records that the files of an ended run were removed to free space. */
  swept(id: string): void {
    if (this.index.hasFiles(id)) this.#write(sweptLine(id), false, () => undefined)
  }

  close(): void {
    this.#parts.disk?.segments.close()
  }
}
