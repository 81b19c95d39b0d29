import path from 'node:path'
import { Registry, ShellphoneError, type Stream } from '../schema/index.ts'
import { endedOutput } from './ended-output.ts'
import { makeFolder } from './folder.ts'
import { createHistory, type History, type HistoryOptions } from './history.ts'
import type { Keys } from './keys.ts'
import type { Log } from './log.ts'
import type { RunOutput } from './output.ts'
import { createQuota, type Disk } from './quota.ts'
import { redact as redactSecrets } from './redact.ts'
import { runFileBytes, runsWithFiles } from './run-files.ts'
import { createSegments, type Segments } from './segments.ts'
import { createSpool, type LiveSpool, MEMORY_BYTES, type Spool } from './spool.ts'
import { createWarnings, type Warnings } from './warnings.ts'

const DAY_MS = 86_400_000
const RECORDS_ROOM_BYTES = 1_048_576
const NOT_WRITTEN = 'history is not written'

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

export interface Store {
  history: History
  keys: Keys
  /** The spool of a run that has begun, made at the first call; `history.end` lets go of it. */
  spool(id: string): Spool
  /** The output of a run that waits, runs or has ended. NOT_FOUND: no such run; EXPIRED: swept or not kept. */
  output(id: string): Promise<RunOutput>
  /** bytes in runs/ */
  spoolBytes(): number
  /** plain words on what does not work: a folder that cannot be written, lines that the disk refused */
  warnings(): string[]
  close(): void
}

interface OpenDisk extends Disk {
  segments: Segments
}

interface DiskEvents {
  isRunning(id: string): boolean
  onSwept(id: string): void
}

/** null: nothing goes to disk, as it is set or because the disk will not. */
const openDisk = (options: Required<StoreOptions>, warnings: Warnings, events: DiskEvents): OpenDisk | null => {
  const { directory, enabled, elapsedMs } = options
  if (!enabled) return null
  try {
    const folder = path.join(directory, 'runs')
    makeFolder(directory)
    makeFolder(folder)
    const quota = createQuota(folder, options, events)
    const onRefused = (error: unknown, givenUp: number): void => {
      warnings.set(NOT_WRITTEN, error)
      if (givenUp > 0) warnings.set('records are given up, and will be gone after a restart', `${givenUp} lines`)
      // records matter more than old output
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') void quota.free(RECORDS_ROOM_BYTES)
    }
    const onTakenAgain = () => warnings.clear(NOT_WRITTEN)
    const segments = createSegments(path.join(directory, 'history'), elapsedMs, { onRefused, onTakenAgain })
    return { segments, folder, quota }
  } catch (error) {
    warnings.set('history and output are kept in memory alone', error)
    return null
  }
}

const monotonic = () => performance.now()

/** What history needs of the disk and of the spools. */
const toHistoryOptions = (
  options: Required<StoreOptions>,
  disk: OpenDisk | null,
  spools: Registry<string, LiveSpool>,
  warnings: Warnings,
): HistoryOptions => {
  const fileBytes = (id: string, stream: Stream): number => (disk ? runFileBytes(disk.folder, id, stream) : 0)
  return {
    ...options,
    warnings,
    segments: disk?.segments ?? null,
    folder: disk?.folder ?? null,
    redact: options.redact ? redactSecrets : (text) => text,
    maxCount: options.historyMaxCount,
    maxAgeMs: options.historyMaxAgeDays * DAY_MS,
    keysMustLast: options.enabled,
    makeRoom: async () => disk?.quota.free(RECORDS_ROOM_BYTES),
    withFiles: () => (disk ? runsWithFiles(disk.folder) : new Set()),
    smallOf: (id) => spools.get(id)?.small() ?? null,
    spoolBytes: (id) => ({ stdout: fileBytes(id, 'stdout'), stderr: fileBytes(id, 'stderr') }),
    onForget: (id) => void disk?.quota.forget(id),
  }
}

/**
 * Opens what a former life left, all of it; a disk that will not be written to leaves a store in memory, and a warning.
 * No other process may use the folder meanwhile: who opens the store sees to that.
 */
export const createStore = (given: StoreOptions): Store => {
  const options = { stallMs: 5000, now: Date.now, elapsedMs: monotonic, ...given }
  const maxRunSpoolBytes = Math.max(options.maxRunSpoolBytes, MEMORY_BYTES)
  const spools = new Registry<string, LiveSpool>()
  const warnings = createWarnings(options.log)
  const disk = openDisk(options, warnings, {
    isRunning: (id) => spools.has(id),
    onSwept: (id) => history.swept(id),
  })
  const history = createHistory(toHistoryOptions(options, disk, spools, warnings))

  const beginHistory: History['begin'] = (record, key) =>
    history.begin(record, key).catch((error) => {
      spools.delete(record.id)
      throw error
    })

  const endHistory: History['end'] = async (record, summary, shown) => {
    const spool = spools.get(record.id)
    // a run that was denied or cancelled in the queue has no output, and whoever waits for it must hear of the end
    await spool?.finish()
    const notes = await history.end(record, summary, shown)
    spools.delete(record.id)
    // a small output lies in its history line now
    if (spool?.spilled() && spool.small() !== null) void disk?.quota.forget(record.id)
    return notes
  }

  const spool = (id: string): LiveSpool => {
    const made = spools.get(id) ?? createSpool({ id, disk, maxRunSpoolBytes, stallMs: options.stallMs })
    spools.set(id, made)
    return made
  }

  const output = async (id: string): Promise<RunOutput> => {
    if (spools.has(id) || history.isLive(id)) return spool(id)
    const line = history.ended(id)
    if (line === null) throw new ShellphoneError('NOT_FOUND', `No run has the id ${id}`)
    return endedOutput(disk?.folder ?? null, line, warnings)
  }

  return {
    history: { ...history, begin: beginHistory, end: endHistory },
    keys: history.keys,
    spool,
    output,
    spoolBytes: () => disk?.quota.used() ?? 0,
    warnings: warnings.list,
    close: history.close,
  }
}
