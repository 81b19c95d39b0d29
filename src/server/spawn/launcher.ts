import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Child,
  type KillTimes,
  note,
  type Sandbox,
  type SandboxName,
  type Spawner,
  type SpawnEvents,
  type SpawnRequest,
} from '../../shared/schema/index.ts'
import { type LauncherFacts, type LinkOptions, startLink } from './launcher-link.ts'
import { toSpawn } from './launcher-protocol.ts'
import { LauncherChild } from './launcher-child.ts'
import { createLauncherSlots, type Slot, type Slots, chooseIdle } from './launcher-slots.ts'
import { endMarked } from './orphans.ts'
import { readStat } from './scan-processes.ts'
import { shellArgv } from './shell-argv.ts'
import { createStateTrap } from './state-trap.ts'

interface LauncherOptions extends LinkOptions {
  /** argv of an external sandbox that replaces `read-only` (`["/usr/bin/bwrap", …, "--tmpfs", "{hidden}"]`, an absolute path first); null: none */
  externalSandbox?: string[] | null
}

export interface LauncherSpawner extends Spawner {
  /** what the launcher in use reported when it started */
  readonly facts: LauncherFacts
  /** from now on, refuses all other sandboxes, whatever the kernel supports */
  allowSandboxes(names: SandboxName[]): void
}

/** how long to retain an idle second launcher, and idle reapers beyond the first */
const REST_MS = 1000
/** how long a dying launcher takes at most to close all its sockets */
const GOING_MS = 50

const PLACEHOLDER = '{hidden}'

/** Repeats each argument that contains the placeholder once per hidden directory. Repeats a bare placeholder together with the option before it. */
function nameHidden(argv: string[], hidden: string[]): string[] {
  return argv.flatMap((argument, index) => {
    if (argv[index + 1] === PLACEHOLDER) return []
    const repeated = argument === PLACEHOLDER ? argv.slice(index - 1, index + 1) : [argument]
    if (!argument.includes(PLACEHOLDER)) return repeated
    return hidden.flatMap((folder) => repeated.map((one) => one.replaceAll(PLACEHOLDER, folder)))
  })
}

/** Wraps the shell in the external sandbox's program, which runs without a Landlock sandbox. Throws if the request denies network access, because the program may not enforce that. */
function insideExternal(request: SpawnRequest, argv: string[], external: string[]): [SpawnRequest, string[]] {
  const { network, hidden } = request.sandbox
  if (!network) throw new Error('the external sandbox cannot be relied on to deny network access')
  const sandbox: Sandbox = { name: 'none', network: true, writable: [], hidden: [] }
  return [{ ...request, sandbox }, [...nameHidden(external, hidden), ...argv]]
}

/** Calls `call` once, `ms` after the first `start()`. */
function createDelay(call: () => void, ms: number) {
  let timer: NodeJS.Timeout | undefined
  const fire = () => {
    timer = undefined
    call()
  }
  return {
    start: () => void (timer ??= setTimeout(fire, ms).unref()),
    stop: () => clearTimeout(timer),
  }
}

/** Takes a free slot of the first launcher that has one. */
function takeOf(all: readonly Slots[]): Slot | null {
  for (const launcher of all) {
    const slot = launcher.take()
    if (slot !== null) return slot
  }
  return null
}

/** Whether our child is alive. Android hides a process that nobody may trace, as the launcher, until it has ended. */
function isOurChild(pid: number): boolean {
  const stat = readStat(pid)
  if (stat !== null) return stat.alive && stat.parent === process.pid
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The launchers in use: one is always retained; `take` starts another when all slots are taken or a launcher has died. */
async function createLaunchers(options: LinkOptions) {
  let all: Slots[] = []
  let starting: Promise<void> | null = null
  const thinning = createDelay(thin, REST_MS)
  let isClosed = false
  let deaths = 0
  let warning: string | null = null
  let facts: LauncherFacts

  async function start() {
    const link = await startLink(options)
    const slots = createLauncherSlots(link, onFree)
    if (all.push(slots) > 1) thinning.start()
    facts = link.facts
    void link.gone.then(([code, signal]) => {
      if (!all.includes(slots)) return
      all = all.filter((one) => one !== slots)
      warning = `the launcher has died ${++deaths} time(s), last from ${signal ?? `exit code ${code}`}; the next run starts a new one`
    })
  }
  function onFree(slots: Slots) {
    if (all.length > 1 || slots.count('resting') > 1 || slots.count('gone') > 0) thinning.start()
  }
  /** Closes all idle launchers except one, and dismisses all idle reapers except one. */
  function thin() {
    const resting = chooseIdle(all)
    const leaving = all.filter((one) => one !== resting && one.count('taken') === 0)
    all = all.filter((one) => !leaving.includes(one))
    for (const { link } of leaving) void link.close()
    if (resting) facts = resting.link.facts
    const since = performance.now() - REST_MS
    const surplus = all.filter((one) => one.thin(since))
    if (surplus.length > 0) thinning.start()
  }
  const launchers = {
    facts: () => facts,
    warning: () => warning,
    // also check the process: the exit event arrives only after the launcher's orphans have another parent
    keepsAll: () => deaths === 0 && all.every(({ link }) => isOurChild(link.facts.pid)),
    isClosed: () => isClosed,
    takeNow: (): Slot | null => (isClosed ? null : takeOf(all)),
    async take(): Promise<Slot> {
      for (;;) {
        const slot = launchers.takeNow()
        if (slot !== null) return slot
        if (isClosed) throw new Error('the launcher is closed')
        starting ??= start().finally(() => (starting = null))
        await starting
      }
    },
    async close(): Promise<void> {
      isClosed = true
      thinning.stop()
      await starting?.catch(() => {})
      await Promise.all(all.splice(0).map(({ link }) => link.close()))
    },
  }
  await start()
  return launchers
}

/**
 * The spawner built on the resident launcher (launcher/main.c). Rejects with a plain Error if the launcher cannot be started.
 * If the launcher dies, its runs end with a note, and the next spawn starts a new launcher. So does a spawn when all slots are taken.
 */
export async function createLauncherSpawner(options: LauncherOptions): Promise<LauncherSpawner> {
  const { externalSandbox = null } = options
  const launchers = await createLaunchers(options)
  let allowed: SandboxName[] = ['none', 'read-only', 'workspace-write']

  /** Restarts the run on another slot if its request was not read. Otherwise ends it; a launcher that is alive has already killed its processes. */
  async function onLost(run: LauncherChild, slot: Slot, mark: string, untaken: boolean) {
    if (untaken && !launchers.isClosed()) return run.begin(await launchers.take())
    if (!slot.link.isGone()) await sleep(GOING_MS)
    const undertaken = !slot.link.isGone() && !slot.isGivenUp()
    if (!undertaken) await endMarked(mark)
    const code = undertaken ? 'KEEPER_KILLED' : slot.isGivenUp() ? 'LAUNCHER_SILENT' : 'LAUNCHER_KILLED'
    run.lose((isKnown) => note(code, isKnown))
  }
  async function spawn(request: SpawnRequest, events: SpawnEvents, killTimes?: KillTimes): Promise<Child> {
    if (!allowed.includes(request.sandbox.name)) {
      throw new Error(`the ${request.sandbox.name} sandbox is not available on this system`)
    }
    const { shell, script, stateFolder } = request
    const trap = stateFolder === undefined ? null : createStateTrap(options.path, stateFolder)
    const argv = [shell, ...shellArgv(shell, `${trap?.prologue ?? ''}${script}`)]
    const isExternal = externalSandbox !== null && request.sandbox.name === 'read-only'
    const toStart = isExternal ? insideExternal(request, argv, externalSandbox) : ([request, argv] as const)
    const payload = toSpawn(...toStart, killTimes, trap?.nonce)
    const run = new LauncherChild(request, payload, events, (lost, slot, untaken) => {
      onLost(lost, slot, request.mark, untaken).catch(({ message }: Error) =>
        lost.lose((isKnown) => note('RUN_LOST', message, isKnown)),
      )
    })
    run.begin(launchers.takeNow() ?? (await launchers.take()))
    return run.started
  }
  return {
    name: 'launcher',
    bestEffort: null,
    warning: launchers.warning,
    keepsAll: launchers.keepsAll,
    get facts() {
      return launchers.facts()
    },
    allowSandboxes: (names) => {
      allowed = names
    },
    spawn,
    close: launchers.close,
  }
}
