const SMALL_BYTES = 4096
const SLAB_BYTES = 16_384
const PIECES_AS_THEY_COME = 16

interface Piece {
  offset: number
  bytes: Buffer
}

/** The newest bytes of one stream in memory, addressed by their offset in the stream. Many tiny chunks are copied together. */
export interface ByteWindow {
  start(): number
  end(): number
  append(chunk: Buffer): void
  /** At most `limit` bytes from `offset` on, not necessarily all there are; `offset` must lie in [start, end]. */
  read(offset: number, limit: number): Buffer
  /** The bytes [from, to) as they lie in memory. */
  pieces(from: number, to: number): Buffer[]
  /** Forget whole pieces that end at or before `offset`. */
  dropBefore(offset: number): void
}

export const createByteWindow = (): ByteWindow => {
  const pieces: Piece[] = []
  let slab: { bytes: Buffer; used: number } | null = null
  let start = 0
  let end = 0

  const appendSmall = (chunk: Buffer): void => {
    if (slab === null || slab.used + chunk.length > SLAB_BYTES) {
      slab = { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), used: 0 }
      pieces.push({ offset: end, bytes: slab.bytes.subarray(0, 0) })
    }
    chunk.copy(slab.bytes, slab.used)
    slab.used += chunk.length
    const last = pieces[pieces.length - 1]!
    last.bytes = slab.bytes.subarray(slab.used - last.bytes.length - chunk.length, slab.used)
  }

  const append = (chunk: Buffer): void => {
    if (chunk.length === 0) return
    if (chunk.length < SMALL_BYTES && pieces.length >= PIECES_AS_THEY_COME) appendSmall(chunk)
    else {
      pieces.push({ offset: end, bytes: chunk })
      slab = null
    }
    end += chunk.length
  }

  const indexAt = (offset: number): number => {
    let low = 0
    let high = pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (pieces[middle]!.offset <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  const slices = (from: number, to: number): Buffer[] => {
    const found: Buffer[] = []
    for (let at = indexAt(from), offset = from; offset < to; at++) {
      const piece = pieces[at]!
      found.push(piece.bytes.subarray(offset - piece.offset, to - piece.offset))
      offset = piece.offset + piece.bytes.length
    }
    return found
  }

  const dropBefore = (offset: number): void => {
    let count = 0
    while (count < pieces.length && pieces[count]!.offset + pieces[count]!.bytes.length <= offset) count++
    if (count === 0) return
    pieces.splice(0, count)
    if (pieces.length === 0) slab = null
    start = pieces[0]?.offset ?? end
  }

  return {
    start: () => start,
    end: () => end,
    append,
    read: (offset, limit) => {
      const found = slices(offset, Math.min(end, offset + limit))
      return found.length === 1 ? found[0]! : Buffer.concat(found)
    },
    pieces: slices,
    dropBefore,
  }
}
