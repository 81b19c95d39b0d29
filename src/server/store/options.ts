import type { Log } from './warnings.ts'

export interface StoreOptions {
  /** $SHELLPHONE_HOME; created (0700) if missing */
  directory: string
  /** false: no record and no output is written to disk; the newest records stay in memory (retention.ts) */
  enabled: boolean
  /** maximum bytes of output stored per run, at least 64 KiB */
  maxRunSpoolBytes: number
  /** maximum bytes of output stored in total; the oldest ended runs are swept first */
  maxSpoolBytes: number
  /** no output is written that would leave fewer bytes free on the disk */
  minFreeBytes: number
  historyMaxAgeDays: number
  historyMaxCount: number
  /** whether to replace known forms of secrets in stored commands, notes and reasons */
  redact: boolean
  log: Log
  /** a write that takes longer is abandoned; default 5 s */
  stallMs?: number
  now?(): number
  /** monotonic milliseconds, used to measure ages */
  elapsedMs?(): number
}
