import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SettingError } from '../schema/index.ts'

/** A process as /proc shows it, by its pid; null: there is none, or no /proc. A zombie is not alive. */
export type StatOf = (pid: number) => { start: number; alive: boolean } | null

/**
 * Takes the file `path` as this process's lock, and gives back what releases it. It names a process by pid and start time, and only
 * a living one holds it: a crash cannot leave it behind. Throws SettingError when another process holds it (two would damage each
 * other's history and end each other's runs), and where the file cannot be written. A disk that is full takes no lock and
 * stops no start: the store works from memory then, and says so.
 */
export function takeLock(path: string, statOf: StatOf): () => void {
  const own = identity(process.pid, statOf)
  const holder = holderOf(path, statOf)
  if (holder !== null) {
    throw new SettingError(`${path}: another shellphone (pid ${holder}) already uses this SHELLPHONE_HOME`)
  }
  try {
    rmSync(path, { force: true })
    writeFileSync(path, own, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!isFull(error)) throw new SettingError(`${path}: the lock could not be taken: ${(error as Error).message}`)
  }
  // who removed the home has released it
  return () => readLock(path) === own && rmSync(path, { force: true })
}

const isFull = (error: unknown) => /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')

/** The other living process that holds the lock; null: nobody, or ourselves. */
function holderOf(path: string, statOf: StatOf): number | null {
  const text = readLock(path)
  const pid = Number.parseInt(text, 10)
  const isOther = pid > 0 && pid !== process.pid
  return isOther && isAlive(pid, statOf) && text === identity(pid, statOf) ? pid : null
}

function readLock(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it is not there, or no file: taking it will tell
  }
}

/** `pid start`, so that a pid given out again is another. The start is empty where there is no /proc (macOS). */
function identity(pid: number, statOf: StatOf): string {
  return `${pid} ${statOf(pid)?.start ?? ''}`
}

function isAlive(pid: number, statOf: StatOf): boolean {
  try {
    return statOf(pid)?.alive ?? process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
