import path from 'node:path'
import { isFull, makeFolder } from './make-folder.ts'
import { History, RECORD_RESERVE_BYTES } from './history.ts'
import type { RunEvents } from './history-events.ts'
import type { Disk } from './history-index.ts'
import { noSuchRun } from './ids.ts'
import type { StoreOptions } from './options.ts'
import type { RunOutput } from './output.ts'
import { Quota, type QuotaOptions } from './quota.ts'
import { Segments } from './segments.ts'
import { Warnings } from './warnings.ts'

/** Opens the disk; null, with a warning, if it cannot be used. */
function openDisk(options: Required<StoreOptions> & QuotaOptions, warnings: Warnings): Disk | null {
  const { directory, elapsedMs } = options
  try {
    makeFolder(directory)
    const quota = new Quota(path.join(directory, 'runs'), options)
    const onRefused = (error: unknown, dropped: number): void => {
      warnings.set('NOT_WRITTEN', error)
      if (dropped > 0) warnings.set('GIVEN_UP', `${dropped} lines`)
      if (isFull(error)) quota.free(RECORD_RESERVE_BYTES).catch(() => {}) // the lines stay queued, and the warning is set
    }
    const onRecovered = () => warnings.clear('NOT_WRITTEN')
    return { quota, segments: new Segments(path.join(directory, 'history'), elapsedMs, { onRefused, onRecovered }) }
  } catch (error) {
    warnings.set('MEMORY_ALONE', error)
    return null
  }
}

/**
 * Opens the data that earlier starts have stored. If the disk cannot be written, the store is only in memory, with a warning.
 * The caller ensures that no other process uses the folder.
 */
export function createStore(storeOptions: StoreOptions) {
  const options = { stallMs: 5000, now: Date.now, elapsedMs: performance.now.bind(performance), ...storeOptions }
  const warnings = new Warnings(options.log)
  const runs = { isRunning: (id: string) => history.spools.has(id), onSwept: (id: string) => history.swept(id) }
  const disk: Disk | null = options.enabled ? openDisk({ ...options, ...runs }, warnings) : null
  const history: History = new History({ ...options, disk, warnings })
  const { index, keys, interrupted, spools } = history

  return {
    history: {
      begin: history.begin.bind(history),
      end: history.end.bind(history),
      approvalStep: history.approvalStep.bind(history),
      interrupted,
      events: history.events as RunEvents,
      get: index.get.bind(index),
      list: index.list.bind(index),
    },
    keys,
    spool: history.spool.bind(history),
    /** The output of a queued, running or ended run. Throws NOT_FOUND: no such run; EXPIRED: swept or not stored. */
    output: async (id: string): Promise<RunOutput> => {
      if (spools.has(id) || index.live.has(id)) return history.spool(id)
      const ended = index.output(id)
      if (ended === null) throw noSuchRun(id)
      return ended
    },
    /** bytes in runs/ */
    spoolBytes: () => disk?.quota.used() ?? 0,
    /** problems in plain words: a folder that cannot be written, lines that are not on disk */
    warnings: () => warnings.list(),
    close: () => history.close(),
  }
}

export type Store = ReturnType<typeof createStore>
