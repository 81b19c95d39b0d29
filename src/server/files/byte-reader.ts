/** Reads a stream of bytes in parts of any length. */
export interface ByteReader {
  /** Resolves to exactly this many bytes; rejects with `short()` if the stream ends early. */
  take(bytes: number): Promise<Buffer>
  /** Yields this many bytes in the pieces in which they arrived. */
  pieces(bytes: number): AsyncGenerator<Buffer>
  /** Reads and discards the rest of the stream. */
  rest(): Promise<void>
}

export function createByteReader(source: AsyncIterable<Uint8Array>, short: () => Error): ByteReader {
  const iterator = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const next = async () => {
    if (held.length > 0) return
    const { done, value } = await iterator.next()
    if (done) throw short()
    held = Buffer.from(value.buffer, value.byteOffset, value.length)
  }
  const cut = (bytes: number) => {
    const piece = held.subarray(0, bytes)
    held = held.subarray(piece.length)
    return piece
  }
  async function* pieces(bytes: number) {
    for (let left = bytes; left > 0;) {
      await next()
      const piece = cut(left)
      left -= piece.length
      yield piece
    }
  }
  return {
    pieces,
    async take(bytes) {
      if (held.length >= bytes) return cut(bytes)
      const found: Buffer[] = []
      for await (const piece of pieces(bytes)) found.push(piece)
      return Buffer.concat(found)
    },
    async rest() {
      while (!(await iterator.next()).done);
    },
  }
}
