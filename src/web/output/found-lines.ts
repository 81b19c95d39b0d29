import { positionAt } from './both-positions.ts'
import type { LinePosition } from './line-blocks.ts'
import { type FoundLine, searchRun } from './search-run.ts'
import type { Stream } from './text-style.ts'

/** What was found: matches on the page, or lines of the stored output that contain `count` matches. */
export interface Found {
  count: number
  isAll: boolean
  lines: FoundLine[] | null
  /** whether only what follows the view was searched, because there are too many matches before it */
  isFromView?: boolean
}

/** Searches the run from its beginning or, if there are too many matches before the view, from the view on. `index`: the match to show first. */
export async function searchFrom(
  id: string,
  text: string,
  only: Stream | null,
  view: LinePosition | undefined,
): Promise<Found & { index: number }> {
  const all = await searchRun(id, text, { only })
  const index = view ? firstFrom(all.lines, view) : 0
  if (index !== null || all.isAll || !view) return { ...all, count: countOf(all.lines), index: index ?? 0 }
  const from = await positionAt(id, view.stream, view.offset)
  const rest = await searchRun(id, text, { only, from })
  const start = firstFrom(rest.lines, { ...view, number: view.linesAfter + 1 }) ?? 0
  const lines = rest.lines.map((line) => ({ ...line, number: null }))
  return { lines, isAll: rest.isAll, count: countOf(lines), isFromView: true, index: start }
}

const countOf = (lines: FoundLine[]) => lines.reduce((sum, { count }) => sum + count, 0)

/**
 * The index of the first match at or after a position; null: all are before it. Lines of the other stream count as after the position if they
 * follow the last line of its stream that is before it.
 */
function firstFrom(
  lines: FoundLine[],
  { stream, offset, number }: Pick<LinePosition, 'stream' | 'offset' | 'number'>,
): number | null {
  const isBefore = (line: FoundLine) =>
    line.stream === stream && (number === null || line.number === null ? line.offset < offset : line.number < number)
  const before = lines.slice(0, lines.findLastIndex(isBefore) + 1)
  return before.length === lines.length ? null : before.reduce((sum, { count }) => sum + count, 0)
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
