import { createPromise } from '../../shared/async/index.ts'
import type { SpawnEvents, Stream } from '../../shared/schema/index.ts'
import { ask, bounds } from './launcher-numbers.ts'
import { CREDIT_BYTES, toNumbers } from './launcher-protocol.ts'

/** Sends a frame about one run. */
export type SendFrame = (type: number, payload?: Buffer) => void

/** How a terminal's programs are told that no more comes. */
const CTRL_D = Buffer.from([4])

export type ChildInput = ReturnType<typeof createInput>

/** stdin, one piece under way at a time: the launcher holds no more than that. */
export function createInput(say: SendFrame, isTerminal: boolean) {
  let open = true
  let taken: ((ok: boolean) => void) | null = null
  let queue: Promise<unknown> = Promise.resolve()
  /** Whether it was taken; never rejects. */
  const writePiece = (piece: Buffer) =>
    new Promise<boolean>((resolve) => {
      taken = resolve
      say(ask.stdin, piece)
    })
  async function writeAll(data: Buffer): Promise<boolean> {
    for (let at = 0; at < data.length; at += bounds.piece) {
      if (!open || !(await writePiece(data.subarray(at, at + bounds.piece)))) {
        open = false
        return false
      }
    }
    return true // though nobody may read on: these bytes were taken
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
        else if (open) say(ask.stdinEnd)
        open = false
      })
    },
    onTaken,
    /** nobody reads any more */
    shut: () => {
      open = false
      onTaken(false)
    },
  }
}

export type Tap = ReturnType<typeof createTap>

/**
 * Output on its way to the receiver. The launcher sends as much as it has credit for (its window), so that what is held here while the
 * receiver pauses is bounded; `closed` waits for it.
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
      say(ask.credit, toNumbers(owed))
      owed = 0
    }
    if (isBegun && tap.isAtEnd && held.length === 0) settle()
  }
  const tap = {
    closed,
    /** both pipes are */
    isAtEnd: false,
    /** lets output through from now on */
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
      process.nextTick(flow) // as a stream does: whoever resumes has finished what it is at
    },
    detach: () => {
      if (!tap.isAtEnd && !isDetached) say(ask.detach)
      isDetached = true
      held = []
      settle()
    },
    /** both pipes are at their end */
    end: () => {
      tap.isAtEnd = true
      flow()
    },
  }
  return tap
}
