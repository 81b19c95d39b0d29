import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { within } from '../../shared/async/index.ts'
import { bounds, told } from './launcher-numbers.ts'
import { createFrameReader, fromNumbers } from './launcher-protocol.ts'

/** What the launcher found out about its kernel when it started. */
export interface LauncherFacts {
  pid: number
  /** 0: none, or not asked for; or landlockKills */
  landlockAbi: number
  seccomp: boolean
  /** why the system gives no terminals, as an errno; 0: it does */
  terminalErrno: number
}

export interface LinkOptions {
  /** absolute path of the binary */
  path: string
  /** false: the kernel is not asked for sandboxes, and none is to be had */
  sandboxes: boolean
  /** the launcher's own environment; commands never see it */
  env?: Record<string, string>
  /** runs at once; who wants more starts another launcher */
  slots?: number
  /** between two steps against a launcher that owes an answer */
  patienceMs?: number
}

/** A launcher that runs, and a socket for each of its slots. */
export interface LauncherLink {
  readonly facts: LauncherFacts
  readonly sockets: Socket[]
  readonly patienceMs: number
  /** resolves when the launcher itself is gone, never rejects; its reapers may have something left to say */
  readonly gone: Promise<unknown[]>
  /** its end of the control socket is closed: the first thing that goes with a process, while /proc shows it as alive still */
  isGone(): boolean
  signal(name: NodeJS.Signals): void
  /** resolves when the launcher has ended everything and is gone; never rejects */
  close(): Promise<void>
}

const READY_MS = 5000
const USUAL_SLOTS = 16
const USUAL_PATIENCE_MS = 5000

/** Starts a launcher. Rejects with a plain Error when it cannot be started or is not of our version. */
export async function startLink({
  path,
  sandboxes,
  env = {},
  slots = USUAL_SLOTS,
  patienceMs = USUAL_PATIENCE_MS,
}: LinkOptions): Promise<LauncherLink> {
  const pipes = Array.from({ length: slots }, () => 'pipe' as const)
  const child = spawn(path, [String(slots), ...(sandboxes ? [] : ['--no-boxes'])], {
    cwd: '/',
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', ...pipes],
  })
  if (child.pid === undefined) {
    const [error] = await once(child, 'error') // once() itself rejects with it
    throw error
  }
  const [control, ...sockets] = child.stdio.slice(bounds.firstSlot - 1, bounds.firstSlot + slots) as Socket[]
  for (const socket of [control!, ...sockets]) {
    socket.on('error', () => {}) // 'close' follows
    socket.unref()
  }
  child.on('error', () => {}) // a signal that could not be sent
  const gone = new Promise<unknown[]>((resolve) => child.once('exit', (...how) => resolve(how)))
  let isGone = false
  for (const event of ['end', 'close']) control!.once(event, () => (isGone = true))
  const facts = await hearReady(child, control!, path, gone)
  child.unref()
  return {
    facts,
    sockets,
    patienceMs,
    gone,
    isGone: () => isGone,
    signal: (name) => void child.kill(name),
    close: async () => {
      child.ref()
      for (const socket of [control!, ...sockets]) socket.destroy()
      await gone
    },
  }
}

/** Waits for the launcher's first words; where they do not come, or are not ours, it is killed. */
async function hearReady(child: ChildProcess, control: Socket, path: string, gone: Promise<unknown[]>) {
  const ready = new Promise<LauncherFacts>((resolve, reject) => {
    control.on(
      'data',
      createFrameReader((type, payload) => {
        const [version, landlockAbi, seccomp, pid, terminalErrno] = fromNumbers(payload)
        if (type !== told.ready || version !== bounds.version) return reject(new Error(`${path}: of another version`))
        resolve({ landlockAbi: landlockAbi!, seccomp: seccomp === 1, pid: pid!, terminalErrno: terminalErrno! })
      }),
    )
  })
  const ended = gone.then(([code]) => Promise.reject(new Error(`${path}: ${whyGone(code)}`)))
  const first = Promise.race([ready, ended])
  try {
    if (await within(first, READY_MS)) return await first
    throw new Error(`${path}: says nothing`)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

const whyGone = (code: unknown) =>
  code === bounds.noSubreapers ? 'this system has no child subreapers, by which a run is found again' : 'ended at once'
