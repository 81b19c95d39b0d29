import type { PhoneRequests } from './phone-requests.ts'
import { cancelTable } from './command-states.ts'
import type { ExecutionParts } from './execution.ts'
import type { PhoneRequest } from './phone-request.ts'
import { type EventOf, nextState } from './state-table.ts'

/** Whose run it is, and on which phone. */
interface RunOwner {
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
async function cancelRun({ asking, clock }: ExecutionParts, whose: RunOwner, runId: string): Promise<boolean> {
  const question = { ...whose, callClass: 'run', method: 'DELETE', path: `/runs/${runId}`, isRepeatable: true } as const
  for (let tries = 1; ; tries++) {
    if (isFinal(await statusOf(asking, question))) return true
    if (tries === CANCEL_TRIES) return false
    await clock.pause(AGAIN_MS)
  }
}

/** Ends the run of one job on one phone when the job is canceled: goes through `cancelTable`. */
export interface Canceler {
  /** The run is known, and there is contact with the phone. Never rejects. */
  contact(runId: string): Promise<void>
  /** The job is to be ended, from now on. */
  want(): void
}

export function createCanceler(parts: ExecutionParts, whose: () => RunOwner): Canceler {
  let state: keyof typeof cancelTable = 'idle'
  let known: string | null = null
  const turn = (event: EventOf<typeof cancelTable>): boolean => {
    const next = nextState(cancelTable, state, event)
    if (next !== null) state = next
    return next !== null
  }
  /** Never rejects. */
  const contact = async (runId: string) => {
    known = runId
    if (turn('contact')) turn((await cancelRun(parts, whose(), runId)) ? 'confirmed' : 'unconfirmed')
  }
  return {
    contact,
    want() {
      if (turn('want') && known !== null) void contact(known)
    },
  }
}

/** The client that asked with this key has left: a run in the foreground is canceled, as at the phone itself. Never rejects. */
export async function leaveRun({ asking, clock }: ExecutionParts, whose: RunOwner, key: string): Promise<void> {
  const more = { callClass: 'run', method: 'DELETE', path: '/exec', isRepeatable: true } as const
  const question = { ...whose, ...more, headers: { 'idempotency-key': key } }
  for (let [tries, unknown] = [0, 0]; tries < LEAVE_TRIES && unknown < UNKNOWN_TRIES; tries++) {
    const status = await statusOf(asking, question)
    if (status === 404) unknown += 1
    else if (isFinal(status)) return
    await clock.pause(AGAIN_MS)
  }
}

/** 0: no answer. */
const statusOf = (asking: PhoneRequests, question: PhoneRequest): Promise<number> =>
  asking.whole(question).then(
    ({ status }) => status,
    () => 0,
  )

/** Asking again would not change it. */
const isFinal = (status: number) => status >= 200 && status < 500 && status !== 401 && status !== 429
