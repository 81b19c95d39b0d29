import { readdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { isRunId } from './ids.ts'
import { streams } from './order-list.ts'
import { removeRunFiles, runFileBytes } from './run-files.ts'

/** Free space is asked for after so many bytes at the latest, and more often near the floor. */
const FLOOR_EVERY_BYTES = 8 * 1024 * 1024
/** A sweep goes on until so much of the limit is used. */
const SWEEP_TO = 0.9

export interface QuotaLimits {
  maxSpoolBytes: number
  minFreeBytes: number
}

export interface QuotaEvents {
  /** a sweep must not touch it */
  isRunning(id: string): boolean
  onSwept(id: string): void
}

/** Counts the bytes in runs/ and keeps them under the limit. */
export interface Quota {
  used(): number
  /** May `bytes` more be written? null: yes (and they are counted); otherwise why not. Sweeps the oldest ended runs first. */
  admit(bytes: number): Promise<string | null>
  /** Counts bytes that were admitted and then not written. */
  giveBack(bytes: number): void
  /** Removes the files of an ended run. */
  forget(id: string): Promise<void>
  /** Removes ended runs, oldest first, until so many bytes more are free; returns how many runs were swept. */
  free(bytes: number): Promise<number>
}

/** Where runs are spooled, and what may still be. */
export interface Disk {
  folder: string
  quota: Quota
}

interface RunBytes {
  id: string
  bytes: number
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** The runs that have files, oldest first, with their bytes. */
const listRuns = async (folder: string): Promise<RunBytes[]> => {
  const found = new Map<string, number>()
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const id = name.slice(0, name.indexOf('.'))
    if (isRunId(id)) found.set(id, (found.get(id) ?? 0) + (await sizeOf(path.join(folder, name))))
  }
  return [...found].map(([id, bytes]) => ({ id, bytes })).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Bytes that are free above the floor; what cannot be known does not stop anybody. */
const spareBytes = (folder: string, minFreeBytes: number): Promise<number> =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize - minFreeBytes,
    () => FLOOR_EVERY_BYTES,
  )

/** Counts what lies there and removes it, oldest ended run first; one at a time, or two sweeps would count the same file twice. */
const createUsage = (folder: string, { isRunning, onSwept }: QuotaEvents) => {
  let used = 0
  let turn: Promise<unknown> = listRuns(folder).then((runs) => {
    used += runs.reduce((sum, { bytes }) => sum + bytes, 0)
  })

  const remove = async ({ id, bytes }: RunBytes): Promise<void> => {
    await removeRunFiles(folder, id)
    used -= bytes
  }

  /** Sweeps until at most `target` bytes are used; gives back how many runs went. */
  const sweepTo = async (target: number): Promise<number> => {
    if (used <= target) return 0
    let swept = 0
    const runs = await listRuns(folder)
    // what somebody else removed is not used any more
    used = runs.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const run of runs) {
      if (used <= target) break
      if (isRunning(run.id)) continue
      await remove(run)
      onSwept(run.id)
      swept++
    }
    return swept
  }

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }

  const add = (bytes: number): void => {
    used += bytes
  }

  return { used: () => used, add, remove, sweepTo, inTurn }
}

export const createQuota = (
  folder: string,
  { maxSpoolBytes, minFreeBytes }: QuotaLimits,
  events: QuotaEvents,
): Quota => {
  const { used, add, remove, sweepTo, inTurn } = createUsage(folder, events)
  /** bytes that may be written before free space is asked for again */
  let allowance = 0

  const aboveFloor = async (bytes: number): Promise<boolean> => {
    allowance -= bytes
    if (allowance >= 0) return true
    let spare = await spareBytes(folder, minFreeBytes)
    if (spare < bytes && (await sweepTo(used() - (bytes - spare))) > 0) spare = await spareBytes(folder, minFreeBytes)
    allowance = Math.min(FLOOR_EVERY_BYTES, Math.floor((spare - bytes) / 2))
    return spare >= bytes
  }

  const admit = async (bytes: number): Promise<string | null> => {
    if (used() + bytes > maxSpoolBytes) await sweepTo(maxSpoolBytes * SWEEP_TO - bytes)
    if (!(await aboveFloor(bytes))) return `less than ${minFreeBytes} bytes of disk are free`
    if (used() + bytes > maxSpoolBytes) return `the limit of ${maxSpoolBytes} bytes for all runs is reached`
    add(bytes)
    return null
  }

  const forget = async (id: string): Promise<void> => {
    await remove({ id, bytes: streams.reduce((sum, stream) => sum + runFileBytes(folder, id, stream), 0) })
  }

  return {
    used,
    admit: (bytes) => inTurn(() => admit(bytes)),
    giveBack: (bytes) => add(-bytes),
    forget: (id) => inTurn(() => forget(id)),
    free: (bytes) => inTurn(() => sweepTo(used() - bytes)),
  }
}
