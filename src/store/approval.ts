import { createHash } from 'node:crypto'
import type { ApprovalAnswer, Answered, PendingApproval, Risk } from '../schema/index.ts'

/** What an approval is bound to: change one letter of it and it is another question. */
export interface Binding {
  /** the exact script */
  script: string
  /** resolved working directory */
  cwd: string
  /** environment additions of the request */
  env: Record<string, string>
  dialect: string
}

/** One digest (sha256, hex) of everything an approval is bound to. */
export const bindingDigest = ({ script, cwd, env, dialect }: Binding): string => {
  const names = Object.keys(env).sort()
  const bound = JSON.stringify([script, cwd, names.map((name) => [name, env[name]]), dialect])
  return createHash('sha256').update(bound).digest('hex')
}

/** A question for a person. */
export interface ApprovalQuestion extends Binding {
  runId: string
  /** the policy rule that asks, its reason, and how dangerous it finds the command */
  rule: string | null
  reason: string | null
  risk: Risk | null
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

export const iso = (ms: number): string => new Date(ms).toISOString()

/** How a question ends; `who` is empty where nobody spoke. */
export const toAnswer = (outcome: Answered, nowMs: number, who: Partial<ApprovalAnswer> = {}): ApprovalAnswer => ({
  approved: outcome === 'approved',
  outcome,
  by: null,
  how: null,
  at: iso(nowMs),
  scope: null,
  saved_rule: null,
  ...who,
})

/** The question in the wire's words. Milliseconds since 1970. */
export const toPending = (
  id: string,
  question: ApprovalQuestion,
  times: { nowMs: number; expiresMs: number; ruleExpiresMs: number },
): PendingApproval => ({
  id,
  run_id: question.runId,
  command: question.script,
  working_directory: question.cwd,
  env: question.env,
  dialect: question.dialect,
  rule: question.rule,
  reason: question.reason,
  risk: question.risk,
  requested_at: iso(times.nowMs),
  expires_at: iso(times.expiresMs),
  always: {
    covers: `exactly this command, in ${question.cwd}, with this environment, by ${question.dialect}`,
    expires_at: iso(times.ruleExpiresMs),
  },
})
