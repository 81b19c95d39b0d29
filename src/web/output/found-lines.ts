import type { LinePosition } from './line-blocks.ts'
import type { FoundLine } from './search-run.ts'

/**
 * The index of the first match at or after a position; 0 if all are before it. Lines of the other stream count as after the position if they
 * follow the last line of its stream that is before it.
 */
export function firstFrom(
  lines: FoundLine[],
  { stream, offset, number }: Pick<LinePosition, 'stream' | 'offset' | 'number'>,
): number {
  const isBefore = (line: FoundLine) =>
    line.stream === stream && (number === null ? line.offset < offset : line.number < number)
  const before = lines.slice(0, lines.findLastIndex(isBefore) + 1)
  return before.length === lines.length ? 0 : before.reduce((sum, { count }) => sum + count, 0)
}

/** The line that contains a match, and which match of the line it is. */
export function lineAt(lines: FoundLine[], index: number): [line: FoundLine, place: number] {
  let place = index
  for (const line of lines) {
    if (place < line.count) return [line, place]
    place -= line.count
  }
  throw new RangeError(`expected an index below the number of matches, got ${index}`)
}
