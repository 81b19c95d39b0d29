import type { RunStatus } from '../../shared/schema/index.ts'
import type { LineAddress } from './segments.ts'

/** The location of a run's end line: in a segment or, if it could not be written, in memory. About 200 bytes per run; there may be a million runs. */
export interface Entry extends LineAddress {
  status: RunStatus
  /** when it ended, by the age clock */
  ageMs: number
  length: number
  /** whether runs/ has files for the run */
  files: boolean
  line?: string | undefined
}

/** Ended runs by id, in the order in which they ended. */
export type Entries = Map<string, Entry>
