import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { ask, createFrameReader, fromNumbers, protocolVersion, toFrame, told, toNumbers } from './launcher-protocol.ts'

/** What the launcher found out about its kernel when it started. */
export interface LauncherFacts {
  pid: number
  /** 0: none, or not asked for; -1000: the system kills whoever asks (Android up to 15) */
  landlockAbi: number
  seccomp: boolean
}

export interface LinkOptions {
  /** absolute path of the binary */
  path: string
  /** false: the kernel is not asked for boxes, and none is to be had */
  boxes: boolean
  /** the launcher's own environment; commands never see it */
  env?: Record<string, string>
  /** a descriptor that the launcher inherits: the self-test proves that commands do not */
  inherited?: number
}

/** A launcher that runs, and the socket to it. */
export interface Link {
  readonly facts: LauncherFacts
  send(frame: Buffer): void
  /** false: whatever is sent reaches nobody */
  isOpen(): boolean
  /** true: keeps this process alive */
  hold(busy: boolean): void
  /** resolves when the launcher has ended everything and is gone */
  close(): Promise<void>
}

const readyMs = 5000

type OnFrame = (run: number, type: number, payload: Buffer) => void

/** Starts a launcher and greets it. Rejects with a plain Error when it cannot be started or is not of our version. `onDown` is called once, when it is gone. */
export async function startLink(options: LinkOptions, onFrame: OnFrame, onDown: () => void): Promise<Link> {
  const { path, boxes, env = {}, inherited } = options
  const child = spawn(path, boxes ? [] : ['--no-boxes'], {
    cwd: '/',
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', ...(inherited === undefined ? [] : [inherited])],
  })
  if (child.pid === undefined) {
    const [error] = await once(child, 'error') // once() itself rejects with it
    throw error
  }
  const socket = child.stdio[3] as Socket
  const gone = once(child, 'exit')
  const ready = new Promise<LauncherFacts>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${path}: says nothing`)), readyMs)
    gone.then(() => reject(new Error(`${path}: ended at once`))).finally(() => clearTimeout(timer))
    const read = createFrameReader((run, type, payload) => {
      if (type !== told.ready) return onFrame(run, type, payload)
      const [version, landlockAbi, seccomp, pid] = fromNumbers(payload)
      clearTimeout(timer)
      if (version === protocolVersion) resolve({ landlockAbi: landlockAbi!, seccomp: seccomp === 1, pid: pid! })
      else reject(new Error(`${path}: of another version`))
    })
    socket.on('data', read)
  })
  ready.catch(() => child.kill('SIGKILL'))
  socket.on('error', () => {}) // 'close' follows
  socket.on('close', onDown)
  socket.write(toFrame(0, ask.hello, toNumbers(protocolVersion)))
  const facts = await ready
  child.unref()
  return {
    facts,
    send: (frame) => void socket.write(frame),
    isOpen: () => socket.writable,
    hold: (busy) => void (busy ? socket.ref() : socket.unref()),
    close: async () => {
      child.ref()
      socket.destroy()
      await gone
    },
  }
}
