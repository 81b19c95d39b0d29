import { ShellphoneError } from '../../shared/schema/index.ts'

/** Commands of one session that may wait. */
const MAX_WAITING = 16

/** Lets one command of a session run at a time, in the order of arrival. */
export interface Order {
  /** Resolves with a function that ends the turn. Throws POOL_FULL if too many commands wait, or if `gone` aborts while this one waits. */
  wait(gone: AbortSignal): Promise<() => void>
  isBusy(): boolean
  waiting(): number
}

export function createOrder(name: string): Order {
  const queue: (() => void)[] = []
  let isTaken = false
  function next(): void {
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
    wait(gone) {
      if (!isTaken) {
        isTaken = true
        return Promise.resolve(turn())
      }
      if (queue.length >= MAX_WAITING) {
        return Promise.reject(full(`${queue.length} commands of the session ${name} are already waiting`))
      }
      return new Promise((resolve, reject) => {
        const begin = () => {
          gone.removeEventListener('abort', leave)
          resolve(turn())
        }
        const leave = () => {
          queue.splice(queue.indexOf(begin), 1)
          reject(full(`the client disconnected while its command waited for the session ${name}`))
        }
        queue.push(begin)
        gone.addEventListener('abort', leave, { once: true })
        if (gone.aborted) leave()
      })
    },
    isBusy: () => isTaken,
    waiting: () => queue.length,
  }
}

const full = (why: string) =>
  new ShellphoneError('POOL_FULL', `session: ${why}`, { field: 'session', retryAfterSeconds: 5 })
