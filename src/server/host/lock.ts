import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SettingError } from '../../shared/schema/index.ts'

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
  try {
    while (!made(path, own)) removeDead(path, statOf)
  } catch (error) {
    if (error instanceof SettingError) throw error
    if (!isFull(error)) throw new SettingError(`${path}: the lock could not be taken: ${(error as Error).message}`)
  }
  // who removed the home has released it
  return () => read(path) === own && rmSync(path, { force: true })
}

const isFull = (error: unknown) => /^(?:ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')

/** Whoever makes the file has it. Not by link(), which Android allows no app. */
function made(path: string, own: string): boolean {
  try {
    writeFileSync(path, own, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Several may find a dead one's lock: one at a time looks again and removes it, lest it removes that of the next. Throws SettingError for a living one's. */
function removeDead(path: string, statOf: StatOf): void {
  refuseLiving(path, statOf)
  const release = takeLock(`${path}.removal`, statOf)
  try {
    refuseLiving(path, statOf)
    rmSync(path, { force: true })
  } finally {
    release()
  }
}

function refuseLiving(path: string, statOf: StatOf): void {
  const text = readWritten(path)
  const pid = Number.parseInt(text, 10)
  const isOther = pid > 0 && pid !== process.pid
  if (isOther && isAlive(pid, statOf) && text === identity(pid, statOf)) {
    throw new SettingError(`${path}: another shellphone (pid ${pid}) already uses this SHELLPHONE_HOME`)
  }
}

/** Who has made the file writes its name at once; it stays empty where the disk was full. */
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
