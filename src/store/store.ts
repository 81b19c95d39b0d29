import fs from 'node:fs'
import path from 'node:path'
import { type ExecRecord, Registry, ShellphoneError } from '../schema/index.ts'
import { fileOutput, smallOutput, unkeptOutput } from './ended-output.ts'
import { makeFolder, reasonOf } from './folder.ts'
import { createHistory, type History } from './history.ts'
import { createKeys, type Keys } from './keys.ts'
import type { Log } from './log.ts'
import type { RunOutput, SpoolSummary } from './output.ts'
import { createQuota, type Disk } from './quota.ts'
import { redact as redactSecrets } from './redact.ts'
import { createReplyFiles } from './reply-files.ts'
import { runFilePath } from './run-files.ts'
import { createSegments, type Segments } from './segments.ts'
import { createSpool, type LiveSpool, MEMORY_BYTES, type Spool } from './spool.ts'

const MAX_KEYS = 10_000
const KEY_AGE_MS = 86_400_000
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

/**
 * Opens what a former life left, in a few milliseconds; a disk that will not be written to leaves a store in memory, and a warning.
 * No other process may use the folder meanwhile: who opens the store sees to that (home-lock.ts).
 */
export const createStore = (options: StoreOptions): Store => {
  const { directory, log, stallMs = 5000, now = Date.now } = options
  const maxRunSpoolBytes = Math.max(options.maxRunSpoolBytes, MEMORY_BYTES)
  const spools = new Registry<string, LiveSpool>()
  const warnings = new Map<string, string>()

  const warn = (what: string, error: unknown): void => {
    const reason = reasonOf(error)
    if (warnings.get(what) !== reason) log({ reason }, what)
    warnings.set(what, reason)
  }

  const openDisk = (): OpenDisk | null => {
    if (!options.enabled) return null
    try {
      const folder = path.join(directory, 'runs')
      makeFolder(directory)
      makeFolder(folder)
      const quota = createQuota(folder, options, (id) => spools.has(id))
      const onRefused = (error: unknown): void => {
        warn(NOT_WRITTEN, error)
        // records matter more than old output
        if ((error as NodeJS.ErrnoException).code === 'ENOSPC') void quota.free(RECORDS_ROOM_BYTES)
      }
      const onTakenAgain = () => warnings.delete(NOT_WRITTEN)
      return {
        segments: createSegments(path.join(directory, 'history'), now, { onRefused, onTakenAgain }),
        folder,
        quota,
      }
    } catch (error) {
      warn('history and output are kept in memory alone', error)
      return null
    }
  }

  const disk = openDisk()

  const fileBytes = (id: string, kind: 'stdout' | 'stderr'): number =>
    disk ? (fs.statSync(runFilePath(disk.folder, id, kind), { throwIfNoEntry: false })?.size ?? 0) : 0

  const history = createHistory({
    segments: disk?.segments ?? null,
    replies: createReplyFiles(disk),
    redact: options.redact ? redactSecrets : (text) => text,
    maxCount: options.historyMaxCount,
    maxAgeMs: options.historyMaxAgeDays * DAY_MS,
    now,
    log,
    smallOf: (id) => spools.get(id)?.small() ?? null,
    spoolBytes: (id) => ({ stdout: fileBytes(id, 'stdout'), stderr: fileBytes(id, 'stderr') }),
    onForget: (id) => void disk?.quota.forget(id),
  })

  const keys = createKeys({
    file: disk && path.join(directory, 'keys.jsonl'),
    maxKeys: MAX_KEYS,
    maxAgeMs: KEY_AGE_MS,
    now,
    log,
  })

  const endHistory = async (record: ExecRecord, summary: SpoolSummary | null): Promise<void> => {
    const spool = spools.get(record.id)
    // a run that was denied or cancelled in the queue has no output, and whoever waits for it must hear of the end
    await spool?.finish()
    await history.end(record, summary)
    spools.delete(record.id)
    // a small output lies in its history line now
    if (spool?.spilled() && spool.small() !== null) void disk?.quota.forget(record.id)
  }

  const spool = (id: string): LiveSpool => {
    const made = spools.get(id) ?? createSpool({ id, disk, maxRunSpoolBytes, stallMs })
    spools.set(id, made)
    return made
  }

  const output = async (id: string): Promise<RunOutput> => {
    if (spools.has(id) || history.isLive(id)) return spool(id)
    const ended = await history.ended(id)
    if (ended === null) throw new ShellphoneError('NOT_FOUND', `No run has the id ${id}`)
    const { line, small } = ended
    if (small) return smallOutput(line.kept, small)
    return disk && line.kept.where === 'file' ? fileOutput(disk.folder, id, line.kept) : unkeptOutput(line.kept)
  }

  return {
    history: { ...history, end: endHistory },
    keys,
    spool,
    output,
    spoolBytes: () => disk?.quota.used() ?? 0,
    warnings: () => [...warnings].map(([what, reason]) => `${what}: ${reason}`),
    close: () => {
      history.close()
      keys.close()
    },
  }
}
