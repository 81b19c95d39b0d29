import os from 'node:os'

/** The longest delay that setTimeout accepts (24.8 days). It treats a longer one as 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Timer {
  /** Cancels the call of `work`. */
  stop(): void
  /** Lets the process exit before `work` is called. */
  unref(): Timer
}

/** A monotonic clock for deadlines: setting the system time does not affect it. Tests pass a clock that they control. */
export interface Clock {
  /** milliseconds since an arbitrary moment */
  now(): number
  /** Calls `work` once after `ms` milliseconds; `ms` has no upper limit. */
  startTimer(work: () => void, ms: number): Timer
}

/** Calls `next` at once, and again after each delay that it returns (in milliseconds), until it returns null. */
function startChain(next: () => number | null): Timer {
  let isRef = true
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    const ms = next()
    timer = ms === null ? undefined : setTimeout(wait, ms)
    if (!isRef) timer?.unref()
  }
  wait()
  const started: Timer = {
    stop: () => clearTimeout(timer),
    unref: () => {
      isRef = false
      timer?.unref()
      return started
    },
  }
  return started
}

/** A clock that stops while the machine is suspended, as running commands do. */
export const awakeClock: Clock = {
  now: () => performance.now(),
  startTimer: (work, ms) => {
    let leftMs = Math.max(ms, 1)
    return startChain(() => {
      const partMs = Math.min(leftMs, MAX_TIMER_MS)
      leftMs -= partMs
      return partMs > 0 ? partMs : (work(), null)
    })
  },
}

const asleepMs = () => os.uptime() * 1000 - performance.now()
/** some systems report their uptime in whole seconds */
const UPTIME_STEP_MS = 1000
const asleepAtFirstMs = asleepMs()
let sleptSoFarMs = 0

/** How long the machine has been suspended since this process started; up to a second too low. os.uptime() includes suspension (CLOCK_BOOTTIME). */
export function sleptMs(): number {
  sleptSoFarMs = Math.max(sleptSoFarMs, asleepMs() - asleepAtFirstMs - UPTIME_STEP_MS)
  return sleptSoFarMs
}

/** an overdue timer fires within this time after the machine wakes */
const CHECK_MS = 30_000

/** A clock that keeps running while the machine is suspended, as wall-clock time does. */
export const elapsedClock: Clock = {
  now: () => performance.now() + sleptMs(),
  startTimer: (work, ms) => {
    const endMs = elapsedClock.now() + ms
    return startChain(() => {
      const leftMs = endMs - elapsedClock.now()
      return leftMs > 0 ? Math.min(leftMs, CHECK_MS) : (work(), null)
    })
  },
}

/** The time by which an operation must end. */
export class Deadline {
  readonly #endMs: number

  /** `ms` from now */
  constructor(
    ms: number,
    private readonly clock: Clock = awakeClock,
  ) {
    this.#endMs = clock.now() + ms
  }

  /** milliseconds left; 0 after the deadline */
  leftMs(): number {
    return Math.max(0, this.#endMs - this.clock.now())
  }

  /** Calls `work` at the deadline. */
  startTimer(work: () => void): Timer {
    return this.clock.startTimer(work, this.leftMs())
  }

  /** Waits for `promise` until the deadline; true if it settled in time. */
  async allows(promise: Promise<unknown>): Promise<boolean> {
    let timer: Timer | undefined
    const late = new Promise<typeof LATE>((resolve) => (timer = this.startTimer(() => resolve(LATE))))
    try {
      return (await Promise.race([promise, late])) !== LATE
    } finally {
      timer?.stop()
    }
  }
}

const LATE = Symbol('late')

/** Waits up to `ms` milliseconds for `promise`; true if it settled in time. The timer stops with the wait. */
export const within = (promise: Promise<unknown>, ms: number, clock?: Clock): Promise<boolean> =>
  new Deadline(ms, clock).allows(promise)
