import type { LineHead } from './history-line.ts'
import type { Remembered } from './segments.ts'
import type { Warnings } from './warnings.ts'

export const DAMAGED_LINES = 'lines of history are damaged'

/** A segment that is there, and its lines. */
export interface ReadSegment {
  segment: number
  heads: LineHead[]
}

const isDamaged = ({ kind }: LineHead): boolean => kind === null

/** Tells what segments, their headers and what was remembered say of each other; gives back how many lines there have been. */
export function tellLosses(
  segments: ReadSegment[],
  keys: LineHead[],
  remembered: Remembered | 'damaged' | null,
  warnings: Warnings,
): number {
  const known = remembered === null || remembered === 'damaged' ? { first: 0, newest: 0, lines: 0 } : remembered
  let [lines, missing, missingSegments] = [0, 0, 0]
  /** does `lines` say how many there should be by now? */
  let isCounted = false
  let previous = known.first - 1
  for (const { segment, heads } of segments) {
    const gap = previous < 0 ? 0 : Math.max(0, segment - previous - 1)
    missingSegments += gap + (heads.length === 0 && segment <= known.newest ? 1 : 0)
    if (gap > 0) isCounted = false
    previous = segment
    const [head] = heads
    if (head?.kind === 'h') {
      if (isCounted) missing += Math.max(0, head.first - lines)
      isCounted = true
      lines = head.first
    }
    // a damaged line at the beginning was the header
    lines += heads.length - (head?.kind === 'h' || head?.kind === null ? 1 : 0)
  }
  missingSegments += Math.max(0, known.newest - Math.max(previous, 0))
  if (isCounted) missing += Math.max(0, known.lines - lines)
  const damaged = [...segments.flatMap(({ heads }) => heads), ...keys].filter(isDamaged).length
  warnings.count(DAMAGED_LINES, damaged + (remembered === 'damaged' ? 1 : 0))
  warnings.count('lines of history are missing', missing)
  warnings.count('segments of history are missing', missingSegments)
  return Math.max(lines, known.lines)
}
