import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Tokens } from './access/index.ts'
import type { DialectWorld } from './dialects/index.ts'
import {
  baseEnvironment,
  createExecutor,
  createJudge,
  createReach,
  isRefused,
  looksSecret,
  type Executor,
  type CommandContext,
  realpathOrNull,
} from './exec/index.ts'
import { beginFileStep } from './file-tools/index.ts'
import type { Uploads } from './files/index.ts'
import { type Home, homeFolder, preloadLibrary } from './host/index.ts'
import { tierOf } from './policy/index.ts'
import { createPool } from './pool/index.ts'
import type { Config } from './settings.ts'
import { findLaunchers, type OpenedSpawner, openSpawner } from './spawn/index.ts'
import { callerTokenName, OWNER } from '../shared/schema/index.ts'
import { createSessions, type Sessions } from './sessions/index.ts'
import { Approvals, createStore, redact, type Store } from './store/index.ts'

/**
 * How long output is read after the shell has exited, and the time between SIGTERM and SIGKILL for processes that the command left behind.
 * An end takes longer if the disk or a reader is behind, or if processes survive SIGKILL.
 */
const DRAIN_MS = 100
const LEFT_BEHIND_GRACE_MS = 100
/** FEAT-029 promises timeouts that are accurate to one second, even if the command ignores SIGTERM. */
const MAX_TIMEOUT_GRACE_MS = 500
/** Maximum number of saved approval rules. The service refuses to save more. */
const MAX_SAVED_RULES = 1000

/** Creates the executor with its modules from the settings. */
export function openExecutor(
  config: Config,
  home: Home,
  opened: OpenedSpawner,
  instance: string,
  log: Logger,
  uploads: Uploads,
): Executor {
  const { settings, policy, dialects } = config
  const { spawner } = opened
  const commandContext = createCommandContext(config, home, opened)
  const limits = {
    maxQueued: settings.max_queued,
    maxQueueWaitMs: settings.max_queue_wait_seconds * 1000,
    killGraceMs: settings.kill_grace_seconds * 1000,
    timeoutGraceMs: Math.min(settings.kill_grace_seconds * 1000, MAX_TIMEOUT_GRACE_MS),
    backgroundProcesses: settings.background_processes,
    drainMs: DRAIN_MS,
    leftBehindGraceMs: LEFT_BEHIND_GRACE_MS,
    platform: process.platform,
  }
  return createExecutor({
    commandContext,
    judge: createJudge({
      settings: policy,
      service: settings,
      shell: settings.shell,
      home: commandContext.home,
      serviceHome: home.directory,
      servicePort: settings.port,
      baseEnvironment: commandContext.baseEnvironment,
    }),
    reach: createReach({ usual: () => settings.working_directory, home: home.directory }),
    policy,
    dialects: {
      settings: dialects,
      world: worldOf(commandContext),
      beginFileStep: (step, directory, caller, executor) =>
        beginFileStep(step, directory, caller, { executor, uploads }),
    },
    pool: createPool({ ...limits, maxRunning: settings.max_running }, spawner),
    backgroundPool: createPool(
      { ...limits, maxRunning: settings.max_background_running, maxQueueWaitMs: null },
      spawner,
    ),
    terminals: {
      missing: opened.noTerminal,
      pool: createPool({ ...limits, maxRunning: settings.max_terminals, maxQueued: 0 }, spawner),
      limit: settings.max_terminals,
      idleMs: settings.terminal_idle_seconds * 1000,
    },
    store: openStore(settings, home, log),
    sessions: openSessions(home, log),
    shell: settings.shell,
    temporaryFolder: emptyTemporaryFolder(home),
    markPrefix: `${home.markKey}.${instance}`,
    approvals: openApprovals(settings, home, log),
    canAsk: () => settings.approval_timeout_seconds > 0,
    log,
  })
}

/** Returns the temporary folder of this home's commands, with an unguessable name, and removes files of an earlier service from it. */
function emptyTemporaryFolder({ markKey }: Home): string {
  const folder = join(tmpdir(), `shellphone-${createHash('sha256').update(markKey).digest('hex').slice(0, 16)}`)
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // the folder belongs to another user: a command that needs it gets an error
  }
  return folder
}

function openApprovals(settings: Config['settings'], home: Home, log: Logger): Approvals {
  return new Approvals({
    file: home.file('approvals.json'),
    // a live setting: read for each request
    get ttlMs() {
      return settings.approval_timeout_seconds * 1000
    },
    maxPending: settings.max_pending_approvals,
    maxRules: MAX_SAVED_RULES,
    ruleMaxAgeMs: settings.approval_rule_days * 86_400_000,
    redact: settings.redact ? redact : (text) => text,
    log: (facts, sentence) => log.warn(facts, sentence),
  })
}

function worldOf({ home, settings, sandboxes, realpath }: CommandContext): DialectWorld {
  const noReadOnlySandbox = sandboxes.available.includes('read-only')
    ? null
    : (sandboxes.reason ?? 'no such sandbox is available here')
  return { home, settings, realpath, user: userName(), noReadOnlySandbox, tierOf }
}

function userName(): string | null {
  try {
    return userInfo().username
  } catch {
    return null // no entry in the list of users
  }
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

const openSessions = (home: Home, log: Logger): Sessions =>
  createSessions({
    folder: join(home.directory, 'sessions'),
    isSecret: looksSecret,
    refuses: isRefused,
    warn: (facts, sentence) => log.warn(facts, sentence),
  })

/** Deletes the sessions of tokens that no longer exist, now and whenever a token ends. A caller from a fleet has no token of its own. */
export function retainSessions({ sessions }: Executor, tokens: Tokens): void {
  const retain = () => {
    const ids = new Set([OWNER.id, ...tokens.list().map(({ id }) => id)])
    sessions.retain((id) => ids.has(id) || id.startsWith(callerTokenName('')))
  }
  retain()
  tokens.onEnd(retain)
}

/** Returns the library that commands, and the launcher that starts them, need in LD_PRELOAD on Termux. */
const preloadFor = (settings: Config['settings']) =>
  settings.ld_preload ? preloadLibrary(process.platform, process.env.PREFIX) : null

/** Opens a launcher if one works, otherwise child_process. Resolves after an escape attempt has tested the sandboxes. */
export async function openSpawnerFor(settings: Config['settings'], home: Home): Promise<OpenedSpawner> {
  const temporary = join(home.directory, 'tmp')
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary, { mode: 0o700 })
  const preload = preloadFor(settings)
  return openSpawner({
    use: settings.spawner,
    landlock: settings.landlock,
    externalSandbox: settings['sandbox.command'],
    shell: settings.shell,
    env: { PATH: process.env.PATH ?? '', ...(preload && { LD_PRELOAD: preload }) },
    tmpDir: temporary,
    platform: process.platform,
    launchers: () => findLaunchers(home.directory),
    pipesFolder: join(home.directory, 'pipes'),
  })
}

/** Live settings are read for each command, because they may change while the service runs. */
function createCommandContext({ settings, policy }: Config, home: Home, opened: OpenedSpawner): CommandContext {
  return {
    settings,
    home: homeFolder(process.env),
    sandboxes: opened.sandboxes,
    policy,
    hidden: [home.directory],
    hasLauncher: opened.spawner.name === 'launcher',
    serviceEnvironment: process.env,
    realpath: realpathOrNull,
    baseEnvironment: baseEnvironment({
      mode: settings.environment,
      service: process.env,
      keep: settings.environment_keep,
      preload: preloadFor(settings),
    }),
  }
}
