import type { LineHead } from './history-line.ts'
import type { Remembered } from './segments.ts'
import type { Warnings } from './warnings.ts'

export const DAMAGED_LINES = 'lines of history are damaged'

/** Counts, as the segments are read one after the other, what each of them and their headers say of the others. */
export class Losses {
  /** the number of the line after the last one, counted from the very first */
  lines = 0
  /** lines that are not what was written */
  #damaged = 0
  /** lines and whole segments that are not there */
  #missing = 0
  #segments = 0
  readonly #known: Remembered
  #previous: number
  /** lines of the previous segment, its header too */
  #seen = 1
  /** does `lines` say how many there should be by now? */
  #isCounted = false

  constructor(remembered: Remembered | 'damaged' | null) {
    if (remembered === 'damaged') this.#damaged++
    this.#known = remembered === 'damaged' || remembered === null ? { first: 0, newest: 0, lines: 0 } : remembered
    this.#previous = this.#known.first - 1
  }

  /** The next segment begins. */
  segment(segment: number): void {
    this.#endSegment()
    const gap = this.#previous < 0 ? 0 : Math.max(0, segment - this.#previous - 1)
    this.#segments += gap
    if (gap > 0) this.#isCounted = false
    this.#previous = segment
    this.#seen = 0
  }

  #endSegment(): void {
    if (this.#seen === 0 && this.#previous <= this.#known.newest) this.#segments++
  }

  line({ kind, first }: LineHead): void {
    if (kind === null) this.#damaged++
    if (kind === 'h') {
      if (this.#isCounted) this.#missing += Math.max(0, first - this.lines)
      this.lines = first
      this.#isCounted = true
    } else if (this.#seen > 0 || kind !== null) this.lines++
    this.#seen++
  }

  keyLine({ kind }: LineHead): void {
    if (kind === null) this.#damaged++
  }

  /** All was read: tells what was lost. */
  end(warnings: Warnings): void {
    this.#endSegment()
    const { newest, lines } = this.#known
    this.#segments += Math.max(0, newest - Math.max(this.#previous, 0))
    if (this.#isCounted) this.#missing += Math.max(0, lines - this.lines)
    this.lines = Math.max(this.lines, lines)
    warnings.count(DAMAGED_LINES, this.#damaged)
    warnings.count('lines of history are missing', this.#missing)
    warnings.count('segments of history are missing', this.#segments)
  }
}
