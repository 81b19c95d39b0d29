import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SettingError } from '../../shared/schema/index.ts'

/** Looks up a process in /proc by its pid; null if there is no such process or no /proc. A zombie is not alive. */
export type StatOf = (pid: number) => { start: number; alive: boolean } | null

/**
 * Takes the lock file `path` for this process and returns a function that releases it. The file names a process by pid and start time. The
 * lock is free once that process has ended, so a crash leaves no lock behind. Throws SettingError if another process holds the lock (two
 * services would damage each other's history and kill each other's runs) or if the file cannot be written. On a full disk the service
 * starts without the lock; the store then works from memory and reports it.
 */
export function takeLock(path: string, statOf: StatOf): () => void {
  const own = identity(process.pid, statOf)
  try {
    while (!create(path, own)) removeStale(path, statOf)
  } catch (error) {
    if (error instanceof SettingError) throw error
    if (!isFull(error)) throw new SettingError(`${path}: cannot take the lock: ${(error as Error).message}`)
  }
  // anyone who has removed the home has released the lock
  return () => read(path) === own && rmSync(path, { force: true })
}

/** The pid of the live process that holds the lock file `path`; null: nobody holds it. */
export function lockHolder(path: string, statOf: StatOf): number | null {
  const text = read(path)
  const pid = Number.parseInt(text, 10)
  return pid > 0 && isAlive(pid, statOf) && text === identity(pid, statOf) ? pid : null
}

const isFull = (error: unknown) => /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')

/** Creates the file; returns false if it exists. Does not use link(), which Android forbids for apps. */
function create(path: string, own: string): boolean {
  try {
    writeFileSync(path, own, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes a stale lock. Several processes may find it, so only one at a time checks it again and removes it; otherwise a process could remove
 * the lock of the next holder. Throws SettingError if the holder is alive.
 */
function removeStale(path: string, statOf: StatOf): void {
  refuseLive(path, statOf)
  const release = takeLock(`${path}.removal`, statOf)
  try {
    refuseLive(path, statOf)
    rmSync(path, { force: true })
  } finally {
    release()
  }
}

function refuseLive(path: string, statOf: StatOf): void {
  if (read(path) === '') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITING_MS)
  const pid = lockHolder(path, statOf)
  if (pid !== null && pid !== process.pid) {
    throw new SettingError(`${path}: another shellphone (pid ${pid}) already uses this SHELLPHONE_HOME`)
  }
}

/** Time to wait for the content of an empty file. Its creator writes to it at once; on a full disk it stays empty. */
const WRITING_MS = 50

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // missing, or not a file; taking the lock reports the error
  }
}

/** Returns `pid start`, so that a reused pid is not mistaken for the same process. Without /proc (macOS), the start is empty. */
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
