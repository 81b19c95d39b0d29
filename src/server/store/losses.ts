import type { LineHead } from './history-line.ts'
import type { Remembered } from './segments.ts'
import type { Warnings } from './warnings.ts'

/** A segment that exists: its first line, the number of its lines, and how many of them are damaged. */
export interface ReadSegment {
  segment: number
  head: LineHead | undefined
  lines: number
  damaged: number
}

export function toRead(segment: number, heads: LineHead[]): ReadSegment {
  const damaged = heads.filter(({ kind }) => kind === null).length
  return { segment, head: heads[0], lines: heads.length, damaged }
}

/** Compares the segments, their headers and the remembered state, and reports losses. Returns the number of lines written so far. */
export function reportLosses(
  segments: ReadSegment[],
  keys: ReadSegment[],
  remembered: Remembered | 'damaged' | null,
  warnings: Warnings,
): number {
  const known = remembered === null || remembered === 'damaged' ? { first: 0, newest: 0, lines: 0 } : remembered
  let [lines, missing, missingSegments] = [0, 0, 0]
  /** whether `lines` is the expected number at this point */
  let isCounted = false
  let previous = known.first - 1
  for (const { segment, head, lines: count } of segments) {
    const gap = previous < 0 ? 0 : Math.max(0, segment - previous - 1)
    missingSegments += gap + (count === 0 && segment <= known.newest ? 1 : 0)
    if (gap > 0) isCounted = false
    previous = segment
    if (head?.kind === 'h') {
      if (isCounted) missing += Math.max(0, head.first - lines)
      isCounted = true
      lines = head.first
    }
    // a damaged first line is the header
    lines += count - (head?.kind === 'h' || head?.kind === null ? 1 : 0)
  }
  missingSegments += Math.max(0, known.newest - Math.max(previous, 0))
  if (isCounted) missing += Math.max(0, known.lines - lines)
  const damaged = [...segments, ...keys].reduce((sum, one) => sum + one.damaged, 0)
  warnings.count('DAMAGED_LINES', damaged + (remembered === 'damaged' ? 1 : 0))
  warnings.count('MISSING_LINES', missing)
  warnings.count('MISSING_SEGMENTS', missingSegments)
  return Math.max(lines, known.lines)
}
