import { readdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { reasonOf } from './folder.ts'
import { isRunId } from './ids.ts'
import { type RunFileKind, removeRunFiles, runFileBytes, runFileKinds, writeRunFile } from './run-files.ts'

/** Free space is asked for after so many bytes at the latest, and more often near the floor. */
const FLOOR_EVERY_BYTES = 8 * 1024 * 1024
/** A sweep goes on until so much of the limit is used. */
const SWEEP_TO = 0.9

export interface QuotaLimits {
  maxSpoolBytes: number
  minFreeBytes: number
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

/** Writes a run's side file if there is room; null: written, otherwise why not. */
export const writeCounted = async (
  { folder, quota }: Disk,
  id: string,
  kind: RunFileKind,
  text: string,
): Promise<string | null> => {
  const bytes = Buffer.byteLength(text)
  const refused = await quota.admit(bytes)
  if (refused !== null) return refused
  try {
    await writeRunFile(folder, id, kind, text)
    return null
  } catch (error) {
    quota.giveBack(bytes)
    return reasonOf(error)
  }
}

interface Kept {
  id: string
  bytes: number
}

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size
  } catch {
    return 0
  }
}

/** The runs that have files, oldest first, with their bytes. */
const listKept = async (folder: string): Promise<Kept[]> => {
  const found = new Map<string, number>()
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const id = name.slice(0, name.indexOf('.'))
    if (isRunId(id)) found.set(id, (found.get(id) ?? 0) + (await sizeOf(path.join(folder, name))))
  }
  return [...found].map(([id, bytes]) => ({ id, bytes })).sort((a, b) => (a.id < b.id ? -1 : 1))
}

const keptOf = async (folder: string, id: string): Promise<Kept> => {
  const sizes = await Promise.all(runFileKinds.map((kind) => runFileBytes(folder, id, kind)))
  return { id, bytes: sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) }
}

/** `isRunning`: runs that a sweep must not touch. */
export const createQuota = (
  folder: string,
  { maxSpoolBytes, minFreeBytes }: QuotaLimits,
  isRunning: (id: string) => boolean,
): Quota => {
  let used = 0
  /** bytes that may be written before free space is asked for again */
  let allowance = 0
  let turn: Promise<unknown> = listKept(folder).then((kept) => {
    used += kept.reduce((sum, { bytes }) => sum + bytes, 0)
  })

  const forget = async ({ id, bytes }: Kept): Promise<void> => {
    await removeRunFiles(folder, id)
    used -= bytes
  }

  /** Removes ended runs, oldest first, as long as `wanted` says so. */
  const sweepWhile = async (wanted: () => boolean): Promise<number> => {
    if (!wanted()) return 0
    let swept = 0
    const found = await listKept(folder)
    // what somebody else removed is not used any more
    used = found.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const kept of found) {
      if (!wanted()) break
      if (isRunning(kept.id)) continue
      await forget(kept)
      swept++
    }
    return swept
  }

  const sweepFor = (bytes: number): Promise<number> => {
    const target = used + bytes > maxSpoolBytes ? maxSpoolBytes * SWEEP_TO - bytes : Number.POSITIVE_INFINITY
    return sweepWhile(() => used > target)
  }

  /** One at a time: two sweeps would count the same file twice. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }

  /** Bytes that are free above the floor; what cannot be known does not stop anybody. */
  const spareBytes = async (): Promise<number> => {
    try {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize - minFreeBytes
    } catch {
      return FLOOR_EVERY_BYTES
    }
  }

  /** Removes ended runs, oldest first, until so many bytes are free that were not; returns how many runs. */
  const freeNow = (bytes: number): Promise<number> => {
    const target = used - bytes
    return sweepWhile(() => used > target)
  }

  const aboveFloor = async (bytes: number): Promise<boolean> => {
    allowance -= bytes
    if (allowance >= 0) return true
    let spare = await spareBytes()
    if (spare < bytes && (await freeNow(bytes - spare)) > 0) spare = await spareBytes()
    allowance = Math.min(FLOOR_EVERY_BYTES, Math.floor((spare - bytes) / 2))
    return spare >= bytes
  }

  const admitNow = async (bytes: number): Promise<string | null> => {
    await sweepFor(bytes)
    if (!(await aboveFloor(bytes))) return `less than ${minFreeBytes} bytes of disk are free`
    if (used + bytes > maxSpoolBytes) return `the limit of ${maxSpoolBytes} bytes for all runs is reached`
    used += bytes
    return null
  }

  return {
    used: () => used,
    admit: (bytes) => inTurn(() => admitNow(bytes)),
    giveBack: (bytes) => {
      used -= bytes
    },
    forget: (id) => inTurn(async () => forget(await keptOf(folder, id))),
    free: (bytes) => inTurn(() => freeNow(bytes)),
  }
}
