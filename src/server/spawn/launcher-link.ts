import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { within } from '../../shared/async/index.ts'
import { bounds, messages } from './launcher-numbers.ts'
import { createFrameReader, fromNumbers } from './launcher-protocol.ts'

/** What the launcher reported about its kernel when it started. */
export interface LauncherFacts {
  pid: number
  /** Landlock's ABI version; 0: none, or not requested; or `bounds.landlockKills` */
  landlockAbi: number
  seccomp: boolean
  /** errno of the failed attempt to open a pty; 0: ptys work */
  terminalErrno: number
}

export interface LinkOptions {
  /** absolute path of the executable */
  path: string
  /** false: do not probe the kernel for sandboxes, so no sandbox is available */
  sandboxes: boolean
  /** the launcher's own environment; commands never see it */
  env?: Record<string, string>
  /** concurrent runs (default: 16); for more, start another launcher */
  slots?: number
  /** delay between two recovery steps when a response is overdue (default: 5000) */
  patienceMs?: number
}

/** A running launcher and a socket for each of its slots. */
export interface LauncherLink {
  readonly facts: LauncherFacts
  readonly sockets: Socket[]
  readonly patienceMs: number
  /** resolves when the launcher itself has exited, never rejects; its reapers may still send messages */
  readonly gone: Promise<unknown[]>
  /** whether the launcher's end of the control socket is closed; this happens before /proc stops showing the process as alive */
  isGone(): boolean
  signal(name: NodeJS.Signals): void
  /** resolves when the launcher has killed every run and exited; never rejects */
  close(): Promise<void>
}

const READY_MS = 20_000 // a phone that starts is busy
const USUAL_SLOTS = 16
const USUAL_PATIENCE_MS = 5000

/** Starts a launcher. Rejects with a plain Error if it cannot be started or has another protocol version. */
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
  const facts = await awaitReady(child, control!, path, gone)
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

/** Waits for the launcher's READY message. Kills the launcher if the message does not arrive in time or has another version. */
async function awaitReady(child: ChildProcess, control: Socket, path: string, gone: Promise<unknown[]>) {
  const ready = new Promise<LauncherFacts>((resolve, reject) => {
    control.on(
      'data',
      createFrameReader((type, payload) => {
        const [version, landlockAbi, seccomp, pid, terminalErrno] = fromNumbers(payload)
        if (type !== messages.ready || version !== bounds.version)
          return reject(new Error(`${path}: wrong protocol version`))
        resolve({ landlockAbi: landlockAbi!, seccomp: seccomp === 1, pid: pid!, terminalErrno: terminalErrno! })
      }),
    )
  })
  const ended = gone.then(([code]) => Promise.reject(new Error(`${path}: ${whyGone(code)}`)))
  const first = Promise.race([ready, ended])
  try {
    if (await within(first, READY_MS)) return await first
    throw new Error(`${path}: did not report that it is ready within ${READY_MS / 1000} s`)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

const whyGone = (code: unknown) =>
  code === bounds.noSubreapers
    ? 'this system has no child subreapers, which the launcher needs to find the processes of a run'
    : 'exited immediately'
