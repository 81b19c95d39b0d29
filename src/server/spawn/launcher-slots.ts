import type { Socket } from 'node:net'
import type { LauncherLink } from './launcher-link.ts'
import { requests, endedBy, steps, messages } from './launcher-numbers.ts'
import { createFrameReader, toFrame } from './launcher-protocol.ts'

/** A run as its slot uses it: the run receives the slot's frames. */
export interface SlotRun {
  /** Returns true when no more frames of the run will come. */
  onFrame(type: number, payload: Buffer): boolean
  /** The slot has closed. `untaken`: the other side has not read everything that was sent on it. */
  onLost(untaken: boolean): void
}

/** One socket to a launcher. It carries one run at a time, each supervised by a reaper. */
export interface Slot {
  readonly link: LauncherLink
  /** Starts a run by sending the frame `asked`; the slot is taken until the run is over. */
  carry(run: SlotRun, asked: Buffer): void
  send(frame: Buffer): void
  /** the pid of its reaper; 0: no reaper yet */
  reaper(): number
  /** Closes a slot that does not respond: its run is lost, and the run's processes may survive. */
  giveUp(): void
  isGivenUp(): boolean
}

/** `empty`: without a reaper; `resting`: its reaper is idle; `taken`: it carries a run; `gone`: its socket is closed. */
export type SlotState = 'empty' | 'resting' | 'taken' | 'gone'

/** The slots of one launcher. */
export interface Slots {
  readonly link: LauncherLink
  /** Takes the slot whose reaper became idle last, otherwise one without a reaper; null: no slot is free. */
  take(): Slot | null
  count(state: SlotState): number
  /** Dismisses reapers that were idle by `since` (performance.now()), but never the last idle one. Returns true if several idle reapers are left. */
  thin(since: number): boolean
}

/** A slot with the methods that only its `Slots` may call. */
interface ListedSlot extends Slot {
  state(): SlotState
  /** when its reaper became idle (performance.now()) */
  restsSince(): number
  take(): void
  sendAway(): void
}

/** Whether the slot ends with this message: no reaper could be started, or the launcher has died. */
function isLast(type: number, payload: Buffer): boolean {
  if (type === messages.failed) return payload.readInt32LE(4) === steps.reaper
  return type === messages.exited && payload.readInt32LE(4) === endedBy.launcher
}

function createSlot(link: LauncherLink, socket: Socket, first: SlotState, onFree: () => void): ListedSlot {
  let state = first
  let restsSince = performance.now()
  let run: SlotRun | null = null
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
    if (type === messages.born) reaper = payload.readInt32LE(0)
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
    setImmediate(lose) // a failed write reports its error after 'close'
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
      if (state === 'gone') return void setImmediate(lose) // the slot closed after it was taken
      socket.ref()
      socket.write(asked, note)
    },
    send: (frame) => void socket.write(frame, note),
    sendAway: () => {
      state = 'empty'
      reaper = 0
      socket.write(toFrame(requests.leave), note)
    },
    reaper: () => reaper,
    giveUp: () => {
      isGivenUp = true
      socket.destroy()
    },
    isGivenUp: () => isGivenUp,
  }
}

/** The slots of a launcher that has just started; the first has a reaper. `onFree`: called when a run is over or a slot has closed. */
export function createLauncherSlots(link: LauncherLink, onFree: (slots: Slots) => void): Slots {
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

/** Chooses the idle launcher to keep: of those with a free slot, the one that has lost the fewest slots. The oldest wins a tie. */
export function chooseIdle<One extends Pick<Slots, 'count'>>(all: One[]): One | null {
  const free = (one: One) => one.count('resting') + one.count('empty')
  const left = (one: One) => free(one) + one.count('taken')
  const able = all.filter((one) => free(one) > 0)
  return able.sort((a, b) => left(b) - left(a))[0] ?? null
}
