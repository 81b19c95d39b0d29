import { toCount } from '../parts/format.ts'
import { partWords } from '../words/part-words.ts'
import type { LinePosition } from './line-blocks.ts'
import { NEW_LINE, type OlderPart } from './older.ts'
import { readInOrder } from './read-in-order.ts'
import { readOlder } from './read-older.ts'
import type { LoadedOutput } from './loaded-output.ts'
import type { FoundLine } from './search-run.ts'
import { storedBytes } from './stored-bytes.ts'
import type { Stream } from './text-style.ts'

/** How much to read at once. */
const PART_BYTES = 1_000_000

/** Reads the output around a position, both streams or the only one that is shown; null: what is before it is no longer stored. Throws PhoneError. */
export async function readPart(id: string, position: LinePosition, follower: LoadedOutput): Promise<OlderPart | null> {
  if (!follower.single()) return readInOrder(id, position)
  const part = await readOlder(id, position)
  part.blocks.numberedIn = follower.only
  return { ...part, text: partWords.part(part.stream, toCount(part.from), toCount(part.to)) }
}

/** Reads the output around the line with this number, or around a line that was found. null: there is no such line. Throws PhoneError. */
export async function readLine(
  id: string,
  line: number | FoundLine,
  follower: LoadedOutput,
): Promise<OlderPart | null> {
  if (typeof line !== 'number') return readPart(id, { ...line, linesAfter: 0 }, follower)
  const stream = follower.single()
  if (!stream) return readInOrder(id, line - 1)
  const number = line
  const offset = await offsetOfLine(id, stream, number)
  return offset === null ? null : readPart(id, { stream, offset, linesAfter: 0, number }, follower)
}

/** Where a line of a stream starts. Counts the lines before it, because the service finds lines only by their text. */
async function offsetOfLine(id: string, stream: Stream, number: number): Promise<number | null> {
  let left = number - 1
  if (left === 0) return 0
  for (let offset = 0; ;) {
    const bytes = await storedBytes(id, stream, offset, PART_BYTES)
    let start = 0
    for (let next = 0; left > 0 && (next = bytes.indexOf(NEW_LINE, start) + 1) > 0; left--) start = next
    if (start < bytes.length && left === 0) return offset + start
    if (bytes.length < PART_BYTES) return null
    offset += bytes.length
  }
}
