import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Executor } from './exec/index.ts'
import { createFileTools, findRipgrep } from './file-tools/index.ts'
import { createUploads, type Uploads } from './files/index.ts'
import { ADDRESS_FILE, checkCommandPaths, closeInherited, type Home, openHome, urlOf } from './host/index.ts'
import type { Mcp } from './mcp/index.ts'
import type { Notifier } from './notify/index.ts'
import { type Access, openAccess } from './open-access.ts'
import { type LoadBootScripts, openDoctor } from './open-doctor.ts'
import { openDevice } from './open-device.ts'
import type { OpenMembership, FleetMembership } from './fleet-membership.ts'
import { openNotifications } from './open-notifications.ts'
import { watchCommands } from './live-commands.ts'
import { createReload, type Reload } from './reload.ts'
import {
  createLog,
  listenQuietly,
  notListening,
  type Rejections,
  STDOUT,
  stopOnSignal,
  watchRejections,
} from './serving-process.ts'
import type { Config } from './settings.ts'
import type { LogEvent } from '../shared/schema/index.ts'
import { endOrphans, type OpenedSpawner, readStat } from './spawn/index.ts'
import { createFacts } from './service-facts.ts'
import { inPackage, version } from '../shared/package/index.ts'
import { openExecutor, openSpawnerFor, retainSessions } from './open-executor.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createRunNews, type Webhooks } from './wake/index.ts'

/** Time limit for removing the notifications at a stop. */
const NOTIFIER_GRACE_MS = 3_000

/** A running service. */
export interface Serving {
  url: string
  token: string
  close(): Promise<unknown>
}

export { STDERR } from './serving-process.ts'

/** Functions that the server cannot import, so the command that starts it passes them in. */
interface ServeParts {
  openMembership: OpenMembership
  loadBootScripts: LoadBootScripts
}

/** Starts the service, which runs until a signal arrives or `close` is called. `read` returns its settings, at start and on each reload. */
export async function serve(
  read: () => Promise<Config>,
  { openMembership, loadBootScripts }: ServeParts,
  logTo = STDOUT,
): Promise<Serving> {
  closeInherited()
  const config = await read()
  const { settings } = config
  checkCommandPaths(settings.shell, settings.working_directory)
  const home = openHome(config.home, config.token, readStat)
  process.once('exit', home.release)
  const log = createLog(settings.log_level, logTo)
  for (const text of home.warnings) log.warn({}, text)
  const rejections = watchRejections(log)
  const instance = randomBytes(8).toString('hex')
  const orphans = await endOrphans(home.markKey, instance)
  if (orphans.ended > 0 || orphans.survivors.length > 0)
    log.warn(orphans, 'killed processes that an earlier service had left running')
  const opened = await openSpawnerFor(settings, home)
  const uploads = createUploads(home.directory)
  const executor = openExecutor(config, home, opened, instance, log, uploads)
  const listeningAddress = () => address()!
  const addresses = {
    address: listeningAddress,
    page: async () => `${(await access.addresses(listeningAddress()))[0]}/#/approvals`,
  }
  const notifier = openNotifications(config, executor.approvals, home, addresses, log)
  const commands = watchCommands(executor)
  const access = await openAccess(
    config,
    home,
    { spawner: opened.spawner, commands, approvals: executor.approvals },
    log,
  )
  const { passes, tokens, renew: renewCertificate } = access
  retainSessions(executor, tokens)
  const address = () => app.server.address() as AddressInfo | null
  const membership = openMembership({ config, home, executor, instance, passes, address, log })
  const reload = createReload({ config, read, tokens, reloadFleet: membership.reload, renewCertificate, commands, log })
  const webhooks = openWebhooks(config, home, { executor, tokens }, log)
  const modules = {
    config,
    home,
    executor,
    opened,
    notifier,
    access,
    reload,
    membership,
    loadBootScripts,
    rejections,
    log,
  }
  const app: FastifyInstance = await openApp({ ...modules, uploads, webhooks })
  const port = access.secure(app.server)
  if (port) app.addHook('preClose', async () => port.cutAll())
  app.addHook('onClose', () => opened.spawner.close())
  app.addHook('onClose', () => webhooks.close())
  app.addHook('onClose', reload.start())
  app.addHook('onClose', async () => home.file(ADDRESS_FILE).remove())
  app.addHook('onClose', async () => access.tokens.close())
  app.addHook('onClose', async () => rejections.stop())
  const graceMs = settings.stop_grace_seconds * 1000
  const close = () => Promise.all([membership.close(graceMs), app.close(), notifier.close(NOTIFIER_GRACE_MS)])
  const signals = stopOnSignal(close, log, graceMs)
  const at = await listenQuietly(app, { host: settings.host, port: settings.port }).catch(async (error) => {
    signals.uninstall()
    await close()
    throw notListening(error, settings)
  })
  const { address: host, port: listening } = address()!
  membership.reload()
  webhooks.start()
  writeAddress(urlOf(host, listening), home, log)
  const { name: spawner } = opened.spawner
  log.info(
    {
      event: 'LISTENING' satisfies LogEvent,
      address: at,
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
  return { url: at, token: passes.own, close }
}

interface Modules {
  webhooks: Webhooks
  config: Config
  home: Home
  executor: Executor
  uploads: Uploads
  opened: OpenedSpawner
  notifier: Notifier
  access: Access
  reload: Reload
  membership: FleetMembership
  loadBootScripts: LoadBootScripts
  rejections: Rejections
  log: Logger
}

async function openApp({ uploads, webhooks, ...modules }: Modules): Promise<FastifyInstance> {
  const { config, home, executor, opened, notifier, access, reload, membership, loadBootScripts, rejections, log } =
    modules
  const { settings } = config
  const fileTools = createFileTools({ executor, uploads, ripgrep: findRipgrep(process.env) })
  const news = createRunNews(executor)
  let mcp: Mcp | null = null
  const app: FastifyInstance = await createApp(
    settings,
    {
      executor,
      uploads,
      fileTools,
      webhooks,
      version,
      cliKey: home.cliKey,
      tokens: access.tokens,
      pairing: access.pairing,
      accessLog: access.accessLog,
      pairingLinks: (code) => access.pairingLinks(code, app.server.address() as AddressInfo),
      contract: inPackage('openapi.yaml'),
      messages: inPackage('src/server/routes/asyncapi.yaml'),
      docs: inPackage('src/server/routes/docs.html'),
      certificatePin: access.pin,
      page: settings.page ? inPackage('dist/page/') : null,
      openMcp: async () => {
        const { createMcp } = await import('./mcp/index.ts')
        mcp = createMcp({
          executor,
          fileTools,
          news,
          subscriptions: webhooks.subscriptions,
          version,
          patienceMs: settings.mcp_patience_seconds * 1000,
          hasReadOnlySandbox: opened.sandboxes.by === 'landlock', // an external one may not deny network access
        })
        return mcp
      },
      mcpSessions: () => mcp?.sessions() ?? 0,
      unhandledRejections: rejections.count,
      fleet: membership.status,
      poolLimits: { max_running: settings.max_running, max_queued: settings.max_queued },
      doctor: openDoctor(config, loadBootScripts, (path) => getOwn(app, access.passes.own, path)),
      ...openDevice(config, executor, () => access.addresses(app.server.address() as AddressInfo)),
      facts: createFacts({
        settings,
        opened,
        fleet: membership.status,
        rejections: rejections.count,
        warnable: [{ warnings: () => access.warnings }, reload, membership, executor, notifier],
      }),
    },
    log,
  )
  return app
}

/** Writes the address for the command line. If the disk is full, the command line uses the settings instead. */
function writeAddress(url: string, home: Home, log: Logger): void {
  const file = home.file(ADDRESS_FILE)
  try {
    file.note(`${url}\n`)
  } catch (error) {
    file.remove()
    log.warn({ reason: (error as Error).message }, 'cannot write the address file')
  }
}

/** Sends a GET to one of the service's own routes, without the network. */
async function getOwn(app: FastifyInstance, token: string, url: string): Promise<unknown> {
  const { body, statusCode } = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  if (statusCode !== 200) throw new Error(`${url} returned status ${statusCode}`)
  return JSON.parse(body)
}
