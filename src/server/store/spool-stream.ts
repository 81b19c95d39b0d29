import { createHash, type Hash } from 'node:crypto'
import type { Note, Stream } from '../../shared/schema/index.ts'
import { BlockSums } from './block-sums.ts'

/** So much of each stream stays in memory for readers that keep up. */
const WINDOW_BYTES = 262_144
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const SMALL_BYTES = 4096
const SLAB_BYTES = 16_384
const PIECES_AS_THEY_COME = 16

/** What of a stream came and what of it is kept. `sha256` (hex) is of all that came, kept or not; null: not known. */
export interface StreamSummary {
  bytes: number
  keptBytes: number
  sha256: string | null
  /** checksums of what files hold of it, block by block */
  sums?: string | undefined
}

/** The same of both streams. */
export interface SpoolSummary extends Record<Stream, StreamSummary> {
  /** as in RunOutput */
  order: number[]
  /** where what is kept of it lies, or will: a small output goes into its history line */
  where: 'line' | 'file' | 'none'
  /** what was not kept, and why */
  notes: Note[]
  /** the whole output, when that is where it goes */
  small: Record<Stream, Buffer> | null
}

/** One stream of a running run: its newest bytes in memory, what is to be kept of it, what is on disk. */
export class SpoolStream {
  /** bytes that came */
  bytes = 0
  /** the first so many are to be kept */
  kept = 0
  /** the first so many are on disk */
  written = 0
  /** its readers have the first so many, and what is not kept waits for that; Infinity: for nobody */
  taken = Infinity
  /** what is in memory; many tiny chunks are copied together into slabs */
  readonly #pieces: { offset: number; bytes: Buffer }[] = []
  /** what the last piece lies in, while it can grow */
  #slab: { bytes: Buffer; used: number } | null = null
  #hash: Hash | null = null
  #sums: BlockSums | null = null

  /** Takes a chunk that is not empty. */
  add(chunk: Buffer): void {
    this.#hash ??= createHash('sha256')
    this.#hash.update(chunk)
    if (chunk.length < SMALL_BYTES && this.#pieces.length >= PIECES_AS_THEY_COME) this.#addSmall(chunk)
    else {
      this.#pieces.push({ offset: this.bytes, bytes: chunk })
      this.#slab = null
    }
    this.bytes += chunk.length
  }

  #addSmall(chunk: Buffer): void {
    if (this.#slab === null || this.#slab.used + chunk.length > SLAB_BYTES) {
      this.#slab = { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), used: 0 }
      this.#pieces.push({ offset: this.bytes, bytes: this.#slab.bytes })
    }
    chunk.copy(this.#slab.bytes, this.#slab.used)
    this.#slab.used += chunk.length
    this.#pieces.at(-1)!.bytes = this.#slab.bytes.subarray(0, this.#slab.used)
  }

  /** Bytes that are in memory alone, for a reader that has not got them. */
  held(): number {
    return Math.max(0, this.bytes - Math.max(this.kept, this.taken))
  }

  /** Offset of the oldest byte in memory; the end where none is. */
  start(): number {
    return this.#pieces[0]?.offset ?? this.bytes
  }

  /** At most `limit` bytes from `offset` on, which must lie in [start, end]. */
  read(offset: number, limit: number): Buffer {
    const found = this.pieces(offset, Math.min(this.bytes, offset + limit))
    return found.length === 1 ? found[0]! : Buffer.concat(found)
  }

  /** The bytes [from, to) as they lie in memory. */
  pieces(from: number, to: number): Buffer[] {
    const found: Buffer[] = []
    // who keeps up is near the end
    for (let at = this.#pieces.length - 1, end = to; end > from; at--) {
      const { offset, bytes } = this.#pieces[at]!
      if (offset >= end) continue
      found.unshift(bytes.subarray(Math.max(0, from - offset), end - offset))
      end = offset
    }
    return found
  }

  /** So many bytes more are on disk; gives back the checksums of the blocks that are whole now. A write that was given up is not counted when it comes through after all. */
  wrote(bytes: number): string {
    if (this.written + bytes > this.kept) return ''
    this.#sums ??= new BlockSums()
    const sums = this.pieces(this.written, this.written + bytes).map((piece) => this.#sums!.add(piece))
    this.written += bytes
    return sums.join('')
  }

  /** Forgets what readers that keep up do not need and what is on disk. */
  trim(): void {
    const { bytes, kept, written, taken } = this
    const needed = Math.min(bytes - WINDOW_BYTES, written < kept ? written : bytes, Math.max(kept, taken))
    const first = this.#pieces.findIndex((piece) => piece.offset + piece.bytes.length > needed)
    this.#pieces.splice(0, first < 0 ? this.#pieces.length : first)
    if (this.#pieces.length === 0) this.#slab = null
  }

  /** Ask once, at the end. */
  summary(): StreamSummary {
    const sha256 = this.#hash?.digest('hex') ?? SHA256_OF_NOTHING
    return { bytes: this.bytes, keptBytes: this.kept, sha256, sums: this.#sums?.text() }
  }
}
