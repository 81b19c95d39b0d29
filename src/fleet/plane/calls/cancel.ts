import type { PhoneRequests } from './phone-requests.ts'
import { cancelTable } from './command-states.ts'
import type { ExecutionParts } from './execution.ts'
import type { PhoneRequest } from './phone-request.ts'
import { type EventOf, nextState } from './state-table.ts'

/** The phone of a run and the user who started it. */
interface RunOwner {
  name: string
  by: string
  home?: string | undefined
}

const RETRY_MS = 1_000
const CANCEL_TRIES = 3
/** The maximum number of attempts, about one a second, to notify a phone that a client has disconnected. */
const LEAVE_TRIES = 20
/** The number of 404 responses that are final. The command itself may still be on its way to the phone, so the first ones are not. */
const UNKNOWN_TRIES = 3

/** Cancels a run on its phone. Resolves with true if the phone confirmed the cancellation, or has no such run. */
async function cancelRun({ phoneRequests, clock }: ExecutionParts, owner: RunOwner, runId: string): Promise<boolean> {
  const request = { ...owner, callClass: 'run', method: 'DELETE', path: `/runs/${runId}`, isRepeatable: true } as const
  for (let tries = 1; ; tries++) {
    if (isFinal(await statusOf(phoneRequests, request))) return true
    if (tries === CANCEL_TRIES) return false
    await clock.pause(RETRY_MS)
  }
}

/** Cancels the run of one job on one phone, as a state machine with the table `cancelTable`. */
export interface Canceler {
  /** Call this when the run is known and the phone can be reached. Never rejects. */
  contact(runId: string): Promise<void>
  /** Call this when the job is canceled. Cancels its run now, or at the next contact. */
  want(): void
}

export function createCanceler(parts: ExecutionParts, owner: () => RunOwner): Canceler {
  let state: keyof typeof cancelTable = 'idle'
  let known: string | null = null
  const advance = (event: EventOf<typeof cancelTable>): boolean => {
    const next = nextState(cancelTable, state, event)
    if (next !== null) state = next
    return next !== null
  }
  /** Never rejects. */
  const contact = async (runId: string) => {
    known = runId
    if (advance('contact')) advance((await cancelRun(parts, owner(), runId)) ? 'confirmed' : 'unconfirmed')
  }
  return {
    contact,
    want() {
      if (advance('want') && known !== null) void contact(known)
    },
  }
}

/** Notifies the phone that the client of the run with this key has disconnected. The phone then cancels a foreground run. Never rejects. */
export async function leaveRun({ phoneRequests, clock }: ExecutionParts, owner: RunOwner, key: string): Promise<void> {
  const more = { callClass: 'run', method: 'DELETE', path: '/exec', isRepeatable: true } as const
  const request = { ...owner, ...more, headers: { 'idempotency-key': key } }
  for (let [tries, unknown] = [0, 0]; tries < LEAVE_TRIES && unknown < UNKNOWN_TRIES; tries++) {
    const status = await statusOf(phoneRequests, request)
    if (status === 404) unknown += 1
    else if (isFinal(status)) return
    await clock.pause(RETRY_MS)
  }
}

/** The status of the response; 0 if no response arrives. */
const statusOf = (phoneRequests: PhoneRequests, request: PhoneRequest): Promise<number> =>
  phoneRequests.fetch(request).then(
    ({ status }) => status,
    () => 0,
  )

/** Whether sending the request again would get the same status. */
const isFinal = (status: number) => status >= 200 && status < 500 && status !== 401 && status !== 429
