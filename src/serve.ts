import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import type { World } from './dialects/index.ts'
import {
  baseEnvironment,
  createDesk,
  createJudge,
  type Desk,
  type PrepareSettings,
  realpathOrNull,
} from './exec/index.ts'
import { type Home, openHome } from './home.ts'
import { preloadLibrary, warnings } from './machine.ts'
import { createPool } from './pool/index.ts'
import type { Limits } from './schema/index.ts'
import { createChildProcessSpawner, endOrphans } from './spawn/index.ts'
import { type Approvals, createApprovals, createStore, redact, type Store } from './store/index.ts'
import { version } from './version.ts'

/** How long output is read on after the shell has exited, and between TERM and KILL for what it left behind: 300 ms in all. */
const DRAIN_MS = 100
const LEFT_BEHIND_GRACE_MS = 100
/** Saved approvals; the next one is refused. */
const MAX_SAVED_RULES = 1000
/** Unwritten log above this is dropped: a stuck reader of our log must not fill memory. */
const MAX_LOG_BUFFER_BYTES = 4_194_304

/** Starts the service and serves until a signal. */
export async function serve(config: Config): Promise<void> {
  const { settings } = config
  const home = openHome(config.home, config.token)
  process.once('exit', home.release)
  const log = createLog(settings.log_level)
  const instance = randomBytes(8).toString('hex')
  const orphans = await endOrphans(home.markKey, instance)
  if (orphans.ended > 0 || orphans.survivors.length > 0) log.warn(orphans, 'ended what a dead service had left running')
  const desk = openDesk(config, home, instance, log)
  const app = await openApp(config, home, desk, log)
  stopOnSignal(app, log, settings.stop_grace_seconds * 1000)
  const address = await app.listen({ host: settings.host, port: settings.port })
  log.info({ address, version, platform: process.platform, home: home.directory }, 'listening')
}

function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: MAX_LOG_BUFFER_BYTES })
  destination.on('error', () => {}) // nobody reads the log any more: no reason to stop
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

function openDesk({ settings, policy, dialects }: Config, home: Home, instance: string, log: Logger): Desk {
  const prepare = prepareSettings(settings)
  const spawner = createChildProcessSpawner(join(home.directory, 'pipes'))
  const limits = {
    maxQueued: settings.max_queued,
    maxQueueWaitMs: settings.max_queue_wait_seconds * 1000,
    killGraceMs: settings.kill_grace_seconds * 1000,
    backgroundProcesses: settings.background_processes,
    drainMs: DRAIN_MS,
    leftBehindGraceMs: LEFT_BEHIND_GRACE_MS,
    platform: process.platform,
  }
  return createDesk({
    prepare,
    judge: createJudge({
      settings: policy,
      home: prepare.home,
      serviceHome: home.directory,
      baseEnvironment: prepare.baseEnvironment,
    }),
    policy,
    dialects: { settings: dialects, world: worldOf(prepare) },
    pool: createPool({ ...limits, maxRunning: settings.max_running }, spawner),
    backgroundPool: createPool({ ...limits, maxRunning: settings.max_background_running }, spawner),
    store: openStore(settings, home, log),
    shell: settings.shell,
    limits: noLimits,
    markPrefix: `${home.markKey}.${instance}`,
    approvals: openApprovals(settings, home, log),
    canAsk: settings.approval_timeout_seconds > 0,
    log: (facts, sentence) => log.info(facts, sentence),
  })
}

function openApprovals(settings: Config['settings'], home: Home, log: Logger): Approvals {
  return createApprovals({
    directory: home.directory,
    ttlMs: settings.approval_timeout_seconds * 1000,
    maxPending: settings.max_pending_approvals,
    maxRules: MAX_SAVED_RULES,
    ruleMaxAgeMs: settings.approval_rule_days * 86_400_000,
    redact: settings.redact ? redact : (text) => text,
    log: (facts, sentence) => log.warn(facts, sentence),
  })
}

function worldOf({ home, workingDirectory, boxes, realpath }: PrepareSettings): World {
  const noReadOnlyBox = boxes.available.includes('read-only') ? null : (boxes.reason ?? 'there is no such box here')
  return { home, defaultWorkingDirectory: workingDirectory, realpath, noReadOnlyBox }
}

const noLimits: Limits = {
  cpuSeconds: null,
  addressSpaceBytes: null,
  processes: null,
  openFiles: null,
  fileSizeBytes: null,
  nice: null,
  oomScoreAdj: null,
}

function openStore(settings: Config['settings'], home: Home, log: Logger): Store {
  return createStore({
    directory: home.directory,
    enabled: settings.history,
    maxRunSpoolBytes: settings.max_run_spool_bytes,
    maxSpoolBytes: settings.max_spool_bytes,
    minFreeBytes: settings.min_free_bytes,
    historyMaxAgeDays: settings.history_max_age_days,
    historyMaxCount: settings.history_max_count,
    redact: settings.redact,
    log: (facts, sentence) => log.warn(facts, sentence),
  })
}

function prepareSettings(settings: Config['settings']): PrepareSettings {
  return {
    workingDirectory: settings.working_directory,
    home: process.env.HOME ?? homedir(),
    timeoutMs: settings.timeout_seconds * 1000,
    maxTimeoutMs: settings.max_timeout_seconds * 1000,
    maxBackgroundMs: settings.max_background_seconds * 1000,
    maxLength: settings.max_length,
    maxLengthLimit: settings.max_length_limit,
    boxes: { usual: 'none', available: [], reason: 'boxes need the launcher' },
    serviceEnvironment: process.env,
    realpath: realpathOrNull,
    baseEnvironment: baseEnvironment({
      mode: settings.environment,
      service: process.env,
      keep: settings.environment_keep,
      preload: settings.ld_preload ? preloadLibrary(process.platform, process.env.PREFIX) : null,
    }),
  }
}

async function openApp({ settings }: Config, home: Home, desk: Desk, log: Logger): Promise<FastifyInstance> {
  const facts = {
    spawner: { name: 'child_process', reason: 'the launcher is not built' },
    sandbox: { available: [], reason: 'boxes need the launcher' },
    warnings: warnings(process.platform, process.env, settings.host),
  }
  return createApp(
    {
      token: home.token,
      allowedOrigins: settings.allowed_origins,
      allowedHosts: settings.allowed_hosts,
      bodyLimitBytes: settings.body_limit_bytes,
      maxConnections: settings.max_connections,
      maxFailedLoginsPerMinute: settings.max_failed_logins_per_minute,
      stopGraceMs: settings.stop_grace_seconds * 1000,
    },
    {
      desk,
      version,
      contract: new URL('../openapi.yaml', import.meta.url),
      poolLimits: { max_running: settings.max_running, max_queued: settings.max_queued },
      facts: () => facts,
    },
    log,
  )
}

/** SIGTERM and the like: take no more, end what runs within the grace, answer it, leave. */
function stopOnSignal(app: FastifyInstance, log: Logger, graceMs: number): void {
  closeWithGrace({ delay: graceMs + 5_000, logger: log }, async ({ signal, err }) => {
    if (err) log.error({ err }, 'stopping after an error of our own')
    else log.info({ signal }, 'stopping')
    await app.close()
    log.flush()
  })
}
