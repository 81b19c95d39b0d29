import { randomFillSync } from 'node:crypto'
import { RUN_ID_DIGITS, ShellphoneError } from '../../shared/schema/index.ts'
import type { Log } from './warnings.ts'

const COUNTER_LIMIT = 32 ** 3
const pool = Buffer.alloc(1300)
let poolUsed = pool.length
let lastMs = 0
let counter = 0

function encode(value: number, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest = Math.floor(rest / 32)) text = RUN_ID_DIGITS[rest % 32] + text
  return text
}

function randomDigits(digits: number): string {
  if (poolUsed + digits > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  let text = ''
  for (const end = poolUsed + digits; poolUsed < end; poolUsed++) text += RUN_ID_DIGITS[pool[poolUsed]! & 31]
  return text
}

/** A run's id: 26 characters, of which 10 are the time (ms), 3 a counter and 13 random (65 bits). Later ids of a process always sort after earlier ones. */
export function newRunId(nowMs: number): string {
  const ms = Math.max(Math.floor(nowMs), lastMs)
  counter = ms === lastMs ? counter + 1 : 0
  lastMs = counter < COUNTER_LIMIT ? ms : ms + 1
  if (counter === COUNTER_LIMIT) counter = 0
  return encode(lastMs, 10) + encode(counter, 3) + randomDigits(13)
}

/** The error for an id of no run, or of a run that the token may not read. */
export const noSuchRun = (id: string) =>
  new ShellphoneError('NOT_FOUND', `No such run: ${id.slice(0, 64)}; list runs to find its id`)

/** A name of 16 random characters (80 bits) that a person can type: it never starts with a dash. */
export const newName = (): string => randomDigits(16)

const DAY_MS = 86_400_000
/** Smaller changes of the wall clock are not logged. */
const JUMP_MS = 60_000

/**
 * Measures ages in milliseconds since the oldest record. It follows the times of the records, with at most a day between two of them,
 * and then the monotonic clock, so that a wrong wall clock cannot suddenly make records old.
 */
export class AgeClock {
  #ageMs = 0
  #lastMs: number | null = null
  #startedMs: number | null = null
  #aheadMs: number

  /** `wallMs`: since 1970; `elapsedMs`: monotonic */
  constructor(
    private readonly wallMs: () => number,
    private readonly elapsedMs: () => number,
    private readonly log: Log,
  ) {
    this.#aheadMs = wallMs() - elapsedMs()
  }

  /** Advances to the time of the next record (ms since 1970) while history is read; returns its age time. */
  pass(recordMs: number): number {
    this.#ageMs += Math.max(0, Math.min(recordMs - (this.#lastMs ?? recordMs), DAY_MS))
    this.#lastMs = recordMs
    return this.#ageMs
  }

  nowMs(): number {
    if (this.#startedMs === null) {
      if (this.#lastMs !== null) this.pass(this.wallMs())
      this.#startedMs = this.elapsedMs()
    }
    const jumpMs = this.wallMs() - this.elapsedMs() - this.#aheadMs
    if (Math.abs(jumpMs) >= JUMP_MS) {
      this.#aheadMs += jumpMs
      this.log(
        { jump_ms: Math.round(jumpMs) },
        'the clock was set or the machine slept; no history is deleted because of this',
      )
    }
    return Math.floor(this.#ageMs + this.elapsedMs() - this.#startedMs) // an integer: a fraction would be a heap object in every entry
  }
}
