import { positionAt } from './both-positions.ts'
import type { LinePosition } from './line-blocks.ts'
import { type FoundLine, type FoundLines, searchRun } from './search-run.ts'
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
  const before = view ? countBefore(all.lines, view) : 0
  if (!view || all.isAll || before < all.lines.length) return toFound(all, before)
  const rest = await searchRun(id, text, { only, from: await positionAt(id, view.stream, view.offset) })
  const lines = rest.lines
    .slice(countBefore(rest.lines, { ...view, number: view.linesAfter + 1 }))
    .map((line) => ({ ...line, number: null }))
  return lines.length > 0 ? { ...toFound({ ...rest, lines }, 0), isFromView: true } : toFound(all, before)
}

/** `before`: how many lines are before the one to show first; after the last line, the first one follows. */
const toFound = ({ lines, isAll }: FoundLines, before: number) => ({
  ...{ lines, isAll, count: countOf(lines) },
  index: before < lines.length ? countOf(lines.slice(0, before)) : 0,
})

const countOf = (lines: FoundLine[]) => lines.reduce((sum, { count }) => sum + count, 0)

/**
 * How many of the lines are before a position. Lines of the other stream count as after the position if they follow the last line of its stream
 * that is before it.
 */
function countBefore(
  lines: FoundLine[],
  { stream, offset, number }: Pick<LinePosition, 'stream' | 'offset' | 'number'>,
): number {
  const isBefore = (line: FoundLine) =>
    line.stream === stream && (number === null || line.number === null ? line.offset < offset : line.number < number)
  return lines.findLastIndex(isBefore) + 1
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
