import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'

type TreeKill = (pid: number, signal: string, done: (error?: Error) => void) => void

/** One walk of tree-kill: which `ps` are under way, and what they found. Bounded in processes. */
interface Walk {
  pending: number
  found: number[]
  mayKill: (found: number[]) => boolean
  /** the walk is over; nothing more comes of it */
  settle: (signalled: boolean) => void
}

const PS_TIMEOUT_MS = 1000
const MAX_FOUND = 256

/** The walk in whose name tree-kill calls `spawn` now: it does so only while we call it. */
let current: Walk | null = null

function ask(command: string, args: string[]): Promise<number[]> {
  return new Promise((resolve) => {
    try {
      const options = { timeout: PS_TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024 } as const
      childProcess.execFile(command, args, options, (error, stdout) => {
        resolve(error ? [] : (stdout.match(/\d+/g) ?? []).map(Number))
      })
    } catch {
      resolve([]) // no process or descriptor to be had
    }
  })
}

/**
 * Stands in for child_process.spawn inside tree-kill, which neither expects `ps` to be missing nor to fail to start nor to print nothing
 * (each would be an uncaught error). It answers like a `ps` that cannot fail, and is silent for ever where the walk may not go on.
 */
function spawnStandIn(command: string, args: (string | number)[]) {
  const walk = current
  const standIn = Object.assign(new EventEmitter(), { stdout: new EventEmitter() })
  if (walk === null) return standIn
  walk.pending++
  ask(command, args.map(String)).then((pids) => {
    walk.pending--
    walk.found.push(...pids)
    const isLast = walk.pending === 0 && pids.length === 0
    if (walk.found.length > MAX_FOUND || (isLast && !walk.mayKill(walk.found))) return walk.settle(false)
    callInWalk(walk, () => {
      standIn.stdout.emit('data', Buffer.from(pids.join('\n')))
      standIn.emit('close', pids.length > 0 ? 0 : 1)
    })
  })
  return standIn
}

/** Calls tree-kill, or what calls it, in the name of a walk. */
function callInWalk(walk: Walk, call: () => void) {
  current = walk
  try {
    call()
  } finally {
    current = null
  }
}

/** Loads tree-kill with the stand-in as its `spawn`, which it takes when it is loaded. */
async function loadTreeKill(): Promise<TreeKill> {
  const { spawn } = childProcess
  Object.assign(childProcess, { spawn: spawnStandIn })
  try {
    return (await import('tree-kill')).default as TreeKill
  } finally {
    childProcess.spawn = spawn
  }
}

/** Can this system's `ps` list children as tree-kill asks it to? Ours are asked for: the `ps` itself is one. */
async function canListChildren(): Promise<boolean> {
  if (process.platform === 'darwin') return true
  return (await ask('ps', ['-o', 'pid', '--no-headers', '--ppid', String(process.pid)])).length > 0
}

let loaded: Promise<TreeKill> | undefined

/**
 * Ends what descends from `pid` by parent links, by the package tree-kill: where /proc cannot tell (macOS, a hidden /proc) and `ps` (macOS: `pgrep`) can,
 * nothing else finds a child that has left the group. It gets to signal only when `mayKill(found)` says so, asked immediately before: is the shell still
 * our unreaped child, are `found` its descendants, and is one of them new to us? Never rejects; true when tree-kill has signalled.
 */
export async function killTree(pid: number, signal: NodeJS.Signals, mayKill: Walk['mayKill']): Promise<boolean> {
  try {
    if (!(await canListChildren())) return false
    loaded ??= loadTreeKill()
    const treeKill = await loaded
    return await new Promise((settle) => {
      const started: Walk = { pending: 0, found: [], mayKill, settle }
      callInWalk(started, () => treeKill(pid, signal, () => settle(true)))
    })
  } catch {
    return false // the package is not there
  }
}
