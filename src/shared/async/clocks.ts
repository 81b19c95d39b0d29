import os from 'node:os'

/** What setTimeout can count: 31 bits of milliseconds (24.8 days); a longer time it takes for 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Timer {
  /** `work` is not called any more. */
  stop(): void
  /** The process may exit before it is called. */
  unref(): Timer
}

/** What deadlines go by: no change of the date moves it. Tests hand in one that they move. */
export interface Clock {
  /** milliseconds since some moment */
  now(): number
  /** Calls `work` once, after `ms` milliseconds, however many they are. */
  startTimer(work: () => void, ms: number): Timer
}

/** Calls `next` again and again, each time after the milliseconds that it has returned, until it returns null. */
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

/** Stands still while the machine is suspended, as commands do. */
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
/** some systems tell their uptime in whole seconds */
const UPTIME_STEP_MS = 1000
const asleepAtFirstMs = asleepMs()
let sleptSoFarMs = 0

/** How long the machine has been suspended since this process began: os.uptime() goes on then (CLOCK_BOOTTIME). Up to a second less than it was. */
export function sleptMs(): number {
  sleptSoFarMs = Math.max(sleptSoFarMs, asleepMs() - asleepAtFirstMs - UPTIME_STEP_MS)
  return sleptSoFarMs
}

/** a timer whose time came while the machine was suspended is called so long after it woke, at the latest */
const LOOK_MS = 30_000

/** Goes on while the machine is suspended, as the time does that people are shown. */
export const elapsedClock: Clock = {
  now: () => performance.now() + sleptMs(),
  startTimer: (work, ms) => {
    const endMs = elapsedClock.now() + ms
    return startChain(() => {
      const leftMs = endMs - elapsedClock.now()
      return leftMs > 0 ? Math.min(leftMs, LOOK_MS) : (work(), null)
    })
  },
}

/** When something must be over: one moment, whoever asks how long it is until then. */
export class Deadline {
  readonly #endMs: number

  /** `ms` from now */
  constructor(
    ms: number,
    private readonly clock: Clock = awakeClock,
  ) {
    this.#endMs = clock.now() + ms
  }

  /** milliseconds; 0 when it has passed */
  leftMs(): number {
    return Math.max(0, this.#endMs - this.clock.now())
  }

  /** Calls `work` then. */
  startTimer(work: () => void): Timer {
    return this.clock.startTimer(work, this.leftMs())
  }

  /** Waits for `promise` until then; true when it settled in time. */
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

/** Waits for `promise`, at most `ms`; true when it settled in time. The timer does not outlive the wait. */
export const within = (promise: Promise<unknown>, ms: number, clock?: Clock): Promise<boolean> =>
  new Deadline(ms, clock).allows(promise)
