import path from 'node:path'
import { type ApprovalAnswer, type CancelSignal, type PendingApproval, ShellphoneError } from '../schema/index.ts'
import {
  type ApprovalEvent,
  type ApprovalQuestion,
  bindingDigest,
  isRepeatable,
  iso,
  type PersonsAnswer,
  stdinDigest,
  toAnswer,
  toAsked,
  toPending,
} from './approval.ts'
import { newName } from './ids.ts'
import { createListeners } from './listeners.ts'
import type { Log } from './log.ts'
import { createQuestions, type Waiting } from './questions.ts'
import { createSavedRules, type SavedRules, type StoredRule } from './saved-rules.ts'

/** So much of a long command is told in a saved rule; its digest covers all of it. */
const MAX_SHOWN_CHARS = 4096

export interface Approvals {
  /** Resolves with the answer, once; never rejects. Silence until the deadline is no. `waits` hears of a question that no rule answers. */
  request(
    question: ApprovalQuestion,
    signal?: CancelSignal,
    waits?: (asked: PendingApproval) => void,
  ): Promise<ApprovalAnswer>
  /** oldest first */
  pending(): PendingApproval[]
  /** NOT_FOUND: never asked; CONFLICT: decided already; VALIDATION_ERROR: `always` goes with approve alone, and not with open stdin. */
  answer(id: string, answer: PersonsAnswer): ApprovalAnswer
  /** Two unguessable words for the buttons of one question; null when it waits no longer. */
  buttons(id: string): { approve: string; deny: string } | null
  /** Answers by a button, which works once. NOT_FOUND for every other word. */
  press(nonce: string, by: string, how: string): ApprovalAnswer
  rules(): StoredRule[]
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

/** "always": exactly what was asked, for as long as was shown. */
const saveRule = (
  saved: SavedRules,
  { question, digest }: Waiting,
  { by, how }: PersonsAnswer,
  { redact, log, ruleMaxAgeMs, now = Date.now }: ApprovalsOptions,
): StoredRule => {
  const { rule, durable } = saved.add({
    digest,
    ...toAsked(question),
    command: redact(question.script).slice(0, MAX_SHOWN_CHARS),
    env_names: Object.keys(question.env).sort(),
    stdin_sha256: stdinDigest(question),
    rule: question.rule,
    by,
    how,
    created_at: iso(now()),
    expires_at: iso(now() + ruleMaxAgeMs),
  })
  if (!durable) log({ id: rule.id }, 'a saved approval holds until the service stops')
  return rule
}

const checkAlways = (decision: PersonsAnswer['decision'], question: ApprovalQuestion): void => {
  const wrong =
    decision === 'deny' ? 'goes with approve' : isRepeatable(question) ? null : 'covers no stdin that is open'
  if (wrong) throw new ShellphoneError('VALIDATION_ERROR', `scope: always ${wrong}`, { field: 'scope' })
}

const revokeRule = (saved: SavedRules, ruleId: string): void => {
  const revoked = saved.revoke(ruleId)
  if (revoked === null) throw new ShellphoneError('NOT_FOUND', `No saved approval has the id ${ruleId}`)
  if (revoked.durable) return
  throw new ShellphoneError('EXECUTION_ERROR', 'The disk refused: the rule is revoked, but a restart brings it back')
}

/** Questions live in memory, so that a restart denies them; saved rules live in approvals.json. */
export const createApprovals = (options: ApprovalsOptions): Approvals => {
  const { directory, ttlMs, maxPending, ruleMaxAgeMs, log, now = Date.now } = options
  const file = directory === null ? null : path.join(directory, 'approvals.json')
  const saved = createSavedRules({ file, maxRules: options.maxRules, now, log })
  const listeners = createListeners<ApprovalEvent>(log)
  const questions = createQuestions(now, listeners.tell)
  let closed = false

  const byRule = ({ by, id }: StoredRule): ApprovalAnswer =>
    toAnswer('approved', now(), { by, how: 'rule', scope: 'always', saved_rule: id })

  const toEntry = (question: ApprovalQuestion, digest: string) => {
    const nowMs = now()
    const times = { nowMs, expiresMs: nowMs + ttlMs, ruleExpiresMs: nowMs + ruleMaxAgeMs }
    return { approval: toPending(newName(), question, times), question, digest }
  }

  const answer = (id: string, given: PersonsAnswer): ApprovalAnswer => {
    const { decision, scope, by, how } = given
    const entry = questions.find(id)
    if (scope === 'always') checkAlways(decision, entry.question)
    if (decision === 'deny') return questions.decide(entry, toAnswer('denied', now(), { by, how, scope }))
    const rule = scope === 'always' ? saveRule(saved, entry, given, options) : null
    const saved_rule = rule?.id ?? null
    const result = questions.decide(entry, toAnswer('approved', now(), { by, how, scope, saved_rule }))
    // the same question, asked again meanwhile, is answered by the rule
    const same = rule ? questions.all().filter(({ digest }) => digest === entry.digest) : []
    for (const other of same) questions.decide(other, byRule(rule!))
    return result
  }

  return {
    request: async (question, signal, waits = () => {}) => {
      const digest = bindingDigest(question)
      const rule = isRepeatable(question) ? saved.find(digest) : null
      if (rule) return byRule(rule)
      if (signal?.aborted) return toAnswer('withdrawn', now())
      if (closed) return toAnswer('closed', now())
      if (questions.all().length >= maxPending) return toAnswer('full', now())
      const entry = toEntry(question, digest)
      waits(entry.approval)
      return questions.wait(entry, ttlMs, signal)
    },
    pending: () => questions.all().map(({ approval }) => approval),
    answer,
    buttons: (id) => questions.all().find(({ approval }) => approval.id === id)?.nonces ?? null,
    press: (nonce, by, how) => {
      for (const { approval, nonces } of questions.all()) {
        if (nonce === nonces.approve) return answer(approval.id, { decision: 'approve', scope: 'once', by, how })
        if (nonce === nonces.deny) return answer(approval.id, { decision: 'deny', scope: 'once', by, how })
      }
      throw new ShellphoneError('NOT_FOUND', 'No approval waits for this answer')
    },
    rules: saved.list,
    revoke: (ruleId) => revokeRule(saved, ruleId),
    subscribe: listeners.subscribe,
    listeners: listeners.count,
    close: () => {
      closed = true
      for (const entry of questions.all()) questions.decide(entry, toAnswer('closed', now()))
    },
  }
}
