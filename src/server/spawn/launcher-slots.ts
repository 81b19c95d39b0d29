import type { Socket } from 'node:net'
import type { LauncherLink } from './launcher-link.ts'
import { ask, endedBy, steps, told } from './launcher-numbers.ts'
import { createFrameReader, toFrame } from './launcher-protocol.ts'

/** Who hears what comes on a slot: a run. */
export interface Carried {
  /** true when nothing more will be said about it */
  onFrame(type: number, payload: Buffer): boolean
  /** The slot is at its end. `untaken`: something that was sent was not read by anybody. */
  onLost(untaken: boolean): void
}

/** One socket to a launcher, on which one run after another is carried, each by a reaper. */
export interface Slot {
  readonly link: LauncherLink
  /** Taken from now on, until the run is over; `asked`: what asks for it. */
  carry(run: Carried, asked: Buffer): void
  send(frame: Buffer): void
  /** the pid of the process that keeps its run; 0: it has none yet */
  reaper(): number
  /** Nobody answers: its run is lost, and what that has started may live on. */
  giveUp(): void
  isGivenUp(): boolean
}

/** `empty`: it has no reaper; `resting`: its reaper waits for a run; `taken`: it carries one; `gone`: its socket is closed, for good. */
export type SlotState = 'empty' | 'resting' | 'taken' | 'gone'

/** The slots of one launcher. */
export interface Slots {
  readonly link: LauncherLink
  /** The one whose reaper rested last, else one that has none; null: none is free. */
  take(): Slot | null
  count(state: SlotState): number
  /** Sends reapers away that have rested since before `since` (performance.now()), but for the last one; true when others are left. */
  thin(since: number): boolean
}

/** A slot, as its launcher's list has it. */
interface ListedSlot extends Slot {
  state(): SlotState
  /** its reaper rests since then (performance.now()) */
  restsSince(): number
  take(): void
  sendAway(): void
}

/** Whether nobody will take the slot over: no reaper could be started, or the launcher is gone. */
function isLast(type: number, payload: Buffer): boolean {
  if (type === told.failed) return payload.readInt32LE(4) === steps.reaper
  return type === told.exited && payload.readInt32LE(4) === endedBy.launcher
}

function createSlot(link: LauncherLink, socket: Socket, first: SlotState, onFree: () => void): ListedSlot {
  let state = first
  let restsSince = performance.now()
  let run: Carried | null = null
  let [untaken, ends, isGivenUp] = [false, false, false]
  let reaper = 0
  function note(error?: NodeJS.ErrnoException | null) {
    untaken ||= error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
  }
  function lose() {
    run?.onLost(untaken)
    run = null
  }
  const onFrame = (type: number, payload: Buffer) => {
    if (type === told.born) reaper = payload.readInt32LE(0)
    ends ||= isLast(type, payload)
    if (!run?.onFrame(type, payload)) return
    run = null
    socket.unref()
    if (ends) return void socket.destroy()
    state = 'resting'
    restsSince = performance.now()
    onFree()
  }
  socket.on('data', createFrameReader(onFrame))
  socket.on('error', note)
  socket.on('close', () => {
    state = 'gone'
    onFree()
    setImmediate(lose) // a write that failed says so after it
  })
  return {
    link,
    state: () => state,
    restsSince: () => restsSince,
    take: () => {
      state = 'taken'
    },
    carry: (next, asked) => {
      run = next
      untaken ||= state === 'gone'
      if (state === 'gone') return void setImmediate(lose) // it closed since it was taken
      socket.ref()
      socket.write(asked, note)
    },
    send: (frame) => void socket.write(frame, note),
    sendAway: () => {
      state = 'empty'
      reaper = 0
      socket.write(toFrame(ask.leave), note)
    },
    reaper: () => reaper,
    giveUp: () => {
      isGivenUp = true
      socket.destroy()
    },
    isGivenUp: () => isGivenUp,
  }
}

/** The slots of a launcher that has just started: the first has a reaper. `onFree`: a run is over, or a slot gone. */
export function createSlots(link: LauncherLink, onFree: (slots: Slots) => void): Slots {
  const all = link.sockets.map((socket, index) =>
    createSlot(link, socket, index === 0 ? 'resting' : 'empty', () => onFree(slots)),
  )
  const inState = (state: SlotState) => all.filter((slot) => slot.state() === state)
  const resting = () => inState('resting').sort((a, b) => b.restsSince() - a.restsSince())
  const slots: Slots = {
    link,
    take: () => {
      const slot = resting()[0] ?? inState('empty')[0] ?? null
      slot?.take()
      return slot
    },
    count: (state) => inState(state).length,
    thin: (since) => {
      const others = resting().slice(1)
      const leaving = others.filter((slot) => slot.restsSince() <= since)
      for (const slot of leaving) slot.sendAway()
      return others.length > leaving.length
    },
  }
  return slots
}

/** The launcher that stays when nothing runs: of those with a free slot the one that has most slots left, the oldest of such. */
export function whoRests<One extends Pick<Slots, 'count'>>(all: One[]): One | null {
  const free = (one: One) => one.count('resting') + one.count('empty')
  const left = (one: One) => free(one) + one.count('taken')
  const able = all.filter((one) => free(one) > 0)
  return able.sort((a, b) => left(b) - left(a))[0] ?? null
}
