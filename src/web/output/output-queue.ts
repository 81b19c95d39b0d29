import type { TimedPiece } from './arrivals.ts'
import type { Blocks } from './line-blocks.ts'
import { createDecoder } from './older.ts'
import * as limits from './output-limits.ts'
import type { Stream } from './text-style.ts'

/** A piece of a stream that the page has received. */
export type StreamPiece = TimedPiece & { stream: Stream }

/** Output that has arrived and is not in the blocks yet. */
export class OutputQueue {
  /** how many bytes of each stream were read into the blocks */
  readonly readBytes = { stdout: 0, stderr: 0 }
  readonly #readers: Record<Stream, (bytes: Uint8Array | null) => void>
  #pending: StreamPiece[] = []
  #pendingBytes = 0
  #writers: (() => void)[] = []

  constructor(readonly blocks: Blocks) {
    this.#readers = { stdout: createDecoder('stdout', blocks), stderr: createDecoder('stderr', blocks) }
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0
  }

  /** Takes a piece of a stream; resolves when there is room for more. */
  async write(piece: StreamPiece): Promise<void> {
    this.#pending.push({ ...piece })
    this.#pendingBytes += piece.bytes.length
    if (this.#pendingBytes > limits.MAX_PENDING_BYTES) await new Promise<void>((resolve) => this.#writers.push(resolve))
  }

  /** Reads as much as fits into one animation frame. */
  read(): void {
    const end = performance.now() + limits.FRAME_MS
    for (let bytes = 0; !this.isEmpty && bytes < limits.FRAME_BYTES && performance.now() < end;) {
      const first = this.#pending[0]!
      const slice = first.bytes.subarray(0, limits.SLICE_BYTES)
      if (first.offset !== this.readBytes[first.stream]) this.blocks.firstNumber = null
      this.blocks.setOffset(first.stream, first.offset)
      this.blocks.receivedMs = first.receivedMs
      this.#readers[first.stream](slice)
      first.bytes = first.bytes.subarray(slice.length)
      first.offset += slice.length
      this.readBytes[first.stream] = first.offset
      bytes += slice.length
      this.#pendingBytes -= slice.length
      if (first.bytes.length === 0) this.#pending.shift()
    }
    this.blocks.touch()
    if (this.#pendingBytes <= limits.MAX_PENDING_BYTES) this.#resumeWriters()
  }

  /** Reads an incomplete character at the end of a stream. */
  flush(): void {
    for (const read of Object.values(this.#readers)) read(null)
  }

  /** Drops what was not read. */
  close(): void {
    this.#pending = []
    this.#resumeWriters()
  }

  #resumeWriters(): void {
    for (const resolve of this.#writers.splice(0)) resolve()
  }
}
