import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Child, ShellExit, SpawnEvents, Spawner, SpawnRequest, Stream } from '../schema/index.ts'
import { endTree, type TreeTools } from './end-tree.ts'
import { createParentLinks, type ParentLinks } from './parent-links.ts'
import { createScan, type Scan } from './share-scan.ts'
import { shellArgv } from './shell-argv.ts'
import { findMembers, isGroupAlive, signalGroup, signalMember, type Tree } from './tree.ts'

/** Within this time the pid counter cannot wrap, so that only pids younger than the shell need a look. */
const quickScanMs = 2000

interface SpawnTools {
  scan: Scan
  links: ParentLinks
  /** shells that run now, unreaped children of ours */
  shells: Set<number>
}

/** Refuses what only the launcher can do: never a box or a limit that is silently none. */
function refuseBoxAndLimits({ box, limits }: SpawnRequest) {
  if (box.name !== 'none') throw new Error(`the ${box.name} box needs the launcher`)
  const limit = Object.entries(limits).find(([, value]) => value !== null)
  if (limit) throw new Error(`the limit ${limit[0]} needs the launcher`)
}

/** Starts the shell as leader of its own session and group. Throws, or rejects, where the system refuses. */
async function startShell({ shell, script, cwd, env, stdin }: SpawnRequest): Promise<ChildProcess> {
  const child = spawn(shell, shellArgv(shell, script), {
    cwd,
    env,
    detached: true,
    stdio: [stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  if (child.pid === undefined) {
    const [error] = await once(child, 'error') // once() itself rejects with it
    throw error
  }
  child.on('error', () => {}) // a signal that could not be sent: never ours, we do not use child.kill
  return child
}

/** Delivers what both pipes bring; resolves when both are closed, by the command or by us. */
function readOutput(child: ChildProcess, events: SpawnEvents): Promise<void> {
  const read = (name: Stream) =>
    new Promise<void>((resolve) => {
      const stream = child[name]!
      stream.on('data', (chunk: Buffer) => events.onOutput(name, chunk))
      stream.on('error', () => {}) // 'close' follows
      stream.on('close', resolve)
    })
  return Promise.all([read('stdout'), read('stderr')]).then(() => {})
}

/** The reading side of both pipes as a tap. Node opens it by itself when the process exits (flushStdio), so it is shut again then. */
function createTap(child: ChildProcess) {
  const pipes = [child.stdout!, child.stderr!]
  let shut = false
  const apply = () => {
    for (const pipe of pipes) shut ? pipe.pause() : pipe.resume()
  }
  const turn = (to: boolean) => {
    shut = to
    apply()
  }
  child.once('exit', () => process.nextTick(() => process.nextTick(() => shut && apply())))
  return { pause: () => turn(true), resume: () => turn(false) }
}

function watchExit(child: ChildProcess, tree: Tree, shells: Set<number>): Promise<ShellExit> {
  shells.add(tree.pid)
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      tree.reaped = true
      shells.delete(tree.pid)
      resolve({ exitCode, signal })
    })
  })
}

function write(child: ChildProcess, data: Buffer): Promise<boolean> {
  const { stdin } = child
  if (!stdin?.writable) return Promise.resolve(false)
  return new Promise((resolve) => stdin.write(data, (error) => resolve(!error)))
}

/** The members of a tree now. A young run is answered by a look at the processes younger than it. */
async function findLeftBehind(tree: Tree, startedAtMs: number, scan: Scan): Promise<number[]> {
  const isYoung = performance.now() - startedAtMs < quickScanMs
  const seen = await (isYoung ? scan.since(tree.pid) : scan.all())
  if (seen === null) return tree.reaped && isGroupAlive(tree.pid) ? [tree.pid] : []
  return findMembers(tree, seen).map(({ pid }) => pid)
}

/** To the group while the shell holds its number, afterwards to each member of it that is left. */
function signalRun(tree: Tree, name: NodeJS.Signals): boolean {
  if (!tree.reaped) return signalGroup(tree, name)
  return [...tree.known].filter(([pid, start]) => signalMember({ pid, start }, name)).length > 0
}

function createChild(child: ChildProcess, request: SpawnRequest, events: SpawnEvents, tools: SpawnTools): Child {
  const startedAtMs = performance.now()
  const tree: Tree = { pid: child.pid!, reaped: false, known: new Map(), mark: request.mark }
  const exited = watchExit(child, tree, tools.shells)
  const closed = readOutput(child, events)
  const treeTools: TreeTools = { ...tools, exited }
  child.stdin?.on('error', () => {}) // EPIPE: write() has said false
  return {
    pid: tree.pid,
    exited,
    closed,
    ...createTap(child),
    write: (data) => write(child, data),
    endStdin: () => child.stdin?.end(),
    detach: () => {
      for (const pipe of child.stdio) pipe?.destroy()
    },
    signal: (name) => signalRun(tree, name),
    leftBehind: () => findLeftBehind(tree, startedAtMs, tools.scan),
    end: (graceMs) => endTree(tree, graceMs, treeTools),
  }
}

/** The spawner on Node's own child_process. It knows no boxes and no limits: a request for one is refused. */
export function createChildProcessSpawner(): Spawner {
  const shells = new Set<number>()
  const tools: SpawnTools = { scan: createScan(shells), links: createParentLinks(), shells }
  return {
    name: 'child_process',
    spawn: async (request, events) => {
      refuseBoxAndLimits(request)
      return createChild(await startShell(request), request, events, tools)
    },
    close: async () => {},
  }
}
