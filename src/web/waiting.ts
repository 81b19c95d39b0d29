import type { RunStatus, RunSummary } from '../sdk/index.ts'
import type { CardState } from './approval-cards.ts'
import { approvals, mayAnswer } from './wire.ts'

/** A status as the page shows it: a run that waits for approval has a status of its own. */
export type ShownStatus = RunStatus | 'waiting'

/** The pending approval of a run, if this browser can see it. */
export const pendingOf = (runId: string): CardState | undefined =>
  approvals.pending.value.find(({ approval }) => approval.run_id === runId)

/** Whether a run waits for approval. A browser that sees no approvals goes by the decision, which stays the same until the run starts. */
export const isWaiting = ({ id, status, decision }: Pick<RunSummary, 'id' | 'status' | 'decision'>): boolean =>
  status === 'queued' && (mayAnswer.value ? pendingOf(id) !== undefined : decision.verdict === 'ask')

export const shownStatus = (run: Pick<RunSummary, 'id' | 'status' | 'decision'>): ShownStatus =>
  isWaiting(run) ? 'waiting' : run.status
