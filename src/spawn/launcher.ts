import {
  type Box,
  type BoxName,
  type Child,
  Registry,
  type SpawnEvents,
  type Spawner,
  type SpawnRequest,
} from '../schema/index.ts'
import { type LauncherFacts, type Link, type LinkOptions, startLink } from './launcher-link.ts'
import { ask, toFrame, toSpawn } from './launcher-protocol.ts'
import { createRun, type Run } from './launcher-run.ts'
import { shellArgv } from './shell-argv.ts'

export interface LauncherOptions extends LinkOptions {
  /** argv of an external box (`["bwrap", …]`, the first an absolute path), which stands in for `read-only`; null: none */
  externalBox?: string[] | null
}

export interface LauncherSpawner extends Spawner {
  /** what the launcher in use found out when it started */
  readonly facts: LauncherFacts
  /** from now on other boxes than these are refused, whatever the kernel offers */
  allowBoxes(names: BoxName[]): void
}

const died = 'ended: the launcher died, and everything that it had started with it'

/** argv of a run; in the external box the shell is an argument of the box's program. */
function toArgv({ shell, script, box }: SpawnRequest, externalBox: string[] | null): string[] {
  const argv = [shell, ...shellArgv(shell, script)]
  return box.name === 'read-only' && externalBox ? [...externalBox, ...argv] : argv
}

/** What the launcher is asked for. What an external box cannot promise is refused. */
function toBox({ box }: SpawnRequest, externalBox: string[] | null): Box {
  if (box.name !== 'read-only' || externalBox === null) return box
  if (!box.network) throw new Error('the external box is not known to keep commands from the network')
  return { name: 'none', network: true, writable: [], hidden: [] }
}

/**
 * The spawner on the resident launcher (launcher/main.c). Rejects with a plain Error where the launcher cannot be started.
 * When it dies its runs end with a note, and the next spawn starts another.
 */
export async function createLauncherSpawner(options: LauncherOptions): Promise<LauncherSpawner> {
  const { externalBox = null } = options
  const runs = new Registry<number, Run>()
  let allowed: BoxName[] = ['none', 'read-only', 'workspace-write']
  let lastRun = 0
  let isClosed = false
  let link: Promise<Link> | null = null
  let facts: LauncherFacts

  function onFrame(number: number, type: number, payload: Buffer) {
    const run = runs.get(number)
    run?.onFrame(type, payload)
    if (run?.isOver()) drop(number)
  }
  function drop(number: number) {
    runs.delete(number)
    if (runs.size === 0) link?.then((now) => now.hold(false))
  }
  function start(): Promise<Link> {
    const starting = startLink(options, onFrame, () => {
      if (link === starting) link = null
      const lost = runs.values()
      runs.clear()
      for (const run of lost) run.lose(died)
    })
    starting.then(
      (now) => {
        facts = now.facts
        now.hold(runs.size > 0)
      },
      () => {
        if (link === starting) link = null
      },
    )
    return starting
  }
  async function spawn(request: SpawnRequest, events: SpawnEvents): Promise<Child> {
    if (isClosed) throw new Error('the launcher is closed')
    if (!allowed.includes(request.box.name)) throw new Error(`the ${request.box.name} box is not to be had here`)
    const box = toBox(request, externalBox)
    const payload = toSpawn(box === request.box ? request : { ...request, box }, toArgv(request, externalBox))
    link ??= start()
    let now = await link
    if (!now.isOpen()) now = await (link = start()) // it died, and was not asked yet
    const number = ++lastRun
    const say = (type: number, body?: Buffer) => now.send(body ? toFrame(number, type, body) : toFrame(number, type))
    const run = createRun(say, request, events)
    runs.set(number, run)
    if (runs.size === 1) now.hold(true)
    say(ask.spawn, payload)
    return run.started
  }
  link = start()
  await link
  return {
    name: 'launcher',
    get facts() {
      return facts
    },
    allowBoxes: (names) => {
      allowed = names
    },
    spawn,
    close: async () => {
      isClosed = true
      await (await link?.catch(() => null))?.close()
    },
  }
}
