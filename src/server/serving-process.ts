import { isatty } from 'node:tty'
import closeWithGrace from 'close-with-grace'
import pino, { type Logger } from 'pino'
import { toPeople } from './people-log.ts'
import { type LogEvent, SettingError } from '../shared/schema/index.ts'

/** Lines are written together: so many bytes, or after so long. A crash of the machine can cost those. */
const LOG_WRITE_BYTES = 8192
const LOG_FLUSH_MS = 250
/** Unwritten log above this is dropped: a stuck reader of our log must not fill memory. */
const MAX_LOG_BUFFER_BYTES = 4_194_304
/** Where the log goes: descriptors. */
export const STDOUT = 1
export const STDERR = 2

/** The log of a process that serves. */
export function createLog(level: string, dest: number): Logger {
  const destination = pino.destination({
    dest,
    sync: false,
    minLength: LOG_WRITE_BYTES,
    maxLength: MAX_LOG_BUFFER_BYTES,
  })
  destination.on('error', () => {}) // nobody reads the log any more: no reason to stop
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    timer = null
    destination.flush()
  }
  const forPeople = isatty(dest)
  const write = (line: string) => {
    destination.write(forPeople ? toPeople(line) : line)
    timer ??= setTimeout(flush, LOG_FLUSH_MS).unref()
  }
  const stream = { write, flush: (done?: (error?: Error) => void) => destination.flush(done) }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}

/** What can be listened with: a Fastify app. */
interface Listener {
  log: { level: string }
  listen(address: { host: string; port: number }): Promise<string>
}

/** Listens without Fastify's own lines about it, which say less than ours. Gives back a URL of it. */
export async function listenQuietly(app: Listener, address: { host: string; port: number }): Promise<string> {
  const { level } = app.log
  app.log.level = 'silent'
  try {
    return await app.listen(address)
  } finally {
    app.log.level = level
  }
}

/** By error code of listen(2): the setting to change, what is wrong and what to do. */
const listenErrors: Record<string, { setting: string; problem: string }> = {
  EADDRINUSE: {
    setting: 'port',
    problem: 'is already in use; stop the program that listens there, or choose another port',
  },
  EACCES: { setting: 'port', problem: 'is not permitted for this user; choose a port from 1024 upwards' },
  EADDRNOTAVAIL: {
    setting: 'host',
    problem: 'cannot be opened: no such address on this machine; use 0.0.0.0 for all of its addresses',
  },
}

/** The error for a failed listen(), which names the setting to change. `prefix` comes before that setting's name. */
export function notListening(
  { code = '', message }: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  prefix = '',
): SettingError {
  const { setting, problem } = listenErrors[code] ?? { setting: 'host', problem: `cannot be opened: ${message}` }
  return new SettingError(`setting ${prefix}${setting}: ${host} port ${port} ${problem}`)
}

/** Promises that were rejected where nobody awaited them: a fault of ours, and no reason to end what runs. */
export interface Rejections {
  /** since the start */
  count(): number
  stop(): void
}

/** Logs each with its stack, and counts it. */
export function watchRejections(log: Logger): Rejections {
  let count = 0
  const onRejection = (reason: unknown) => {
    count++
    const err = reason instanceof Error ? reason : new Error(String(reason))
    log.error({ err }, 'a promise was rejected and nobody handled it: this is a fault of the service')
  }
  process.on('unhandledRejection', onRejection)
  return { count: () => count, stop: () => void process.off('unhandledRejection', onRejection) }
}

/** SIGTERM and the like: take no more, end what runs within the grace, answer it, leave. */
export function stopOnSignal(close: () => Promise<unknown>, log: Logger, graceMs: number) {
  return closeWithGrace(
    { delay: graceMs + 5_000, logger: log, skip: ['SIGHUP', 'unhandledRejection'] },
    async ({ signal, err }) => {
      if (err) log.error({ err }, 'stopping after an error of our own')
      else log.info({ event: 'STOPPING' satisfies LogEvent, signal }, 'stopping')
      await close()
      log.flush()
    },
  )
}
