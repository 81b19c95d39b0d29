import type { LineHead } from './history-line.ts'
import type { Remembered } from './segment-files.ts'

/** What was written once and is not there any more. */
export interface Lost {
  /** lines that are not what was written */
  damaged: number
  /** lines that are not there */
  missing: number
  /** whole segments that are not there */
  segments: number
  /** the number of the line after the last one, counted from the very first */
  count: number
}

/** Counts, as the segments are read one after the other, what each of them and their headers say of the others. */
export const createLosses = (remembered: Remembered | 'damaged' | null) => {
  const lost: Lost = { damaged: remembered === 'damaged' ? 1 : 0, missing: 0, segments: 0, count: 0 }
  const known = remembered === 'damaged' || remembered === null ? { first: 0, newest: 0, lines: 0 } : remembered
  let previous = known.first - 1
  /** lines of the previous segment, its header too */
  let seen = 1
  /** does `count` say how many lines there should be by now? */
  let isCounted = false

  const endSegment = (): void => {
    if (seen === 0 && previous <= known.newest) lost.segments++
  }

  return {
    segment: (segment: number): void => {
      endSegment()
      const gap = previous < 0 ? 0 : Math.max(0, segment - previous - 1)
      lost.segments += gap
      if (gap > 0) isCounted = false
      previous = segment
      seen = 0
    },
    line: ({ kind, first }: LineHead): void => {
      if (kind === null) lost.damaged++
      if (kind === 'h') {
        if (isCounted) lost.missing += Math.max(0, first - lost.count)
        lost.count = first
        isCounted = true
      } else if (seen > 0 || kind !== null) lost.count++
      seen++
    },
    keyLine: ({ kind }: LineHead): void => {
      if (kind === null) lost.damaged++
    },
    end: (): Lost => {
      endSegment()
      lost.segments += Math.max(0, known.newest - Math.max(previous, 0))
      if (isCounted) lost.missing += Math.max(0, known.lines - lost.count)
      lost.count = Math.max(lost.count, known.lines)
      return lost
    },
  }
}
