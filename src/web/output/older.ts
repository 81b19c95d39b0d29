import { ask } from '../wire.ts'
import { type Block, Blocks } from './line-blocks.ts'
import { createReader } from './reader.ts'

/** Read again before and behind a place, of stdout: bytes, and lines at most. */
const HALF_BYTES = 65_536
const HALF_LINES = 1000
const NEW_LINE = 10

/** A part of stdout that was drawn once, or never: it is read again. */
export interface Older {
  blocks: Blocks
  /** where it begins and ends, in bytes of stdout */
  from: number
  to: number
  /** of its lines the one at the place that was asked for */
  line: number
}

/** Where something stands in stdout: so many lines behind the one that has that byte. */
export type OutputPosition = Pick<Block, 'at' | 'ahead'>

/** stdout around a place, as far as it is kept, in whole lines; fewer where they would be too much to draw. Throws PhoneError. */
export async function readOlder(id: string, place: OutputPosition, half = HALF_BYTES): Promise<Older> {
  const { at, ahead } = place
  const first = Math.max(0, at - half)
  const query = { stream: 'stdout', offset: first, limit: at + half - first }
  const answer = await ask((phone) => phone.request(`/runs/${encodeURIComponent(id)}/output`, { query }))
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const own = at === first ? 0 : bytes.lastIndexOf(NEW_LINE, at - first - 1) + 1
  const middle = lineBehind(bytes, own, ahead)
  const start = startOf(bytes, middle, first === 0)
  const end = lineBehind(bytes, middle, HALF_LINES)
  const blocks = new Blocks()
  const read = createDecoder('stdout', blocks)
  read(bytes.subarray(start, middle))
  const line = blocks.count
  read(bytes.subarray(middle, end))
  read(null)
  if (blocks.dropped > 0 && half > 1) return readOlder(id, place, half >> 1)
  return { blocks, line, from: first + start, to: first + end }
}

/** Where lines begin before `middle`: the first is no piece of one, unless it is all there is. */
function startOf(bytes: Uint8Array, middle: number, isWhole: boolean): number {
  const first = isWhole ? 0 : bytes.indexOf(NEW_LINE) + 1
  let start = middle
  for (let lines = 0; lines < HALF_LINES && start > 1; lines++) start = bytes.lastIndexOf(NEW_LINE, start - 2) + 1
  return Math.max(start, first) < middle ? Math.max(start, first) : 0
}

/** Where so many lines end behind `start`. */
function lineBehind(bytes: Uint8Array, start: number, lines: number): number {
  let end = start
  for (let count = 0; count < lines; count++) {
    const next = bytes.indexOf(NEW_LINE, end)
    if (next < 0) return bytes.length
    end = next + 1
  }
  return end
}

/** Bytes of a stream onto lines; null: there are no more. */
export function createDecoder(stream: 'stdout' | 'stderr', blocks: Blocks): (bytes: Uint8Array | null) => void {
  const decoder = new TextDecoder()
  const read = createReader(stream, blocks)
  return (bytes) => read(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode())
}
