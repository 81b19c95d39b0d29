import fs from 'node:fs'
import { readdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { isRunId } from '../../shared/schema/index.ts'
import { makeFolder } from './make-folder.ts'
import { streams } from './output.ts'
import { removeRunFiles, runFileBytes } from './run-files.ts'

/** Free disk space is checked at least once per this many bytes, and more often near the minimum. */
const FLOOR_EVERY_BYTES = 8 * 1024 * 1024
/** A sweep continues until usage has fallen to this share of the limit. */
const SWEEP_TO = 0.9

export interface QuotaOptions {
  /** limit on the stored output of all runs */
  maxSpoolBytes: number
  /** bytes that must stay free on the disk */
  minFreeBytes: number
  /** whether the run is live; a sweep must not remove its files */
  isRunning(id: string): boolean
  onSwept(id: string): void
}

const bytesOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** The run that an output file belongs to; null: it is not an output file. */
function runOf(name: string): string | null {
  const [id, kind] = name.split('.')
  return isRunId(id) && streams.some((stream) => stream === kind) ? id : null
}

/** Limits the total size of the output files of all runs in one folder; removes the oldest ended runs first. */
export class Quota {
  #used = 0
  /** bytes that may be written before free space is checked again */
  #allowance = 0
  /** bytes admitted for each live run; its files may be smaller while a write is under way */
  readonly #admitted = new Map<string, number>()
  /** serialises the operations, because two concurrent sweeps would count the same file twice */
  #turn: Promise<unknown>

  /** Throws as fs does if the folder cannot be created. */
  constructor(
    readonly folder: string,
    private readonly options: QuotaOptions,
  ) {
    makeFolder(folder)
    this.#turn = this.#list().then((runs) => {
      for (const { bytes } of runs) this.#used += bytes
    })
  }

  used(): number {
    return this.#used
  }

  /** The runs that have files; throws as fs does. */
  ids(): Set<string> {
    return new Set(fs.readdirSync(this.folder).flatMap((name) => runOf(name) ?? []))
  }

  /** Asks to write `bytes` more for this run. Resolves to null if they are admitted and counted, otherwise to the reason for the refusal. */
  admit(id: string, bytes: number): Promise<string | null> {
    return this.#inTurn(() => this.#admit(id, bytes))
  }

  /** Gives back bytes that were admitted but not written. */
  giveBack(id: string, bytes: number): void {
    this.#used -= bytes
    const admitted = this.#admitted.get(id)
    if (admitted !== undefined) this.#admitted.set(id, admitted - bytes)
  }

  /** Call when the run has stopped writing: from then on, the sizes of its files count. */
  ended(id: string): void {
    this.#admitted.delete(id)
  }

  /** Removes the files of an ended run. */
  forget(id: string): Promise<void> {
    const bytes = () => streams.reduce((sum, stream) => sum + runFileBytes(this.folder, id, stream), 0)
    return this.#inTurn(() => this.#remove(id, bytes()))
  }

  /** Sweeps until `bytes` more are free; returns the number of runs removed. */
  free(bytes: number): Promise<number> {
    return this.#inTurn(() => this.#sweepTo(this.#used - bytes))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  /** The runs that have files, oldest first, with their bytes. */
  async #list(): Promise<{ id: string; bytes: number }[]> {
    const found = new Map<string, number>()
    for (const name of await readdir(this.folder).catch(() => [] as string[])) {
      const id = runOf(name)
      if (id !== null) found.set(id, (found.get(id) ?? 0) + (await bytesOf(path.join(this.folder, name))))
    }
    for (const [id, bytes] of this.#admitted) found.set(id, bytes)
    return [...found].map(([id, bytes]) => ({ id, bytes })).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async #remove(id: string, bytes: number): Promise<void> {
    await removeRunFiles(this.folder, id)
    this.#used -= bytes
  }

  async #sweepTo(target: number): Promise<number> {
    if (this.#used <= target) return 0
    const runs = await this.#list()
    // count again: another program may have removed files
    this.#used = runs.reduce((sum, { bytes }) => sum + bytes, 0)
    let swept = 0
    for (const { id, bytes } of runs) {
      if (this.#used <= target) break
      if (this.options.isRunning(id)) continue
      await this.#remove(id, bytes)
      this.options.onSwept(id)
      swept++
    }
    return swept
  }

  async #isAboveFloor(bytes: number): Promise<boolean> {
    this.#allowance -= bytes
    if (this.#allowance >= 0) return true
    let spare = await this.#spareBytes()
    if (spare < bytes && (await this.#sweepTo(this.#used - (bytes - spare))) > 0) spare = await this.#spareBytes()
    this.#allowance = Math.min(FLOOR_EVERY_BYTES, Math.floor((spare - bytes) / 2))
    return spare >= bytes
  }

  /** Free bytes above the minimum; if they cannot be determined, writing continues. */
  #spareBytes(): Promise<number> {
    return statfs(this.folder).then(
      ({ bavail, bsize }) => bavail * bsize - this.options.minFreeBytes,
      () => FLOOR_EVERY_BYTES,
    )
  }

  async #admit(id: string, bytes: number): Promise<string | null> {
    const { maxSpoolBytes, minFreeBytes } = this.options
    if (this.#used + bytes > maxSpoolBytes) await this.#sweepTo(maxSpoolBytes * SWEEP_TO - bytes)
    if (!(await this.#isAboveFloor(bytes))) return `less than ${minFreeBytes} bytes of disk space would be free`
    if (this.#used + bytes > maxSpoolBytes)
      return `the limit of ${maxSpoolBytes} bytes for all runs (max_spool_bytes) is reached`
    this.#used += bytes
    this.#admitted.set(id, (this.#admitted.get(id) ?? 0) + bytes)
    return null
  }
}
