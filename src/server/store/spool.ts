import { note, type Note, type Stream } from '../../shared/schema/index.ts'
import { within } from '../../shared/async/index.ts'
import { reasonOf } from './make-folder.ts'
import { MAX_SWITCHES, notKept, RunOutput, streams } from './output.ts'
import type { Quota } from './quota.ts'
import { type OutputReader, type ReaderKind, Readers } from './readers.ts'
import { RunFiles } from './run-files.ts'
import { SpoolStream, type SpoolSummary } from './spool-stream.ts'

/** Output up to this size stays in memory. */
export const MEMORY_BYTES = 65_536
/** Output that is older than this is written to a file, so that a crash of the service does not lose it. */
const MEMORY_MS = 1000
/** Bytes waiting for the disk or a reader: the command is paused above the first limit and resumed below the second; above the third, no more output is stored. */
const BLOCKED_ABOVE_BYTES = 1_048_576
const FREE_BELOW_BYTES = 262_144
const GIVE_UP_ABOVE_BYTES = 8_388_608
/** Maximum size of one write. */
export const MAX_WRITE_BYTES = 262_144

interface SpoolRules {
  quota: Quota | null // null: nothing is written to disk
  /** maximum stored bytes of both streams together */
  maxBytes: number
  /** a write that takes longer is abandoned */
  stallMs: number
}

/** The output of one live run: in memory at first, in files when it is large or old, not stored if the disk refuses. */
export class Spool extends RunOutput {
  readonly order: number[] = []
  /** null: no files */
  files: RunFiles | null = null
  readonly #streams = { stdout: new SpoolStream(), stderr: new SpoolStream() }
  #hasSpilled = false
  #isKeeping = true
  #notes: Note[] = []
  #ageTimer: NodeJS.Timeout | undefined
  #writing: Promise<void> | null = null
  #ending: Promise<SpoolSummary> | null = null
  #isDone = false
  #followers = 0
  readonly #readers = new Readers(() => this.#release())
  #leftAt = performance.now()

  /** `waitsForReader`: output beyond the stored part waits in memory for the run's readers, and the command waits too; otherwise it is dropped */
  constructor(
    readonly id: string,
    private readonly rules: SpoolRules,
    waitsForReader: boolean,
  ) {
    super()
    if (waitsForReader) for (const stream of Object.values(this.#streams)) stream.taken = 0
  }

  /**
   * Adds a chunk and takes ownership of it; never throws. Returns a promise if the disk or a reader is behind: the caller must not read the
   * pipes until it resolves.
   */
  append(stream: Stream, chunk: Buffer): Promise<void> | undefined {
    if (this.#ending !== null || chunk.length === 0) return undefined
    const { maxBytes } = this.rules
    const spooled = this.#streams[stream]
    spooled.add(chunk)
    this.#addToOrder(stream, chunk.length)
    const fits = this.#isKeeping ? Math.min(chunk.length, maxBytes - this.#total('kept')) : 0
    spooled.kept += fits
    if (this.#isKeeping && fits < chunk.length)
      this.#stopKeeping(`the limit of ${maxBytes} bytes per run (max_run_spool_bytes) is reached`)
    if (this.#hasSpilled) this.#write()
    else if (this.#total('bytes') > MEMORY_BYTES) this.#spill()
    else this.#ageTimer ??= setTimeout(() => this.#spill(), MEMORY_MS).unref()
    this.wake()
    const isMuch = this.#total('bytes') > BLOCKED_ABOVE_BYTES // no more can be waiting than has arrived
    return isMuch && this.#waiting() > BLOCKED_ABOVE_BYTES ? this.#untilDrained() : undefined
  }

  async #untilDrained(): Promise<void> {
    while (this.#waiting() > FREE_BELOW_BYTES) await this.changed()
  }

  /** bytes that wait for the disk or for a reader, whichever is further behind */
  #waiting(): number {
    return Math.max(this.#pending(), this.heldBytes())
  }

  /** Bytes that are only in memory, for a reader that has not received them. */
  heldBytes(): number {
    return this.#streams.stdout.held() + this.#streams.stderr.held()
  }

  override reader(kind: ReaderKind): OutputReader {
    return this.#readers.join(kind)
  }

  /** Released output does not return: a reader that joins later starts where the others are. */
  #release(): void {
    for (const name of streams)
      this.#streams[name].taken = Math.max(this.#streams[name].taken, this.#readers.taken(name))
    this.#trim()
    this.wake()
  }

  override count(change: 1 | 0 | -1): void {
    this.#followers += change
    this.#leftAt = performance.now()
  }

  /** Milliseconds since the last follower or read. */
  idleMs(): number {
    return this.#followers > 0 ? 0 : performance.now() - this.#leftAt
  }

  /** Marks the output as complete. Resolves when everything to be stored is written; may be called twice. */
  finish(): Promise<SpoolSummary> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  size(stream: Stream): number {
    return this.#streams[stream].bytes
  }

  keptBytes(stream: Stream): number {
    return this.#streams[stream].kept
  }

  available(stream: Stream, offset: number): number {
    const spooled = this.#streams[stream]
    return offset < spooled.kept ? offset : Math.max(offset, spooled.start())
  }

  finished(): boolean {
    return this.#isDone
  }

  protected async readAt(stream: Stream, offset: number, limit: number): Promise<Buffer> {
    const spooled = this.#streams[stream]
    const { kept, written } = spooled
    if (offset >= spooled.start()) return spooled.read(offset, limit)
    if (offset >= kept || this.files === null) throw notKept(stream, kept)
    return this.files.read(stream, offset, Math.min(limit, written - offset))
  }

  #addToOrder(stream: Stream, length: number): void {
    const { order } = this
    if (order.length === 0) order.push(0)
    if (streams[(order.length - 1) % 2] === stream) order[order.length - 1]! += length
    else if (order.length < MAX_SWITCHES) order.push(length)
  }

  #total(field: 'bytes' | 'kept' | 'written'): number {
    return this.#streams.stdout[field] + this.#streams.stderr[field]
  }

  /** bytes to be stored that are not on disk yet */
  #pending(): number {
    return this.#total('kept') - this.#total('written')
  }

  #stopKeeping(reason: string): void {
    if (!this.#isKeeping) return
    this.#isKeeping = false
    const { stdout, stderr } = this.#streams
    this.#notes.push(note('OUTPUT_NOT_KEPT', stdout.kept, stderr.kept, reason))
  }

  /** Stores no more than what is on disk. */
  #giveUp(reason: string): void {
    for (const stream of Object.values(this.#streams)) stream.kept = Math.min(stream.kept, stream.written)
    this.#stopKeeping(reason)
    this.wake()
  }

  /** Moves the output from memory to files. */
  #spill(): void {
    const { quota } = this.rules
    clearTimeout(this.#ageTimer)
    this.#hasSpilled = true
    if (quota) this.files = new RunFiles(quota.folder, this.id)
    else this.#giveUp('nothing is stored on disk')
    this.#write()
  }

  #write(): void {
    if (this.#pending() > GIVE_UP_ABOVE_BYTES) this.#giveUp('the disk is too slow')
    if (this.#pending() > 0) this.#writing ??= this.#writeAll(this.rules.quota!, this.files!)
    this.#trim()
  }

  #trim(): void {
    for (const stream of Object.values(this.#streams)) stream.trim()
  }

  /** Writes one piece at a time until nothing is pending, including output that arrives in the meantime. */
  async #writeAll(quota: Quota, files: RunFiles): Promise<void> {
    while (this.#pending() > 0) {
      const { stallMs } = this.rules
      // an abandoned write may still fail later, when nothing awaits it
      const write = this.#writeOne(quota, files).catch(reasonOf)
      const stalled = `a write took longer than ${stallMs / 1000} seconds`
      const failure = (await within(write, stallMs)) ? await write : stalled
      if (failure !== null) this.#giveUp(failure)
      this.#trim()
      if (this.#pending() <= FREE_BELOW_BYTES) this.wake()
    }
    this.#writing = null
  }

  /** Writes one piece. Resolves to null, or to the reason why no more can be written. */
  async #writeOne(quota: Quota, files: RunFiles): Promise<string | null> {
    const waiting = ({ kept, written }: SpoolStream) => kept - written
    const { stdout, stderr } = this.#streams
    const name = waiting(stdout) >= waiting(stderr) ? 'stdout' : 'stderr'
    const stream = this.#streams[name]
    const from = stream.written
    const wanted = Math.min(waiting(stream), MAX_WRITE_BYTES)
    const refused = await quota.admit(this.id, wanted)
    if (refused !== null) return refused
    let bytes = 0
    try {
      bytes = await files.write(name, stream.pieces(from, from + wanted), from)
    } finally {
      quota.giveBack(this.id, wanted - bytes)
    }
    const sums = stream.wrote(bytes)
    if (sums !== '') await files.writeSums(name, sums)
    return bytes === 0 ? 'the disk accepted no bytes' : null
  }

  async #end(): Promise<SpoolSummary> {
    clearTimeout(this.#ageTimer)
    await this.#writing
    this.rules.quota?.ended(this.id)
    void this.files?.close()
    const { stdout, stderr } = this.#streams
    let small: SpoolSummary['small'] = null
    // the output is complete in memory, whether or not the disk accepted it: the history line will store it
    if (this.#total('bytes') <= MEMORY_BYTES) {
      this.#notes = []
      for (const stream of [stdout, stderr]) stream.kept = stream.bytes
      small = { stdout: stdout.read(0, stdout.bytes), stderr: stderr.read(0, stderr.bytes) }
    }
    this.#isDone = true
    this.wake()
    const where = small ? 'line' : this.#total('kept') > 0 ? 'file' : 'none'
    const summaries = { stdout: stdout.summary(), stderr: stderr.summary() }
    return { ...summaries, order: this.order, where, notes: this.#notes, small }
  }
}
