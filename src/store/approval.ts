import type { Risk } from '../schema/index.ts'
import type { Binding } from './saved-rules.ts'

/** A question for a person. */
export interface ApprovalQuestion extends Binding {
  runId: string
  /** the policy rule that asks, its reason, and how dangerous it finds the command */
  rule: string | null
  reason: string | null
  risk: Risk | null
}

/** A question that waits, in the wire's words. `command` is whole and unredacted: a person must see what is asked. */
export interface PendingApproval {
  id: string
  run_id: string
  command: string
  working_directory: string
  /** environment additions as they are: they are part of what is approved */
  env: Record<string, string>
  dialect: string
  rule: string | null
  reason: string | null
  risk: Risk | null
  requested_at: string
  expires_at: string
  /** the rule that `always` would save, before it is saved */
  always: { covers: string; expires_at: string }
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
