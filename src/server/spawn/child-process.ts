import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import {
  type Child,
  MARK_NAME,
  type ShellExit,
  type SpawnEvents,
  type Spawner,
  type SpawnRequest,
  type Stream,
} from '../../shared/schema/index.ts'
import { type Channels, openChannels, type ChildStreams } from './open-channels.ts'
import { endTree } from './end-tree.ts'
import { createFifos, type Fifos } from './fifos.ts'
import { limitArgv } from './limit-argv.ts'
import { createTreeScan, type TreeScan } from './tree-scan.ts'
import { shellArgv } from './shell-argv.ts'
import { isGroupAlive, signalGroup, signalMember, type Tree } from './tree.ts'

/** /proc shows neither a process's earlier parents nor a mark that was removed from its environment. */
const bestEffort =
  'without the launcher, killing a process tree is best effort: after the shell has exited, a process that has changed its session, environment and parent (as with "setsid env -i") cannot be found'

/** Refuses a request for a sandbox or a terminal, instead of running the command without it. */
function refuseMore({ sandbox, terminal, stateFolder }: SpawnRequest) {
  if (terminal !== null) throw new Error('a terminal needs the launcher')
  if (stateFolder !== undefined) throw new Error('a session needs the launcher')
  if (sandbox.name !== 'none') throw new Error(`the ${sandbox.name} sandbox needs the launcher`)
}

/** Node passes a socket as stdin, so bash assumes a network login and reads ~/.bashrc, unless SHLVL shows that another shell started it. */
const shellLevel = ({ stdin, env }: SpawnRequest) =>
  stdin === 'pipe' && !(Number(env.SHLVL) > 0) ? { SHLVL: '1' } : {}

/** Starts the shell as the leader of its own session and process group. Throws or rejects if the system refuses. */
async function startShell(request: SpawnRequest, stdio: Channels['stdio']): Promise<ChildProcess> {
  const { shell, script, cwd, limits } = request
  const env = { ...request.env, ...shellLevel(request), PWD: cwd, [MARK_NAME]: request.mark }
  const argv = limitArgv(shell, shellArgv(shell, script), limits)
  const child = spawn(shell, argv, { cwd, env, detached: true, stdio })
  if (child.pid === undefined) {
    const [error] = await once(child, 'error') // once() itself rejects with it
    throw error
  }
  child.on('error', () => {}) // emitted if child.kill fails, which we do not call
  return child
}

/** A shell started by Node, and our ends of its channels. */
interface StartedShell {
  child: ChildProcess
  streams: ChildStreams
}

/** Opens the channels and starts the shell. Closes the channels if the shell does not start. */
async function start(request: SpawnRequest, fifos: Fifos): Promise<StartedShell> {
  const channels = await openChannels(request.stdin, fifos)
  try {
    const child = await startShell(request, channels.stdio)
    return { child, streams: channels.connect(child) }
  } catch (error) {
    channels.discard()
    throw error
  }
}

/** Delivers the output of both pipes; resolves when both are closed, by the command or by us. */
function readOutput(streams: ChildStreams, events: SpawnEvents): Promise<void> {
  const read = (name: Stream) =>
    new Promise<void>((resolve) => {
      streams[name].on('data', (chunk: Buffer) => events.onOutput(name, chunk))
      streams[name].on('error', () => {}) // 'close' follows
      streams[name].on('close', resolve)
    })
  return Promise.all([read('stdout'), read('stderr')]).then(() => {})
}

/** Pauses and resumes reading from both pipes. Node resumes its own sockets when the process exits (flushStdio), so this pauses them again. */
function createTap(child: ChildProcess, { stdout, stderr }: ChildStreams) {
  let shut = false
  const apply = () => {
    for (const pipe of [stdout, stderr]) {
      if (shut) pipe.pause()
      else pipe.resume()
    }
  }
  const turn = (to: boolean) => {
    shut = to
    apply()
  }
  child.once('exit', () => process.nextTick(() => process.nextTick(() => shut && apply())))
  return { pause: () => turn(true), resume: () => turn(false) }
}

function watchExit(child: ChildProcess, tree: Tree): Promise<ShellExit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      tree.reaped = true
      resolve({ exitCode, signal })
    })
  })
}

/** Node destroys stdin when the shell exits, and drops the data that nothing has read. */
function createStdin(stdin: Writable | null) {
  stdin?.on('error', () => {}) // EPIPE: write() has resolved to false
  return {
    write: (data: Buffer) => write(stdin, data),
    endStdin: () => void stdin?.end(),
  }
}

function write(stdin: Writable | null, data: Buffer): Promise<boolean> {
  if (!stdin?.writable) return Promise.resolve(false)
  return new Promise((resolve) => stdin.write(data, (error) => resolve(!error)))
}

async function findLeftBehind(tree: Tree, look: TreeScan): Promise<number[]> {
  const members = await look(tree)
  if (members === null) return tree.reaped && isGroupAlive(tree.pid) ? [tree.pid] : []
  return members.map(({ pid }) => pid)
}

/** Signals the group until the shell is reaped, then each remaining member of the tree. */
function signalRun(tree: Tree, name: NodeJS.Signals): boolean {
  if (!tree.reaped) return signalGroup(tree, name)
  return [...tree.known].filter(([pid, start]) => signalMember({ pid, start }, name)).length > 0
}

function createChild(
  { child, streams }: StartedShell,
  { mark }: SpawnRequest,
  events: SpawnEvents,
  look: TreeScan,
): Child {
  const tree: Tree = {
    pid: child.pid!,
    reaped: false,
    known: new Map(),
    mark,
    since: child.pid!,
    startedAtMs: performance.now(),
  }
  const exited = watchExit(child, tree)
  return {
    pid: tree.pid,
    exited,
    closed: readOutput(streams, events),
    ...createTap(child, streams),
    ...createStdin(streams.stdin),
    detach: () => {
      for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream?.destroy()
    },
    resize: () => false,
    signal: (name) => signalRun(tree, name),
    leftBehind: () => findLeftBehind(tree, look),
    end: (graceMs) => endTree(tree, graceMs, { look, exited }),
  }
}

/**
 * The spawner built on Node's child_process. It supports every limit except `processes` and `oomScoreAdj`, and refuses requests for these, a
 * sandbox or a terminal.
 * `pipesFolder`: a directory for its named pipes, emptied at the first run and removed by `close` (default: a new one in the temporary directory).
 */
export function createChildProcessSpawner(pipesFolder?: string): Spawner {
  const fifos = createFifos(pipesFolder)
  const look = createTreeScan()
  return {
    name: 'child_process',
    bestEffort,
    keepsAll: () => false,
    warning: () => null,
    spawn: async (request, events) => {
      refuseMore(request)
      return createChild(await start(request, fifos), request, events, look)
    },
    close: async () => fifos.close(),
  }
}
