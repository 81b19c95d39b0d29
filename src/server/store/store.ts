import path from 'node:path'
import { ShellphoneError } from '../../shared/schema/index.ts'
import { isFull, makeFolder } from './make-folder.ts'
import { History, RECORDS_ROOM_BYTES } from './history.ts'
import type { Disk } from './history-index.ts'
import type { StoreOptions } from './options.ts'
import type { RunOutput } from './output.ts'
import { Quota, type QuotaOptions } from './quota.ts'
import { Segments } from './segments.ts'
import { Warnings } from './warnings.ts'

/** null: the disk will not. */
function openDisk(options: Required<StoreOptions> & QuotaOptions, warnings: Warnings): Disk | null {
  const { directory, elapsedMs } = options
  try {
    makeFolder(directory)
    const quota = new Quota(path.join(directory, 'runs'), options)
    const onRefused = (error: unknown, givenUp: number): void => {
      warnings.set('NOT_WRITTEN', error)
      if (givenUp > 0) warnings.set('GIVEN_UP', `${givenUp} lines`)
      if (isFull(error)) quota.free(RECORDS_ROOM_BYTES).catch(() => {}) // lines wait for the disk, and say so
    }
    const onTakenAgain = () => warnings.clear('NOT_WRITTEN')
    return { quota, segments: new Segments(path.join(directory, 'history'), elapsedMs, { onRefused, onTakenAgain }) }
  } catch (error) {
    warnings.set('MEMORY_ALONE', error)
    return null
  }
}

/**
 * Opens what a former life left, all of it; a disk that will not be written to leaves a store in memory, and a warning.
 * No other process may use the folder meanwhile: who opens the store sees to that.
 */
export function createStore(given: StoreOptions) {
  const options = { stallMs: 5000, now: Date.now, elapsedMs: performance.now.bind(performance), ...given }
  const warnings = new Warnings(options.log)
  const runs = { isRunning: (id: string) => history.spools.has(id), onSwept: (id: string) => history.swept(id) }
  const disk: Disk | null = options.enabled ? openDisk({ ...options, ...runs }, warnings) : null
  const history: History = new History({ ...options, disk, warnings })
  const { index, keys, interrupted, spools } = history

  return {
    history: {
      begin: history.begin.bind(history),
      end: history.end.bind(history),
      interrupted,
      get: index.get.bind(index),
      list: index.list.bind(index),
    },
    keys,
    spool: history.spool.bind(history),
    /** The output of a run that waits, runs or has ended. NOT_FOUND: no such run; EXPIRED: swept or not kept. */
    output: async (id: string): Promise<RunOutput> => {
      if (spools.has(id) || index.live.has(id)) return history.spool(id)
      const ended = index.output(id)
      if (ended === null) throw new ShellphoneError('NOT_FOUND', `No run has the id ${id}`)
      return ended
    },
    /** bytes in runs/ */
    spoolBytes: () => disk?.quota.used() ?? 0,
    /** plain words on what does not work: a folder that cannot be written, lines that the disk refused */
    warnings: () => warnings.list(),
    close: () => history.close(),
  }
}

export type Store = ReturnType<typeof createStore>
