import { createHash, type Hash } from 'node:crypto'
import { BlockSums } from './block-sums.ts'
import { ByteWindow } from './byte-window.ts'

/** So much of each stream stays in memory for readers that keep up. */
const WINDOW_BYTES = 262_144
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** What of a stream came and what of it is kept. `sha256` (hex) is of all that came, kept or not; null: not known. */
export interface StreamSummary {
  bytes: number
  keptBytes: number
  sha256: string | null
  /** checksums of what files hold of it, block by block */
  sums?: string | undefined
}

/** One stream of a running run: what came, what is to be kept of it, what is on disk. */
export class SpoolStream {
  readonly window = new ByteWindow()
  readonly #sums = new BlockSums()
  #hash: Hash | null = null
  /** bytes that came */
  bytes = 0
  /** the first so many are to be kept */
  kept = 0
  /** the first so many are on disk */
  written = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    this.window.append(chunk)
    this.#hash ??= createHash('sha256')
    this.#hash.update(chunk)
  }

  /** So many bytes more are on disk; a write that was given up is not counted when it comes through after all. */
  wrote(bytes: number): void {
    if (this.written + bytes > this.kept) return
    for (const piece of this.window.pieces(this.written, this.written + bytes)) this.#sums.add(piece)
    this.written += bytes
  }

  /** Forgets what readers that keep up do not need and what is on disk. */
  trim(): void {
    const { bytes, kept, written } = this
    this.window.dropBefore(Math.min(bytes - WINDOW_BYTES, written < kept ? written : bytes))
  }

  /** Ask once, at the end. */
  summary(): StreamSummary {
    const sha256 = this.#hash?.digest('hex') ?? SHA256_OF_NOTHING
    return { bytes: this.bytes, keptBytes: this.kept, sha256, sums: this.#sums.text() }
  }
}
