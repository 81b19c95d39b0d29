import { isatty } from 'node:tty'
import closeWithGrace from 'close-with-grace'
import pino, { type Logger } from 'pino'
import { within } from '../shared/async/index.ts'
import { toPeople } from './people-log.ts'
import { type LogEvent, SettingError } from '../shared/schema/index.ts'

/** Log lines are written in batches of this size, or after this time. A crash of the machine can lose one batch. */
const LOG_WRITE_BYTES = 8192
const LOG_FLUSH_MS = 250
/** Maximum unwritten log. Further lines are dropped, so that a stuck log reader does not fill memory. */
const MAX_LOG_BUFFER_BYTES = 4_194_304
/** Time limit for writing the last lines at the stop. */
const LOG_END_MS = 1_000
/** File descriptors for the log. */
export const STDOUT = 1
export const STDERR = 2

/** Creates the log of a service process. */
export function createLog(level: string, dest: number): Logger {
  const destination = pino.destination({
    dest,
    sync: false,
    minLength: LOG_WRITE_BYTES,
    maxLength: MAX_LOG_BUFFER_BYTES,
  })
  let hasFailed = false
  destination.on('error', () => (hasFailed = true)) // the log reader has closed, which must not stop the service
  destination.on('drain', () => (hasFailed = false))
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    timer = null
    destination.flush()
  }
  const forPeople = isatty(dest)
  // at the exit, pino repeats a write that fails until it succeeds, which would take for ever
  process.prependOnceListener('exit', () => {
    if (hasFailed || (forPeople && !isatty(dest))) destination.destroy()
  })
  const write = (line: string) => {
    destination.write(forPeople ? toPeople(line) : line)
    timer ??= setTimeout(flush, LOG_FLUSH_MS).unref()
  }
  const stream = { write, flush: (done?: (error?: Error) => void) => destination.flush(done) }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}

/** The part of a Fastify app that listens. */
interface Listener {
  log: { level: string }
  listen(address: { host: string; port: number }): Promise<string>
}

/** Listens without Fastify's own log lines, which are less informative than the service's. Returns a URL of the service. */
export async function listenQuietly(app: Listener, address: { host: string; port: number }): Promise<string> {
  const { level } = app.log
  app.log.level = 'silent'
  try {
    return await app.listen(address)
  } finally {
    app.log.level = level
  }
}

/** For each error code of listen(2): the setting to change, the problem and the fix. */
const listenErrors: Record<string, { setting: string; problem: string }> = {
  EADDRINUSE: {
    setting: 'port',
    problem: 'is already in use; stop the program that listens there, or choose another port',
  },
  EACCES: { setting: 'port', problem: 'is not permitted for this user; choose a port from 1024 upwards' },
  EADDRNOTAVAIL: {
    setting: 'host',
    problem: 'cannot be opened: this machine has no such address; use 0.0.0.0 for all of its addresses',
  },
}

/** Creates the error for a failed listen(). It names the setting to change, with `prefix` before the setting's name. */
export function notListening(
  { code = '', message }: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  prefix = '',
): SettingError {
  const { setting, problem } = listenErrors[code] ?? { setting: 'host', problem: `cannot be opened: ${message}` }
  return new SettingError(`setting ${prefix}${setting}: ${host} port ${port} ${problem}`)
}

/** Unhandled promise rejections. They are bugs in the service, but must not end its runs. */
export interface Rejections {
  /** returns the number of rejections since the start */
  count(): number
  stop(): void
}

/** Logs each rejection with its stack and counts it. */
export function watchRejections(log: Logger): Rejections {
  let count = 0
  const onRejection = (reason: unknown) => {
    count++
    const err = reason instanceof Error ? reason : new Error(String(reason))
    log.error({ err }, 'unhandled promise rejection: this is a bug in the service')
  }
  process.on('unhandledRejection', onRejection)
  return { count: () => count, stop: () => void process.off('unhandledRejection', onRejection) }
}

/** Stops on SIGTERM and similar signals: accepts no more requests, ends runs within the grace period, sends responses and exits. */
export function stopOnSignal(close: () => Promise<unknown>, log: Logger, graceMs: number) {
  return closeWithGrace(
    { delay: graceMs + 5_000, logger: log, skip: ['SIGHUP', 'unhandledRejection'] },
    async ({ signal, err }) => {
      if (err) log.error({ err }, 'stopping after an internal error')
      else log.info({ event: 'STOPPING' satisfies LogEvent, signal }, 'stopping')
      await close()
      await within(new Promise<void>((resolve) => log.flush(() => resolve())), LOG_END_MS) // shows whether the log can be written
    },
  )
}
