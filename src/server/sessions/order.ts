import type { Clock } from '../../shared/async/index.ts'
import { ShellphoneError } from '../../shared/schema/index.ts'

/** Commands of one session that may wait. */
const MAX_WAITING = 16

/** Lets one command of a session run at a time, in the order of arrival. */
export interface Order {
  /**
   * Resolves with a function that ends the turn. Throws POOL_FULL if too many commands wait, or if `gone` aborts or `patienceMs` pass while
   * this one waits; null: it waits without a limit.
   */
  wait(gone: AbortSignal, patienceMs: number | null): Promise<() => void>
  /** Names the run whose turn it is. */
  began(run: string): void
  isBusy(): boolean
  waiting(): number
}

export function createOrder(name: string, clock: Clock): Order {
  const queue: (() => void)[] = []
  let isTaken = false
  let run: string | null = null
  function next(): void {
    run = null
    const first = queue.shift()
    if (first) first()
    else isTaken = false
  }
  function turn(): () => void {
    let isOver = false
    return () => {
      if (!isOver) next()
      isOver = true
    }
  }
  return {
    wait(gone, patienceMs) {
      if (!isTaken) {
        isTaken = true
        return Promise.resolve(turn())
      }
      if (queue.length >= MAX_WAITING) {
        return Promise.reject(full(`${queue.length} commands of the session ${name} are already waiting`))
      }
      return new Promise((resolve, reject) => {
        const begin = () => {
          stopWaiting()
          resolve(turn())
        }
        const giveUp = (why: string) => {
          stopWaiting()
          queue.splice(queue.indexOf(begin), 1)
          reject(full(why))
        }
        const leave = () => giveUp(`the client disconnected while its command waited for the session ${name}`)
        const timer = patienceMs === null ? null : clock.startTimer(() => giveUp(busy(name, run)), patienceMs)
        const stopWaiting = () => {
          gone.removeEventListener('abort', leave)
          timer?.stop()
        }
        queue.push(begin)
        gone.addEventListener('abort', leave, { once: true })
        if (gone.aborted) leave()
      })
    },
    began: (id) => void (run = id),
    isBusy: () => isTaken,
    waiting: () => queue.length,
  }
}

const busy = (name: string, run: string | null) =>
  run === null
    ? `${name} is busy; try again, or use another session`
    : `${name} is busy with the run ${run}; wait for its end or cancel it, then try again, or use another session`

const full = (why: string) =>
  new ShellphoneError('POOL_FULL', `session: ${why}`, { field: 'session', retryAfterSeconds: 5 })
