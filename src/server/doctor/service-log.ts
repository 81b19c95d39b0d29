import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** So much of the log's end is read. */
const MAX_BYTES = 1_048_576

/** What the log of the runit service says. */
interface ServiceLog {
  /** when the oldest line that was read was written; null: there is no log */
  sinceMs: number | null
  /** times at which it began to listen, and whether its life before had been ended by SIGKILL (or by a restart of the phone) */
  starts: { atMs: number; afterKill: boolean }[]
  /** times at which finish found that it had ended without a stop, and its last words */
  ends: { atMs: number; words: string }[]
  /** of all its files */
  bytes: number
}

/** The folder that runit's svlogd writes our log to. */
export const logFolder = (prefix: string, env: Record<string, string | undefined>) =>
  join(env.LOGDIR ?? join(prefix, 'var/log'), 'sv/shellphone')

/** Reads the newest file of the log. A missing one is an empty one. */
export function readServiceLog(folder: string): ServiceLog {
  const log: ServiceLog = { sinceMs: null, starts: [], ends: [], bytes: sizeOf(folder) }
  let [afterKill, words] = [false, '']
  for (const { atMs, text } of linesOf(join(folder, 'current'))) {
    log.sinceMs ??= atMs
    if (text.includes('"msg":"stopping"')) afterKill = false
    if (text.includes('"msg":"listening"')) {
      log.starts.push({ atMs, afterKill })
      afterKill = true
    }
    if (text.startsWith('shellphone: ')) words = text
    if (text.startsWith('shellphone ended after ')) {
      afterKill &&= text.includes('signal 9)')
      log.ends.push({ atMs, words: words || text })
      words = ''
    }
  }
  return log
}

/** svlogd -tt writes `2026-11-22_13:49:38.12345 ` ahead of each line, in UTC. */
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
    return '' // never started as a service
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
    return 0 // no log, or svlogd turns it over just now
  }
}
