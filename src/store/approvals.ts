import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type CancelSignal, type PendingApproval, ShellphoneError } from '../schema/index.ts'
import type { ApprovalAnswer, ApprovalEvent, ApprovalOutcome, ApprovalQuestion, PersonsAnswer } from './approval.ts'
import type { Log } from './log.ts'
import { bindingDigest, createSavedRules, type SavedRule } from './saved-rules.ts'

/** So many decided questions are remembered, to tell a late answer from a wrong one. */
const MAX_DECIDED = 256
/** So much of a long command is told in a saved rule; its digest covers all of it. */
const MAX_SHOWN_CHARS = 4096

export interface Approvals {
  /** Resolves with the answer, once; never rejects. Silence until the deadline is no. */
  request(question: ApprovalQuestion, signal?: CancelSignal): Promise<ApprovalAnswer>
  /** oldest first */
  pending(): PendingApproval[]
  /** NOT_FOUND: never asked; CONFLICT: decided already; VALIDATION_ERROR: `always` goes with approve alone. */
  answer(id: string, answer: PersonsAnswer): ApprovalAnswer
  /** Two unguessable words for the buttons of one question; null when it waits no longer. */
  buttons(id: string): { approve: string; deny: string } | null
  /** Answers by a button, which works once. NOT_FOUND for every other word. */
  press(nonce: string, by: string, how: string): ApprovalAnswer
  rules(): SavedRule[]
  /** NOT_FOUND: there is no such rule; EXECUTION_ERROR: the disk refused, and it is revoked until a restart only. */
  revoke(ruleId: string): void
  /** Tells every question and answer until the returned function is called. */
  subscribe(listener: (event: ApprovalEvent) => void): () => void
  /** how many listen */
  listeners(): number
  /** Denies what waits. */
  close(): void
}

export interface ApprovalsOptions {
  /** $SHELLPHONE_HOME; null: saved rules live in memory alone */
  directory: string | null
  /** silence for so long is no */
  ttlMs: number
  maxPending: number
  maxRules: number
  /** a saved rule expires after so long */
  ruleMaxAgeMs: number
  /** applied to the command of a saved rule as it is stored */
  redact(text: string): string
  log: Log
  now?(): number
}

interface Waiting {
  approval: PendingApproval
  question: ApprovalQuestion
  digest: string
  nonces: { approve: string; deny: string }
  settle(answer: ApprovalAnswer): void
}

const unguessable = (): string => randomBytes(32).toString('base64url')

/** Questions live in memory, so that a restart denies them; saved rules live in approvals.json. */
export const createApprovals = (options: ApprovalsOptions): Approvals => {
  const { directory, ttlMs, maxPending, ruleMaxAgeMs, redact, log, now = Date.now } = options
  const file = directory === null ? null : path.join(directory, 'approvals.json')
  const saved = createSavedRules({ file, maxRules: options.maxRules, now, log })
  const waiting = new Map<string, Waiting>()
  let closed = false
  const decided = new Set<string>()
  const listeners = new Set<(event: ApprovalEvent) => void>()

  const iso = (ms: number): string => new Date(ms).toISOString()

  const tell = (event: ApprovalEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        log({ reason: String(error) }, 'a listener to approvals failed')
      }
    }
  }

  const outcome = (
    outcome: ApprovalOutcome,
    { by = null, how = null, scope = null, saved_rule = null }: Partial<ApprovalAnswer> = {},
  ): ApprovalAnswer => ({ approved: outcome === 'approved', outcome, by, how, at: iso(now()), scope, saved_rule })

  const byRule = (rule: SavedRule): ApprovalAnswer =>
    outcome('approved', { by: rule.by, how: 'rule', scope: 'always', saved_rule: rule.id })

  const decide = ({ approval, settle }: Waiting, answer: ApprovalAnswer): ApprovalAnswer => {
    waiting.delete(approval.id)
    decided.add(approval.id)
    if (decided.size > MAX_DECIDED) decided.delete(decided.values().next().value!)
    settle(answer)
    tell({ type: 'approval_decided', id: approval.id, run_id: approval.run_id, ...answer })
    return answer
  }

  const toApproval = (question: ApprovalQuestion): PendingApproval => ({
    id: randomBytes(12).toString('base64url'),
    run_id: question.runId,
    command: question.script,
    working_directory: question.cwd,
    env: question.env,
    dialect: question.dialect,
    rule: question.rule,
    reason: question.reason,
    risk: question.risk,
    requested_at: iso(now()),
    expires_at: iso(now() + ttlMs),
    always: {
      covers: `exactly this command, in ${question.cwd}, with this environment, by ${question.dialect}`,
      expires_at: iso(now() + ruleMaxAgeMs),
    },
  })

  const wait = (question: ApprovalQuestion, digest: string, signal?: CancelSignal): Promise<ApprovalAnswer> =>
    new Promise((resolve) => {
      const approval = toApproval(question)
      const end = (how: ApprovalOutcome) => () => decide(entry, outcome(how))
      const timer = setTimeout(end('timeout'), ttlMs)
      const withdraw = end('withdrawn')
      const settle = (answer: ApprovalAnswer): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const entry: Waiting = {
        approval,
        question,
        digest,
        settle,
        nonces: { approve: unguessable(), deny: unguessable() },
      }
      waiting.set(approval.id, entry)
      signal?.addEventListener('abort', withdraw)
      tell({ type: 'approval_requested', approval })
    })

  const saveRule = ({ question, digest }: Waiting, { by, how }: PersonsAnswer): SavedRule => {
    const { rule, durable } = saved.add({
      digest,
      command: redact(question.script).slice(0, MAX_SHOWN_CHARS),
      working_directory: question.cwd,
      env_names: Object.keys(question.env).sort(),
      dialect: question.dialect,
      rule: question.rule,
      by,
      how,
      created_at: iso(now()),
      expires_at: iso(now() + ruleMaxAgeMs),
    })
    if (!durable) log({ id: rule.id }, 'a saved approval holds until the service stops')
    return rule
  }

  const find = (id: string): Waiting => {
    const entry = waiting.get(id)
    if (entry) return entry
    if (decided.has(id)) throw new ShellphoneError('CONFLICT', `Approval ${id} was decided already`)
    throw new ShellphoneError('NOT_FOUND', `No approval has the id ${id}`)
  }

  const answer = (id: string, given: PersonsAnswer): ApprovalAnswer => {
    const { decision, scope, by, how } = given
    const entry = find(id)
    if (decision === 'deny') {
      if (scope === 'always') {
        throw new ShellphoneError('VALIDATION_ERROR', 'scope: always goes with approve', { field: 'scope' })
      }
      return decide(entry, outcome('denied', { by, how, scope }))
    }
    const rule = scope === 'always' ? saveRule(entry, given) : null
    const result = decide(entry, outcome('approved', { by, how, scope, saved_rule: rule?.id ?? null }))
    for (const other of rule ? [...waiting.values()] : []) {
      if (other.digest === entry.digest) decide(other, byRule(rule!))
    }
    return result
  }

  return {
    request: async (question, signal) => {
      const digest = bindingDigest(question)
      const rule = saved.find(digest)
      if (rule) return byRule(rule)
      if (signal?.aborted) return outcome('withdrawn')
      if (closed) return outcome('closed')
      return waiting.size >= maxPending ? outcome('full') : wait(question, digest, signal)
    },
    pending: () => [...waiting.values()].map(({ approval }) => approval),
    answer,
    buttons: (id) => waiting.get(id)?.nonces ?? null,
    press: (nonce, by, how) => {
      for (const [id, { nonces }] of waiting) {
        if (nonce === nonces.approve) return answer(id, { decision: 'approve', scope: 'once', by, how })
        if (nonce === nonces.deny) return answer(id, { decision: 'deny', scope: 'once', by, how })
      }
      throw new ShellphoneError('NOT_FOUND', 'No approval waits for this answer')
    },
    rules: saved.list,
    revoke: (ruleId) => {
      const revoked = saved.revoke(ruleId)
      if (revoked === null) throw new ShellphoneError('NOT_FOUND', `No saved approval has the id ${ruleId}`)
      if (!revoked.durable) {
        throw new ShellphoneError(
          'EXECUTION_ERROR',
          'The disk refused: the rule is revoked, but a restart brings it back',
        )
      }
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    listeners: () => listeners.size,
    close: () => {
      closed = true
      for (const entry of [...waiting.values()]) decide(entry, outcome('closed'))
    },
  }
}
