import type { Socket } from 'node:net'
import type { Link } from './launcher-link.ts'
import { ask, createFrameReader, NOTE_LAUNCHER, toFrame, told } from './launcher-protocol.ts'
import { readStat } from './scan-processes.ts'

/** Who hears what comes on a slot: a run. */
export interface Carried {
  /** true when nothing more will be said about it */
  onFrame(type: number, payload: Buffer): boolean
  /** The slot is at its end. `untaken`: something that was sent was not read by anybody. */
  onLost(untaken: boolean): void
}

/** One socket to a launcher, on which one run after another is carried, each by a reaper. */
export interface Slot {
  readonly link: Link
  /** Taken from now on, until the run is over; `asked`: what asks for it. */
  carry(run: Carried, asked: Buffer): void
  send(frame: Buffer): void
  /** nobody answers */
  destroy(): void
}

/** The slots of one launcher. */
export interface Slots {
  readonly link: Link
  /** The one whose reaper rested last, else one that has none; null: none is free. */
  take(): Slot | null
  /** nothing runs */
  isIdle(): boolean
  /** Sends reapers away that have rested since before `since` (performance.now()), but for the last one; true when others are left. */
  thin(since: number): boolean
}

const NO_REAPER = 'reaper'

function createSlot(link: Link, socket: Socket, onFree: (slot: Slot) => void, onGone: (slot: Slot) => void): Slot {
  let run: Carried | null = null
  let untaken = false
  let ends = false
  function note(error?: NodeJS.ErrnoException | null) {
    untaken ||= error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
  }
  function lose() {
    run?.onLost(untaken)
    run = null
  }
  const slot: Slot = {
    link,
    carry: (next, asked) => {
      run = next
      socket.ref()
      socket.write(asked, note)
    },
    send: (frame) => void socket.write(frame, note),
    destroy: () => void socket.destroy(),
  }
  const onFrame = (type: number, payload: Buffer) => {
    // nobody will take the slot over: there was no reaper to be had, or the launcher is gone
    if (type === told.failed) ends = payload.toString('utf8', 4) === NO_REAPER
    if (type === told.exited) ends = payload.readInt32LE(4) === NOTE_LAUNCHER
    if (!run?.onFrame(type, payload)) return
    run = null
    socket.unref()
    if (ends) socket.destroy()
    else onFree(slot)
  }
  socket.on('data', createFrameReader(onFrame))
  socket.on('error', note)
  socket.on('close', () => {
    onGone(slot)
    setImmediate(lose) // a write that failed says so after it
  })
  return slot
}

/** The slots of a launcher that has just started: the first has a reaper. `onSurplus`: a run is over, and more than one reaper rests. */
export function createSlots(link: Link, onSurplus: () => void): Slots {
  const rested: { slot: Slot; since: number }[] = []
  let empty: Slot[] = []
  let taken = 0
  const free = (slot: Slot) => {
    taken--
    rested.push({ slot, since: performance.now() })
    if (rested.length > 1) onSurplus()
  }
  const forget = (slot: Slot) => {
    const at = rested.findIndex((one) => one.slot === slot)
    const size = empty.length
    if (at >= 0) rested.splice(at, 1)
    empty = empty.filter((one) => one !== slot)
    if (at < 0 && empty.length === size) taken--
  }
  empty = link.sockets.map((socket) => createSlot(link, socket, free, forget)).reverse()
  rested.push({ slot: empty.pop()!, since: performance.now() })
  return {
    link,
    take: () => {
      const slot = rested.pop()?.slot ?? empty.pop() ?? null
      if (slot !== null) taken++
      return slot
    },
    isIdle: () => taken === 0,
    thin: (since) => {
      while (rested.length > 1 && rested[0]!.since <= since) {
        const { slot } = rested.shift()!
        slot.send(toFrame(ask.leave))
        empty.push(slot)
      }
      return rested.length > 1
    },
  }
}

/** Who owes a run its answers. */
interface Answerer {
  slot: Slot | null
  /** 0: not known yet */
  reaper: number
}

/** Only where it is still the launcher's child. */
function killReaper({ slot, reaper }: Answerer) {
  if (reaper > 0 && readStat(reaper)?.parent === slot?.link.facts.pid) process.kill(reaper, 'SIGKILL')
}

/** Who waits for an answer clears its timer when that has come. */
export interface Watch {
  timer: NodeJS.Timeout
}

/**
 * Waits for an answer that should come within `ms`. A command may have stopped the launcher, which
 * continues a reaper that was stopped: so it is continued first. If that does not help the run's reaper is killed, then the launcher; then the slot is closed.
 */
export function watchAnswer(ms: number, answerer: Answerer): Watch {
  const steps = [
    () => answerer.slot?.link.signal('SIGCONT'),
    () => killReaper(answerer),
    () => answerer.slot?.link.signal('SIGKILL'),
    () => answerer.slot?.destroy(),
  ]
  const watch = { timer: setTimeout(next, ms) }
  function next() {
    steps.shift()!()
    if (steps.length > 0) watch.timer = setTimeout(next, answerer.slot!.link.patienceMs)
  }
  return watch
}
