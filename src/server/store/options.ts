import type { Log } from './warnings.ts'

export interface StoreOptions {
  /** $SHELLPHONE_HOME; made (0700) when it is not there */
  directory: string
  /** false: nothing goes to disk, history is a few thousand records in memory */
  enabled: boolean
  /** output kept of one run, at least 64 KiB */
  maxRunSpoolBytes: number
  /** output kept in all; the oldest ended runs are swept first */
  maxSpoolBytes: number
  /** nothing is spooled when less of the disk would be free */
  minFreeBytes: number
  historyMaxAgeDays: number
  historyMaxCount: number
  /** known shapes of secrets are replaced in what is stored of commands, notes and reasons */
  redact: boolean
  log: Log
  /** a write that the disk does not answer for so long is given up; default 5 s */
  stallMs?: number
  now?(): number
  /** monotonic milliseconds, by which ages are counted */
  elapsedMs?(): number
}
