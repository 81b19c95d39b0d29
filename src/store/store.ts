import path from 'node:path'
import { Registry, ShellphoneError } from '../schema/index.ts'
import { isFull, makeFolder } from './folder.ts'
import { type Disk, History, RECORDS_ROOM_BYTES } from './history.ts'
import type { HistoryReader } from './history-read.ts'
import type { Keys } from './keys.ts'
import type { RunOutput } from './output.ts'
import { Quota, type QuotaOptions } from './quota.ts'
import { redact } from './redact.ts'
import { Segments } from './segments.ts'
import { MEMORY_BYTES, Spool } from './spool.ts'
import { type Log, Warnings } from './warnings.ts'

const DAY_MS = 86_400_000
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
  history: Pick<History, 'begin' | 'end' | 'interrupted'> & Pick<HistoryReader, 'get' | 'list'>
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

/** null: the disk will not. */
function openDisk(options: StoreOptions & QuotaOptions, elapsedMs: () => number, warnings: Warnings): Disk | null {
  const { directory } = options
  try {
    makeFolder(directory)
    const quota = new Quota(path.join(directory, 'runs'), options)
    const onRefused = (error: unknown, givenUp: number): void => {
      warnings.set(NOT_WRITTEN, error)
      if (givenUp > 0) warnings.set('records are given up, and will be gone after a restart', `${givenUp} lines`)
      if (isFull(error)) void quota.free(RECORDS_ROOM_BYTES)
    }
    const onTakenAgain = () => warnings.clear(NOT_WRITTEN)
    return { quota, segments: new Segments(path.join(directory, 'history'), elapsedMs, { onRefused, onTakenAgain }) }
  } catch (error) {
    warnings.set('history and output are kept in memory alone', error)
    return null
  }
}

/**
 * Opens what a former life left, all of it; a disk that will not be written to leaves a store in memory, and a warning.
 * No other process may use the folder meanwhile: who opens the store sees to that.
 */
export function createStore(options: StoreOptions): Store {
  const { log, enabled, stallMs = 5000, now = Date.now, elapsedMs = () => performance.now() } = options
  const maxBytes = Math.max(options.maxRunSpoolBytes, MEMORY_BYTES)
  const spools = new Registry<string, Spool>()
  const warnings = new Warnings(log)
  const runs = { isRunning: (id: string) => spools.has(id), onSwept: (id: string) => history.swept(id) }
  const disk = enabled ? openDisk({ ...options, ...runs }, elapsedMs, warnings) : null
  const quota = disk?.quota ?? null
  const history = new History({
    disk,
    maxCount: options.historyMaxCount,
    maxAgeMs: options.historyMaxAgeDays * DAY_MS,
    redact: options.redact ? redact : (text) => text,
    keysMustLast: enabled,
    ...{ log, warnings, now, elapsedMs },
  })

  const begin: History['begin'] = (record, key) =>
    history.begin(record, key).catch((error) => {
      spools.delete(record.id)
      throw error
    })

  const end: History['end'] = async (record, summary, shown) => {
    const spool = spools.get(record.id)
    // a run that was denied or cancelled in the queue has no output, and whoever waits for it must hear of the end
    const { small } = (await spool?.finish()) ?? {}
    const notes = await history.end(record, summary, shown)
    spools.delete(record.id)
    // a small output lies in its history line now
    if (small && spool?.files) void quota?.forget(record.id)
    return notes
  }

  const spool = (id: string): Spool => {
    const made = spools.get(id) ?? new Spool({ id, quota, maxBytes, stallMs })
    spools.set(id, made)
    return made
  }

  const { keys, reader, interrupted } = history
  return {
    history: { begin, end, interrupted, get: (id) => reader.get(id), list: (query) => reader.list(query) },
    keys,
    spool,
    output: async (id) => {
      if (spools.has(id) || history.isLive(id)) return spool(id)
      const ended = reader.output(id)
      if (ended === null) throw new ShellphoneError('NOT_FOUND', `No run has the id ${id}`)
      return ended
    },
    spoolBytes: () => quota?.used() ?? 0,
    warnings: () => warnings.list(),
    close: () => history.close(),
  }
}
