import { createHash, type Hash } from 'node:crypto'
import type { Note, Stream } from '../../shared/schema/index.ts'
import { BlockSums } from './block-sums.ts'

/** Bytes of each stream that stay in memory for readers that keep up. */
const WINDOW_BYTES = 262_144
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const SMALL_BYTES = 4096
const SLAB_BYTES = 16_384
const MAX_UNCOPIED_PIECES = 16

/** How many bytes of a stream arrived and how many are stored. `sha256` (hex) covers everything that arrived; null: unknown. */
export interface StreamSummary {
  bytes: number
  keptBytes: number
  sha256: string | null
  /** checksums of the blocks in files */
  sums?: string | undefined
}

/** The summary of both streams. */
export interface SpoolSummary extends Record<Stream, StreamSummary> {
  /** as in RunOutput */
  order: number[]
  /** where the stored output is or will be: a small output goes into its history line */
  where: 'line' | 'file' | 'none'
  /** what was not stored, and why */
  notes: Note[]
  /** the whole output if it goes into the history line */
  small: Record<Stream, Buffer> | null
}

/** One stream of a live run: its newest bytes in memory, how much of it is to be stored, and how much is on disk. */
export class SpoolStream {
  /** number of bytes that arrived */
  bytes = 0
  /** number of bytes at the start that are to be stored */
  kept = 0
  /** number of bytes at the start that are on disk */
  written = 0
  /** number of bytes at the start that all readers have received; output beyond the stored part waits for them. Infinity: it does not wait */
  taken = Infinity
  /** the chunks in memory; many small ones are copied into shared slabs */
  readonly #pieces: { offset: number; bytes: Buffer }[] = []
  /** the slab of the last piece, while it can grow */
  #slab: { bytes: Buffer; used: number } | null = null
  #hash: Hash | null = null
  #sums: BlockSums | null = null

  /** Adds a chunk, which must not be empty. */
  add(chunk: Buffer): void {
    this.#hash ??= createHash('sha256')
    this.#hash.update(chunk)
    if (chunk.length < SMALL_BYTES && this.#pieces.length >= MAX_UNCOPIED_PIECES) this.#addSmall(chunk)
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

  /** Bytes that are only in memory, for a reader that has not received them. */
  held(): number {
    return Math.max(0, this.bytes - Math.max(this.kept, this.taken))
  }

  /** Offset of the oldest byte in memory; the end if none is in memory. */
  start(): number {
    return this.#pieces[0]?.offset ?? this.bytes
  }

  /** At most `limit` bytes from `offset` on, which must lie in [start, end]. */
  read(offset: number, limit: number): Buffer {
    const found = this.pieces(offset, Math.min(this.bytes, offset + limit))
    return found.length === 1 ? found[0]! : Buffer.concat(found)
  }

  /** The chunks in memory with the bytes [from, to). */
  pieces(from: number, to: number): Buffer[] {
    const found: Buffer[] = []
    // search from the end: readers that keep up are near it
    for (let at = this.#pieces.length - 1, end = to; end > from; at--) {
      const { offset, bytes } = this.#pieces[at]!
      if (offset >= end) continue
      found.unshift(bytes.subarray(Math.max(0, from - offset), end - offset))
      end = offset
    }
    return found
  }

  /** Counts bytes that are now on disk; returns the checksums of the blocks that are now complete. An abandoned write that succeeds later does not count. */
  wrote(bytes: number): string {
    if (this.written + bytes > this.kept) return ''
    this.#sums ??= new BlockSums()
    const sums = this.pieces(this.written, this.written + bytes).map((piece) => this.#sums!.add(piece))
    this.written += bytes
    return sums.join('')
  }

  /** Releases bytes that are on disk and that readers who keep up do not need. */
  trim(): void {
    const { bytes, kept, written, taken } = this
    const needed = Math.min(bytes - WINDOW_BYTES, written < kept ? written : bytes, Math.max(kept, taken))
    const first = this.#pieces.findIndex((piece) => piece.offset + piece.bytes.length > needed)
    this.#pieces.splice(0, first < 0 ? this.#pieces.length : first)
    if (this.#pieces.length === 0) this.#slab = null
  }

  /** Call once, at the end. */
  summary(): StreamSummary {
    const sha256 = this.#hash?.digest('hex') ?? SHA256_OF_NOTHING
    return { bytes: this.bytes, keptBytes: this.kept, sha256, sums: this.#sums?.text() }
  }
}
