import type { Risk } from './decision.ts'

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
