import type { LinePosition } from './line-blocks.ts'
import type { OlderPart } from './older.ts'
import type { FoundLine } from './search-run.ts'
import type { Stream } from './text-style.ts'

/** What stands before each line: its number, and when the page received it. */
export interface LineColumns {
  isNumbered: boolean
  isTimed: boolean
}

/** The state of the output that the panel around it shows. */
export interface OutputState {
  lines: number
  dropped: number
  /** whether every character that arrived is in the lines */
  isWhole: boolean
  /** whether the run has ended and the lines contain its last output */
  isComplete: boolean
  isFollowing: boolean
  /** whether a line on the screen has no time */
  hasUntimed: boolean
  /** whether a line has a time */
  hasTimed: boolean
  /** the number of the first line on the screen, or of the first that was dropped before it; null: unknown */
  firstNumber: number | null
  /** the number of the newest line; null: unknown */
  lastNumber: number | null
  /** whether there are lines before those on the screen */
  hasEarlier: boolean
  /** the bounds of the older part that is shown; null for the newest lines */
  older: OlderPart | null
}

export interface OutputOptions {
  changed(state: OutputState): void
  /** reads a stream around a position; null if that failed */
  readOlder(position: LinePosition): Promise<OlderPart | null>
  /** reads the output around the line with this number, or around a found one; null if that failed, or there is no such line */
  readLine(line: number | FoundLine): Promise<OlderPart | null>
  /** the only stream to show; null: both */
  only: Stream | null
  /** what stands before each line at first */
  columns: LineColumns
}
