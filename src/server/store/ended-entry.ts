import type { RunStatus } from '../../shared/schema/index.ts'
import type { LineAddress } from './segments.ts'

/** Where the end line of a run is: in a segment, or (the disk refused it) in memory. Some 200 bytes a run, of which there may be a million. */
export interface Entry extends LineAddress {
  status: RunStatus
  /** when it ended, by the age clock */
  ageMs: number
  length: number
  /** is there anything in runs/ for it? */
  files: boolean
  line?: string | undefined
}

/** Ended runs by id, in the order in which they ended. */
export type Entries = Map<string, Entry>
