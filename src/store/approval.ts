import type { PendingApproval, Risk } from '../schema/index.ts'
import type { Binding } from './saved-rules.ts'

/** A question for a person. */
export interface ApprovalQuestion extends Binding {
  runId: string
  /** the policy rule that asks, its reason, and how dangerous it finds the command */
  rule: string | null
  reason: string | null
  risk: Risk | null
}

export type ApprovalOutcome =
  | 'approved'
  | 'denied'
  /** nobody answered in time */
  | 'timeout'
  /** the asking run was cancelled */
  | 'withdrawn'
  /** too many questions wait already */
  | 'full'
  /** the service stops */
  | 'closed'

/** How a question ended; goes into the record. `saved_rule`: the rule that answered, or that the answer made. */
export interface ApprovalAnswer {
  approved: boolean
  outcome: ApprovalOutcome
  /** who: null when nobody did */
  by: string | null
  /** http, websocket, cli, notification …; `rule` for a saved rule */
  how: string | null
  at: string
  scope: 'once' | 'always' | null
  saved_rule: string | null
}

export interface PersonsAnswer {
  decision: 'approve' | 'deny'
  scope: 'once' | 'always'
  by: string
  how: string
}

export type ApprovalEvent =
  | { type: 'approval_requested'; approval: PendingApproval }
  | ({ type: 'approval_decided'; id: string; run_id: string } & ApprovalAnswer)
