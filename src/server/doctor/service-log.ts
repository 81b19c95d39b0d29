import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LogEvent } from '../../shared/schema/index.ts'

/** Number of bytes that are read from the end of the log. */
const MAX_BYTES = 1_048_576
/** The prefix of the command line's error messages. */
const OWN_NAME = 'shellphone: '
/** The signal number in the form in which runit passes it to finish. */
const SIGKILL = '9'

/** The facts in the log of the runit service. */
interface ServiceLog {
  /** the time of the oldest line that was read; null: no log */
  sinceMs: number | null
  /** the times at which the service began to listen, and whether SIGKILL or a reboot ended the previous process */
  starts: { atMs: number; afterKill: boolean }[]
  /** the times at which finish recorded an unexpected end, and the last error message */
  crashes: { atMs: number; reason: string }[]
  /** the total size of all log files */
  bytes: number
}

/** Returns the folder to which runit's svlogd writes the service's log. */
export const logFolder = (prefix: string, env: Record<string, string | undefined>) =>
  join(env.LOGDIR ?? join(prefix, 'var/log'), 'sv/shellphone')

/** Reads the newest file of the log. A missing file counts as empty. */
export function readServiceLog(folder: string): ServiceLog {
  const log: ServiceLog = { sinceMs: null, starts: [], crashes: [], bytes: sizeOf(folder) }
  let [afterKill, words] = [false, '']
  for (const { atMs, text } of linesOf(join(folder, 'current'))) {
    log.sinceMs ??= atMs
    const { event, signal, msg = '' } = factsIn(text)
    if (event === 'STOPPING') afterKill = false
    if (event === 'LISTENING') {
      log.starts.push({ atMs, afterKill })
      afterKill = true
    }
    if (text.startsWith(OWN_NAME)) words = text
    if (event === 'ENDED') {
      afterKill &&= signal === SIGKILL
      log.crashes.push({ atMs, reason: words || msg })
      words = ''
    }
  }
  return log
}

/** Returns the fields of a JSON line; empty if the line is not JSON or is truncated. */
function factsIn(text: string): { event?: LogEvent; signal?: string; msg?: string } {
  try {
    return text.startsWith('{') ? JSON.parse(text) : {}
  } catch {
    return {}
  }
}

/** Returns the lines of a log. svlogd -tt starts each line with `2026-11-22_13:49:38.12345 `, in UTC. */
function linesOf(file: string): { atMs: number; text: string }[] {
  return endOf(file)
    .split('\n')
    .map((line) => {
      const [, day, time, text] = /^(\d{4}-\d\d-\d\d)_(\d\d:\d\d:\d\d\.\d{3})\d* (.*)$/.exec(line) ?? []
      return { atMs: Date.parse(`${day}T${time}Z`), text: text ?? '' }
    })
    .filter(({ atMs }) => !Number.isNaN(atMs))
}

function endOf(file: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return '' // the service has never run under runit
  }
  try {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES))
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length))
  } finally {
    closeSync(descriptor)
  }
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    return 0 // no log exists, or svlogd is rotating it
  }
}
