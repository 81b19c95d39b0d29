import type { RunStatus, RunSummary } from '../sdk/index.ts'
import { mayAnswer, pendingOf } from './wire.ts'

/** A status as the page shows it: a run that waits for approval has a status of its own. */
export type ShownStatus = RunStatus | 'waiting'

type WaitingFields = Pick<RunSummary, 'id' | 'status' | 'pending_approval'>

/** Whether a run waits for approval. A browser that cannot answer may see no approval of a run, so it goes by the run. */
export const isWaiting = ({ id, status, pending_approval }: WaitingFields): boolean =>
  status === 'queued' && (mayAnswer.value ? pendingOf(id) : pending_approval) !== undefined

export const shownStatus = (run: WaitingFields): ShownStatus => (isWaiting(run) ? 'waiting' : run.status)
