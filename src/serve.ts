import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { isatty } from 'node:tty'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'
import { createApp } from './app.ts'
import { createDoctor } from './doctor/index.ts'
import { openDoctorWorld } from './doctor-world.ts'
import type { Executor } from './exec/index.ts'
import { createUploads } from './files/index.ts'
import {
  ADDRESS_FILE,
  checkPlaces,
  createSleepMeter,
  type Home,
  openHome,
  ownersShell,
  urlOf,
  warnings,
} from './host/index.ts'
import type { Mcp } from './mcp/index.ts'
import type { Notifier } from './notify/index.ts'
import { type Access, openAccess } from './open-access.ts'
import { openDevice } from './open-device.ts'
import { openNotifications } from './open-notifications.ts'
import { toPeople } from './people-log.ts'
import { createReload, type Reload } from './reload.ts'
import { SettingError, toIso } from './schema/index.ts'
import type { Config } from './settings.ts'
import { endOrphans, type OpenedSpawner, readStat } from './spawn/index.ts'
import { version } from './version.ts'
import { openExecutor, openSpawnerFor } from './wire.ts'

/** Lines are written together: so many bytes, or after so long. A crash of the machine can cost those. */
const LOG_WRITE_BYTES = 8192
const LOG_FLUSH_MS = 250
/** Unwritten log above this is dropped: a stuck reader of our log must not fill memory. */
const MAX_LOG_BUFFER_BYTES = 4_194_304
/** At a stop the notifications are taken away within this. */
const NOTIFIER_GRACE_MS = 3_000

/** Where the log goes: descriptors. */
const STDOUT = 1
export const STDERR = 2

/** A service that listens. */
export interface Serving {
  url: string
  token: string
  close(): Promise<unknown>
}

/** Starts the service; it serves until a signal, or until it is closed. `read`: its settings, now and whenever they may have changed. */
export async function serve(read: () => Promise<Config>, logTo = STDOUT): Promise<Serving> {
  const config = await read()
  const { settings } = config
  checkPlaces(settings.shell, settings.working_directory)
  const home = openHome(config.home, config.token, readStat)
  process.once('exit', home.release)
  const log = createLog(settings.log_level, logTo)
  const instance = randomBytes(8).toString('hex')
  const orphans = await endOrphans(home.markKey, instance)
  if (orphans.ended > 0 || orphans.survivors.length > 0) log.warn(orphans, 'ended what a dead service had left running')
  const opened = await openSpawnerFor(settings, home)
  const executor = openExecutor(config, home, opened, instance, log)
  const at = () => app.server.address() as AddressInfo
  const where = { address: at, page: async () => `${(await access.addresses(at()))[0]}/#/approvals` }
  const notifier = openNotifications(config, executor.approvals, home, where, log)
  const access = await openAccess(config, home, log)
  const reload = createReload({ config, read, tokens: access.tokens, renewCertificate: access.renew, log })
  const app: FastifyInstance = await openApp({ config, home, executor, opened, notifier, access, reload, log })
  const port = access.secure(app.server)
  if (port) app.addHook('preClose', async () => port.cutAll())
  app.addHook('onClose', () => opened.spawner.close())
  app.addHook('onClose', reload.start())
  app.addHook('onClose', async () => home.file(ADDRESS_FILE).remove())
  app.addHook('onClose', async () => access.tokens.close())
  const close = () => Promise.all([app.close(), notifier.close(NOTIFIER_GRACE_MS)])
  const signals = stopOnSignal(close, log, settings.stop_grace_seconds * 1000)
  const address = await app.listen({ host: settings.host, port: settings.port }).catch(async (error) => {
    signals.uninstall()
    await close()
    throw notListening(error, settings)
  })
  const { address: host, port: listening } = app.server.address() as AddressInfo
  sayAddress(urlOf(host, listening), home, log)
  const { name: spawner } = opened.spawner
  log.info(
    {
      address,
      version,
      platform: process.platform,
      home: home.directory,
      spawner,
      why: opened.reason,
      sandbox: opened.sandboxes.available,
    },
    'listening',
  )
  log.flush()
  return { url: address, token: home.token, close }
}

function createLog(level: string, dest: number): Logger {
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
  return pino({ level, base: null, timestamp: () => `,"time":"${toIso(Date.now())}"` }, stream)
}

interface Rooms {
  config: Config
  home: Home
  executor: Executor
  opened: OpenedSpawner
  notifier: Notifier
  access: Access
  reload: Reload
  log: Logger
}

async function openApp(rooms: Rooms): Promise<FastifyInstance> {
  const { config, home, executor, opened, notifier, access, reload, log } = rooms
  const facts = {
    spawner: { name: opened.spawner.name, reason: opened.reason },
    sandbox: { available: opened.sandboxes.available, reason: opened.sandboxes.reason },
  }
  const { settings } = config
  const lasting = warnings(process.platform, process.env, settings.host)
  const sleptSeconds = createSleepMeter()
  let mcp: Mcp | null = null
  const app: FastifyInstance = await createApp(
    settings,
    {
      executor,
      uploads: createUploads(home.directory),
      version,
      cliKey: home.cliKey,
      tokens: access.tokens,
      pairing: access.pairing,
      pairingLinks: (code) => access.pairingLinks(code, app.server.address() as AddressInfo),
      contract: new URL('../openapi.yaml', import.meta.url),
      docs: new URL('../docs.html', import.meta.url),
      page: settings.page ? new URL('../dist/page/', import.meta.url) : null,
      openMcp: async (input) => {
        const { createMcp } = await import('./mcp/index.ts')
        mcp = createMcp({
          executor,
          version,
          patienceMs: settings.mcp_patience_seconds * 1000,
          hasReadOnlyBox: opened.sandboxes.available.includes('read-only'),
          input,
        })
        return mcp
      },
      mcpSessions: () => mcp?.sessions() ?? 0,
      poolLimits: { max_running: settings.max_running, max_queued: settings.max_queued },
      doctor: createDoctor(() => openDoctorWorld(config, process.env, (path) => askItself(app, home.token, path))),
      ...openDevice(config, executor),
      facts: () => ({
        ...facts,
        terminal: terminalFacts(opened, settings),
        slept_seconds: sleptSeconds(),
        warnings: [
          ...lasting,
          ...access.warnings,
          ...reload.warnings(),
          ...executor.warnings(),
          ...troublesOf(opened),
          ...notifier.warnings(),
        ],
      }),
    },
    log,
  )
  return app
}

/** For the command line; on a full disk it goes by the settings. */
function sayAddress(url: string, home: Home, log: Logger): void {
  const file = home.file(ADDRESS_FILE)
  try {
    file.write(`${url}\n`)
  } catch (error) {
    file.remove()
    log.warn({ reason: (error as Error).message }, 'its address is not written down')
  }
}

/** GET of one of its own routes, without the network. */
async function askItself(app: FastifyInstance, token: string, url: string): Promise<unknown> {
  const { body, statusCode } = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  if (statusCode !== 200) throw new Error(`${url} is answered with ${statusCode}`)
  return JSON.parse(body)
}

/** Whether a command may have a terminal here, why not, and which shell the owner would want in it. */
function terminalFacts({ noTerminal }: OpenedSpawner, { terminal, shell }: Config['settings']) {
  const reason = terminal === 'off' ? 'switched off (setting terminal)' : noTerminal
  return { available: reason === null, reason, shell: ownersShell(process.env, shell) }
}

const troublesOf = ({ spawner }: OpenedSpawner) => [spawner.trouble()].filter((trouble) => trouble !== null)

/** Why it cannot listen there, by the system's word for it. */
const troubles: Record<string, string> = {
  EADDRINUSE: 'setting port: something else listens there already',
  EACCES: 'setting port: the system does not let this user listen there; ports from 1024 on are for all',
  EADDRNOTAVAIL: 'setting host: expected an address of this machine (0.0.0.0: all that it has)',
}

function notListening({ code = '', message }: NodeJS.ErrnoException, { host, port }: Config['settings']): SettingError {
  return new SettingError(`${troubles[code] ?? `setting host: ${message}`}, got ${host} port ${port}`)
}

/** SIGTERM and the like: take no more, end what runs within the grace, answer it, leave. */
function stopOnSignal(close: () => Promise<unknown>, log: Logger, graceMs: number) {
  return closeWithGrace({ delay: graceMs + 5_000, logger: log, skip: ['SIGHUP'] }, async ({ signal, err }) => {
    if (err) log.error({ err }, 'stopping after an error of our own')
    else log.info({ signal }, 'stopping')
    await close()
    log.flush()
  })
}
