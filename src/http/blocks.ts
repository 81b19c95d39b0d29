import { Transform, type TransformCallback } from 'node:stream'

const BLOCK_BYTES = 16_384
const NOTHING = Buffer.alloc(0)

/** Joins the pieces of a body that is held in memory until it is complete: a piece of one byte would take about a hundred bytes of memory. */
export class Blocks extends Transform {
  #block = NOTHING
  #used = 0

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#used + piece.length > BLOCK_BYTES) this.#pushBlock()
    if (piece.length >= BLOCK_BYTES) this.push(piece)
    else this.#add(piece)
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#pushBlock()
    done()
  }

  #add(piece: Buffer): void {
    if (this.#used === 0) this.#block = Buffer.allocUnsafe(BLOCK_BYTES)
    this.#used += piece.copy(this.#block, this.#used)
  }

  #pushBlock(): void {
    if (this.#used > 0) this.push(this.#block.subarray(0, this.#used))
    this.#used = 0
  }
}
