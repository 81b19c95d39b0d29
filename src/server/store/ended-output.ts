import { type Collected, ShellphoneError, type CollectedOutput, type Stream } from '../../shared/schema/index.ts'
import { readChecked } from './block-sums.ts'
import { type EndLine, fromText } from './history-line.ts'
import { notKept, RunOutput } from './output.ts'
import { readRunFile } from './run-files.ts'
import type { Warnings } from './warnings.ts'

const none: Collected = { bytes: 0, lines: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) }
/** A UTF-8 character has at most 4 bytes. */
const BYTES_A_CHARACTER = 4

/** A run without output. */
export const nothingShown: CollectedOutput = { encoding: 'utf8', stdout: none, stderr: none, guards: [] }

/** The output of an ended run: in its history line, in files (EXPIRED once swept), or not stored. */
export class EndedOutput extends RunOutput {
  readonly id: string
  readonly order: number[]

  /** `folder`: the folder of output files; null: no output is stored in files */
  constructor(
    readonly line: EndLine,
    private readonly folder: string | null,
    private readonly warnings: Warnings,
  ) {
    super()
    this.id = line.e
    this.order = line.out?.order ?? []
  }

  size(stream: Stream): number {
    return this.line.kept[stream].bytes
  }

  keptBytes(stream: Stream): number {
    const { where, [stream]: kept } = this.line.kept
    return where === 'line' ? kept.bytes : where === 'file' && this.folder ? kept.keptBytes : 0
  }

  available(stream: Stream, offset: number): number {
    return offset < this.keptBytes(stream) ? offset : this.size(stream)
  }

  finished(): boolean {
    return true
  }

  protected async readAt(stream: Stream, offset: number, limit: number): Promise<Buffer> {
    const kept = this.keptBytes(stream)
    if (offset >= kept) throw notKept(stream, kept)
    const length = Math.min(limit, kept - offset)
    const { where } = this.line.kept
    if (where === 'file') return this.#readFile(stream, offset, length)
    return fromText(this.line.out?.[stream]?.head ?? '').subarray(offset, offset + length)
  }

  /** Reads blocks and verifies their checksums. Throws as fs does; EXPIRED if a checksum does not match. */
  async #readFile(stream: Stream, offset: number, length: number): Promise<Buffer> {
    const read = (from: number, bytes: number) => readRunFile(this.folder!, this.id, stream, from, bytes)
    const { kept, out } = this.line
    const sums = out?.sums?.[stream]
    // a crash interrupted the run before any checksum was written
    if (sums === undefined) return read(offset, length)
    const bytes = await readChecked(read, { sums, total: kept[stream].keptBytes }, offset, length)
    if (bytes !== null) return bytes
    this.warnings.count('DAMAGED_OUTPUTS', 1, this.id)
    const where = `${stream}, at byte ${offset}`
    throw new ShellphoneError('EXPIRED', `The stored output of run ${this.id} is damaged: ${where}`)
  }

  /** The output that the reply was made from; null if swept, damaged or truncated files would give a different reply. */
  async shown(): Promise<CollectedOutput | null> {
    try {
      const [stdout, stderr] = [await this.#ends('stdout'), await this.#ends('stderr')]
      const { kept, guards = [] } = this.line
      return { encoding: kept.encoding, stdout, stderr, guards }
    } catch {
      return null
    }
  }

  /** The head and tail of a stream, as much as a reply can show. */
  async #ends(stream: Stream): Promise<Collected> {
    const { where, [stream]: kept } = this.line.kept
    const { bytes, lines = 0 } = kept
    if (bytes === 0) return none
    if (where !== 'line' && kept.lines === undefined) throw new Error('the number of lines is unknown')
    const ends = this.line.out?.[stream]
    const most = this.line.record.max_length * BYTES_A_CHARACTER
    const read = (offset: number, length: number) => (length === 0 ? none.head : this.readAt(stream, offset, length))
    const head = ends?.head === undefined ? await read(0, Math.min(kept.keptBytes, most)) : fromText(ends.head)
    const left = Math.min(bytes - head.length, most)
    const tail = ends?.tail === undefined ? await read(bytes - left, left) : fromText(ends.tail)
    return { bytes, lines, head, tail: tail.subarray(Math.max(0, tail.length - (bytes - head.length))) }
  }
}
