const SMALL_BYTES = 4096
const SLAB_BYTES = 16_384
const PIECES_AS_THEY_COME = 16

/** The newest bytes of one stream in memory, addressed by their offset in the stream. Many tiny chunks are copied together. */
export class ByteWindow {
  readonly #pieces: { offset: number; bytes: Buffer }[] = []
  /** what the last piece lies in, while it can grow */
  #slab: { bytes: Buffer; used: number } | null = null
  #end = 0

  /** offset of the oldest byte that is here; the end where none is */
  get start(): number {
    return this.#pieces[0]?.offset ?? this.#end
  }

  /** Takes a chunk that is not empty. */
  append(chunk: Buffer): void {
    if (chunk.length < SMALL_BYTES && this.#pieces.length >= PIECES_AS_THEY_COME) this.#appendSmall(chunk)
    else {
      this.#pieces.push({ offset: this.#end, bytes: chunk })
      this.#slab = null
    }
    this.#end += chunk.length
  }

  #appendSmall(chunk: Buffer): void {
    if (this.#slab === null || this.#slab.used + chunk.length > SLAB_BYTES) {
      this.#slab = { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), used: 0 }
      this.#pieces.push({ offset: this.#end, bytes: this.#slab.bytes })
    }
    chunk.copy(this.#slab.bytes, this.#slab.used)
    this.#slab.used += chunk.length
    this.#pieces.at(-1)!.bytes = this.#slab.bytes.subarray(0, this.#slab.used)
  }

  /** At most `limit` bytes from `offset` on; `offset` must lie in [start, end]. */
  read(offset: number, limit: number): Buffer {
    const found = this.pieces(offset, Math.min(this.#end, offset + limit))
    return found.length === 1 ? found[0]! : Buffer.concat(found)
  }

  /** The bytes [from, to) as they lie in memory. */
  pieces(from: number, to: number): Buffer[] {
    // readers that keep up are near the end
    const first = this.#pieces.findLastIndex(({ offset }) => offset <= from)
    const found: Buffer[] = []
    for (let at = first, offset = from; offset < to; at++) {
      const piece = this.#pieces[at]!
      found.push(piece.bytes.subarray(offset - piece.offset, to - piece.offset))
      offset = piece.offset + piece.bytes.length
    }
    return found
  }

  /** Forgets whole pieces that end at or before `offset`. */
  dropBefore(offset: number): void {
    const first = this.#pieces.findIndex((piece) => piece.offset + piece.bytes.length > offset)
    this.#pieces.splice(0, first < 0 ? this.#pieces.length : first)
    if (this.#pieces.length === 0) this.#slab = null
  }
}
