import type { Collected } from '../schema/index.ts'

export interface Collector {
  add(chunk: Buffer): void
  /** what has come until now */
  collected(): Collected
}

const firstBytes = 4096

/** Appends to a buffer that doubles up to `maxBytes`. */
function createHead(maxBytes: number) {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    /** Takes what there is room for and says how many bytes that were. */
    add: (chunk: Buffer) => {
      const wanted = Math.min(maxBytes, length + chunk.length)
      if (wanted > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(wanted, buffer.length * 2, firstBytes)))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      const taken = chunk.copy(buffer, length, 0, wanted - length)
      length += taken
      return taken
    },
    bytes: () => buffer.subarray(0, length),
  }
}

/** Keeps the last `maxBytes`: a buffer that doubles until it has that size, and is a ring from then on. */
function createTail(maxBytes: number) {
  const start = createHead(maxBytes)
  let ring: Buffer | null = null
  let next = 0
  function addToRing(into: Buffer, chunk: Buffer) {
    const kept = chunk.subarray(Math.max(0, chunk.length - maxBytes))
    const beforeWrap = kept.copy(into, next)
    kept.copy(into, 0, beforeWrap)
    next = (next + kept.length) % maxBytes
  }
  return {
    add: (chunk: Buffer) => {
      const taken = ring ? 0 : start.add(chunk)
      if (taken === chunk.length || maxBytes === 0) return
      ring ??= start.bytes()
      addToRing(ring, chunk.subarray(taken))
    },
    bytes: () => (ring ? Buffer.concat([ring.subarray(next), ring.subarray(0, next)]) : start.bytes()),
  }
}

/** Collects one stream in bounded memory: at most `headBytes` + `tailBytes`, allocated as they are needed; the rest is counted. */
export function createCollector(headBytes: number, tailBytes: number): Collector {
  const head = createHead(headBytes)
  let tail: ReturnType<typeof createTail> | null = null
  let bytes = 0
  let lines = 0
  return {
    add: (chunk) => {
      bytes += chunk.length
      lines += countNewlines(chunk)
      const taken = head.add(chunk)
      if (taken === chunk.length) return
      tail ??= createTail(tailBytes)
      tail.add(chunk.subarray(taken))
    },
    collected: () => ({ bytes, lines, head: head.bytes(), tail: tail?.bytes() ?? Buffer.alloc(0) }),
  }
}

const newlines = 0x0a0a0a0a
const low7 = 0x7f7f7f7f
/** four counters of 8 bits side by side hold at most 255 each */
const maxWords = 255

/** How many of the four bytes of each word in `words` are newlines: four at a time (0.25 ns a byte measured, ten times Buffer.indexOf on short lines). */
function countInWords(words: Int32Array): number {
  let count = 0
  for (let at = 0; at < words.length;) {
    const end = Math.min(at + maxWords, words.length)
    let sums = 0
    for (; at < end; at++) {
      const word = words[at]! ^ newlines
      // the high bit of a byte stays 0 unless the byte is zero, that is: was a newline
      sums = (sums + ((~(((word & low7) + low7) | word | low7) >>> 7) & 0x01010101)) | 0
    }
    count += (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24)
  }
  return count
}

function countBytewise(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === 10) count++
  return count
}

/** Counts the newlines in a chunk. */
export function countNewlines(chunk: Buffer): number {
  if (chunk.length < 8) return countBytewise(chunk)
  const head = (4 - (chunk.byteOffset & 3)) & 3
  const words = new Int32Array(chunk.buffer, chunk.byteOffset + head, (chunk.length - head) >> 2)
  const tail = head + words.length * 4
  return countBytewise(chunk.subarray(0, head)) + countInWords(words) + countBytewise(chunk.subarray(tail))
}
