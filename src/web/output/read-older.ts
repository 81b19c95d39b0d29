import { withTimes } from './arrivals.ts'
import { Blocks, type LinePosition } from './line-blocks.ts'
import { createDecoder, NEW_LINE, type StreamPart } from './older.ts'
import { storedBytes } from './stored-bytes.ts'

/** How much to read before and after a position in a stream: this many bytes, but no more than this many lines. */
export const HALF_BYTES = 65_536
export const HALF_LINES = 1000

interface ReadPart extends StreamPart {
  /** where the part starts, in bytes of the stream */
  from: number
}

/**
 * Reads whole lines of a stream around a position, as far as they are still stored. Reads fewer lines if there are too many to draw.
 * Throws PhoneError.
 */
export async function readOlder(id: string, position: LinePosition, half = HALF_BYTES): Promise<ReadPart> {
  const { stream, offset, linesAfter, number } = position
  const first = Math.max(0, offset - half)
  const limit = offset + half - first
  const bytes = await storedBytes(id, stream, first, limit)
  const lineStart = offset === first ? 0 : bytes.lastIndexOf(NEW_LINE, offset - first - 1) + 1
  const middle = lineEndAfter(bytes, lineStart, linesAfter)
  const start = startOf(bytes, middle, first === 0)
  const end = lineEndAfter(bytes, middle, HALF_LINES)
  const blocks = new Blocks()
  const decoder = createDecoder(stream, blocks)
  const read = (from: number, to: number) => {
    for (const piece of withTimes(id, stream, bytes.subarray(from, to), first + from)) {
      blocks.receivedMs = piece.receivedMs
      decoder(piece.bytes)
    }
  }
  blocks.setOffset(stream, first + start)
  read(start, middle)
  const line = blocks.count
  read(middle, end)
  decoder(null)
  if (first + start > 0) blocks.firstNumber = number === null ? null : number - line
  if (blocks.dropped > 0 && half > 1) return readOlder(id, position, half >> 1)
  const isLast = end === bytes.length && end < limit
  return { blocks, stream, line, from: first + start, to: first + end, isLast }
}

/** Where the lines before `middle` start. Skips an incomplete first line unless it is the only one. */
function startOf(bytes: Uint8Array, middle: number, isWhole: boolean): number {
  const first = isWhole ? 0 : bytes.indexOf(NEW_LINE) + 1
  let start = middle
  for (let lines = 0; lines < HALF_LINES && start > 1; lines++) start = bytes.lastIndexOf(NEW_LINE, start - 2) + 1
  return Math.max(start, first) < middle ? Math.max(start, first) : 0
}

/** Where the next `lines` lines after `start` end. */
function lineEndAfter(bytes: Uint8Array, start: number, lines: number): number {
  let end = start
  for (let count = 0; count < lines; count++) {
    const next = bytes.indexOf(NEW_LINE, end)
    if (next < 0) return bytes.length
    end = next + 1
  }
  return end
}
