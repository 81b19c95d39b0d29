import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SettingError } from '../../shared/schema/index.ts'

/** Looks up a process in /proc by its pid; null: there is no such process, or no /proc. A zombie is not alive. */
export type StatOf = (pid: number) => { start: number; alive: boolean } | null

/**
 * Takes the lock file `path` for this process and returns a function that releases it. The file names a process by pid and start time, and
 * the lock is free once that process has ended, so a crash leaves no lock behind. Throws SettingError if another process holds it (two
 * services would damage each other's history and kill each other's runs) or if the file cannot be written. On a full disk the service
 * starts without the lock: the store then works from memory and reports it.
 */
export function takeLock(path: string, statOf: StatOf): () => void {
  const own = identity(process.pid, statOf)
  try {
    while (!create(path, own)) removeStale(path, statOf)
  } catch (error) {
    if (error instanceof SettingError) throw error
    if (!isFull(error)) throw new SettingError(`${path}: the lock could not be taken: ${(error as Error).message}`)
  }
  // anyone who has removed the home has released the lock
  return () => read(path) === own && rmSync(path, { force: true })
}

const isFull = (error: unknown) => /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')

/** Returns false if the file exists. Does not use link(), which Android allows no app. */
function create(path: string, own: string): boolean {
  try {
    writeFileSync(path, own, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Several processes may find a stale lock: one at a time checks again and removes it, so that none removes the next holder's. Throws SettingError if the holder lives. */
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
  const text = readWritten(path)
  const pid = Number.parseInt(text, 10)
  const isOther = pid > 0 && pid !== process.pid
  if (isOther && isAlive(pid, statOf) && text === identity(pid, statOf)) {
    throw new SettingError(`${path}: another shellphone (pid ${pid}) already uses this SHELLPHONE_HOME`)
  }
}

/** The process that creates the file writes to it at once; the file stays empty if the disk is full. */
const WRITING_MS = 50

function readWritten(path: string): string {
  const text = read(path)
  if (text !== '') return text
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITING_MS)
  return read(path)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // missing, or not a file: taking the lock reports it
  }
}

/** `pid start`, so that a reused pid is not mistaken for the same process. The start is empty without /proc (macOS). */
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
