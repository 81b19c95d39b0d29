import { createPromise } from '../../shared/async/index.ts'
import type { SpawnEvents, Stream } from '../../shared/schema/index.ts'
import { requests, bounds } from './launcher-numbers.ts'
import { CREDIT_BYTES, toNumbers } from './launcher-protocol.ts'

/** Sends a frame about one run. */
export type SendFrame = (type: number, payload?: Buffer) => void

/** End of input for a program in a terminal. */
const CTRL_D = Buffer.from([4])

export type ChildInput = ReturnType<typeof createInput>

/** Sends stdin one piece at a time, so that the launcher never buffers more than one piece. */
export function createInput(say: SendFrame, isTerminal: boolean) {
  let open = true
  let taken: ((ok: boolean) => void) | null = null
  let queue: Promise<unknown> = Promise.resolve()
  /** Resolves to whether the pipe accepted the piece; never rejects. */
  const writePiece = (piece: Buffer) =>
    new Promise<boolean>((resolve) => {
      taken = resolve
      say(requests.stdin, piece)
    })
  async function writeAll(data: Buffer): Promise<boolean> {
    for (let at = 0; at < data.length; at += bounds.piece) {
      if (!open || !(await writePiece(data.subarray(at, at + bounds.piece)))) {
        open = false
        return false
      }
    }
    return true // the pipe accepted these bytes, even if nothing reads them
  }
  function onTaken(ok: boolean) {
    taken?.(ok)
    taken = null
  }
  return {
    write: (data: Buffer): Promise<boolean> => {
      const written = queue.then(() => writeAll(data))
      queue = written
      return written
    },
    end: () => {
      queue = queue.then(() => {
        if (open && isTerminal) void writePiece(CTRL_D)
        else if (open) say(requests.stdinEnd)
        open = false
      })
    },
    onTaken,
    /** call when nothing reads stdin any more */
    shut: () => {
      open = false
      onTaken(false)
    },
  }
}

export type Tap = ReturnType<typeof createTap>

/**
 * Delivers output to the receiver. The launcher sends no more than its credit (the window), which bounds the buffer here while the receiver
 * is paused. `closed` resolves when the last buffered output has been delivered, or on `detach`.
 */
export function createTap(say: SendFrame, events: SpawnEvents) {
  const { promise: closed, resolve: settle } = createPromise<void>()
  let held: [Stream, Buffer][] = []
  let isBegun = false
  let isPaused = false
  let isDetached = false
  let owed = 0
  function flow() {
    while (isBegun && !isPaused && held.length > 0) {
      const [stream, chunk] = held.shift()!
      events.onOutput(stream, chunk)
      owed += chunk.length
      if (owed < CREDIT_BYTES || tap.isAtEnd || isDetached) continue
      say(requests.credit, toNumbers(owed))
      owed = 0
    }
    if (isBegun && tap.isAtEnd && held.length === 0) settle()
  }
  const tap = {
    closed,
    /** whether both pipes have reached EOF */
    isAtEnd: false,
    /** starts delivering output */
    begin: () => {
      isBegun = true
      flow()
    },
    take: (stream: Stream, chunk: Buffer) => {
      if (isDetached) return
      held.push([stream, chunk])
      flow()
    },
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      process.nextTick(flow) // later, as a stream does, so that the caller of resume() finishes first
    },
    detach: () => {
      if (!tap.isAtEnd && !isDetached) say(requests.detach)
      isDetached = true
      held = []
      settle()
    },
    /** call when both pipes have reached EOF */
    end: () => {
      tap.isAtEnd = true
      flow()
    },
  }
  return tap
}
