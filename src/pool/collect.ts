import type { Collected } from '../schema/index.ts'
import { countNewlines } from './count-newlines.ts'

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
