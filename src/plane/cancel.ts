import { setTimeout as pause } from 'node:timers/promises'
import type { Asking } from './ask.ts'
import type { Question } from './question.ts'

/** Whose run it is, and on which phone. */
interface Whose {
  name: string
  by: string
  home?: string | undefined
}

const AGAIN_MS = 1_000
const CANCEL_TRIES = 3
/** A phone that a client has left is told so for about this many seconds. */
const LEAVE_TRIES = 20
/** The command itself may still be on its way when the phone first hears that its client has left. */
const UNKNOWN_TRIES = 3

/** Ends a run there. False: the phone did not say that it does, or that there is none. */
export async function cancelRun(asking: Asking, whose: Whose, runId: string): Promise<boolean> {
  const question = { ...whose, callClass: 'run', method: 'DELETE', path: `/runs/${runId}`, isRepeatable: true } as const
  for (let tries = 1; ; tries++) {
    if (isFinal(await statusOf(asking, question))) return true
    if (tries === CANCEL_TRIES) return false
    await pause(AGAIN_MS)
  }
}

/** Ends the run of one job on one phone when the job is canceled. */
export interface Canceler {
  /** The run is known, or there is contact with the phone: the cancel is sent if it is wanted and the phone has not confirmed it. */
  act(runId: string): Promise<void>
  /** Somebody wants the job ended, from now on. */
  want(): void
}

/** One attempt at a time, and another at each `act`, until the phone has confirmed one. `isWanted`: the job's row says so. */
export function createCanceler(asking: Asking, whose: Whose, isWanted: () => boolean): Canceler {
  let wanted = false
  let state: 'idle' | 'asking' | 'confirmed' = 'idle'
  let known: string | null = null
  const act = async (runId: string) => {
    known = runId
    if (state !== 'idle' || !(wanted || isWanted())) return
    state = 'asking'
    state = (await cancelRun(asking, whose, runId)) ? 'confirmed' : 'idle'
  }
  return {
    act,
    want() {
      wanted = true
      if (known !== null) void act(known)
    },
  }
}

/** The client that asked with this key has left: a run in the foreground is canceled, as at the phone itself. Never rejects. */
export async function leaveRun(asking: Asking, whose: Whose, key: string): Promise<void> {
  const more = { callClass: 'run', method: 'DELETE', path: '/exec', isRepeatable: true } as const
  const question = { ...whose, ...more, headers: { 'idempotency-key': key } }
  for (let [tries, unknown] = [0, 0]; tries < LEAVE_TRIES && unknown < UNKNOWN_TRIES; tries++) {
    const status = await statusOf(asking, question)
    if (status === 404) unknown += 1
    else if (isFinal(status)) return
    await pause(AGAIN_MS)
  }
}

/** 0: no answer. */
const statusOf = (asking: Asking, question: Question): Promise<number> =>
  asking.whole(question).then(
    ({ status }) => status,
    () => 0,
  )

/** Asking again would not change it. */
const isFinal = (status: number) => status >= 200 && status < 500 && status !== 401 && status !== 429
