import { randomBytes } from 'node:crypto'
import {
  type ApprovalOutcome,
  type ApprovalAnswer,
  mayTake,
  type PendingApproval,
  sharerOf,
  ShellphoneError,
  toIso,
  invalid,
} from '../../shared/schema/index.ts'
import { type Clock, Deadline, elapsedClock } from '../../shared/async/index.ts'
import {
  type AnswerContext,
  type ApprovalEvent,
  type ApprovalQuestion,
  bindingDigest,
  isRepeatable,
  type HumanAnswer,
  stdinDigest,
  toAnswer,
  toApprovalRequest,
  toPending,
} from './approval-question.ts'
import { type RulesFile, SavedRules, type StoredRule } from './saved-rules.ts'
import type { Log } from './warnings.ts'

/** A saved rule shows at most this much of its command; its digest covers all of it. */
const MAX_SHOWN_CHARS = 4096
/** Number of decided requests to remember, to distinguish a late answer from one with a wrong id. */
const MAX_DECIDED = 256

export interface ApprovalsOptions {
  /** the file of saved rules; null: only in memory */
  file: RulesFile | null
  /** time after which a request without an answer is denied */
  ttlMs: number
  maxPending: number
  maxRules: number
  /** time after which a saved rule expires */
  ruleMaxAgeMs: number
  /** applied to the command of a saved rule before it is stored */
  redact(text: string): string
  log: Log
  now?(): number
  /** measures the deadline; default: a clock that also runs while the machine is suspended, as `expires_at` does */
  clock?: Clock
}

/** A pending request. `nonces`: two unguessable strings for its buttons. */
interface PendingEntry {
  approval: PendingApproval
  question: ApprovalQuestion
  digest: string
  nonces: { approve: string; deny: string }
  deadline: Deadline
  settle(answer: ApprovalAnswer): void
}

type Listener = (event: ApprovalEvent, context: AnswerContext) => void

const unguessable = (): string => randomBytes(32).toString('base64url')

/** Pending requests exist only in memory, so that a restart denies them. Rules from "always" answers are saved in a file. */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #now: () => number
  readonly #saved: SavedRules
  readonly #waiting = new Map<string, PendingEntry>()
  readonly #decided = new Set<string>()
  readonly #listeners = new Set<Listener>()
  #isClosed = false

  constructor(options: ApprovalsOptions) {
    const { file, maxRules, log, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#saved = new SavedRules({ file, maxRules, now, log })
  }

  /** Resolves with the answer; never rejects. Without an answer by the deadline, the request is denied. Calls `onPending` if no rule answers the request. */
  async request(
    question: ApprovalQuestion,
    signal?: AbortSignal,
    onPending = (_approval: PendingApproval): void => {},
  ): Promise<ApprovalAnswer> {
    const digest = bindingDigest(question)
    const rule = isRepeatable(question) ? this.#saved.find(digest) : null
    if (rule) return this.#byRule(rule)
    this.#expire()
    if (signal?.aborted) return toAnswer('withdrawn', this.#now())
    if (this.#isClosed) return toAnswer('closed', this.#now())
    if (!this.#hasCapacityFor(question.tokenId)) return toAnswer('full', this.#now())
    const approval = toPending(question, this.#now(), this.#options)
    const deadline = new Deadline(this.#options.ttlMs, this.#options.clock ?? elapsedClock)
    onPending(approval)
    const nonces = { approve: unguessable(), deny: unguessable() }
    return this.#wait({ approval, question, digest, nonces, deadline }, signal)
  }

  #hasCapacityFor(tokenId: string): boolean {
    const own = [...this.#waiting.values()].filter(({ question }) => question.tokenId === tokenId).length
    const usage = { own, taken: this.#waiting.size, most: this.#options.maxPending }
    return mayTake(sharerOf({ id: tokenId }), usage)
  }

  /** Waits for the answer. The outcome is `timeout` at the deadline, and `withdrawn` when `signal` aborts. */
  #wait(request: Omit<PendingEntry, 'settle'>, signal: AbortSignal | undefined): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const end = (outcome: ApprovalOutcome) => () => void this.#decide(entry, toAnswer(outcome, this.#now()))
      const withdraw = end('withdrawn')
      const timer = request.deadline.startTimer(end('timeout'))
      const settle = (answer: ApprovalAnswer): void => {
        timer.stop()
        signal?.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const entry = { ...request, settle }
      this.#waiting.set(request.approval.id, entry)
      signal?.addEventListener('abort', withdraw)
      const { approval } = request
      this.#emit({ type: 'approval_requested', approval }, { token: approval.token, from: null })
    })
  }

  #decide(entry: PendingEntry, answer: ApprovalAnswer, from: string | null = null): ApprovalAnswer {
    const { id, run_id, token } = entry.approval
    this.#waiting.delete(id)
    this.#decided.add(id)
    if (this.#decided.size > MAX_DECIDED) this.#decided.delete(this.#decided.values().next().value!)
    entry.settle(answer)
    this.#emit({ type: 'approval_decided', id, run_id, ...answer }, { token, from })
    return answer
  }

  /** A listener that throws does not affect the others. */
  #emit(event: ApprovalEvent, context: AnswerContext): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, context)
      } catch (error) {
        this.#options.log({ reason: String(error) }, 'an approval listener failed')
      }
    }
  }

  /** Ends overdue requests whose timer has not fired yet, because the machine was suspended or busy. */
  #expire(): void {
    for (const entry of this.#waiting.values()) {
      if (entry.deadline.leftMs() > 0) return // later requests have more time left
      this.#decide(entry, toAnswer('timeout', this.#now()))
    }
  }

  /** The pending requests, oldest first. */
  pending(): PendingApproval[] {
    this.#expire()
    return [...this.#waiting.values()].map(({ approval }) => approval)
  }

  /** Answers a request. Throws NOT_FOUND: no such request; CONFLICT: already decided; VALIDATION_ERROR: `always` with deny or with open stdin. */
  answer(id: string, { decision, scope, by, how, from }: HumanAnswer): ApprovalAnswer {
    const entry = this.#find(id)
    if (scope === 'always') checkAlways(decision, entry.question)
    const rule = scope === 'always' ? this.#save(entry, by, how) : null
    const outcome = decision === 'approve' ? 'approved' : 'denied'
    const answer = toAnswer(outcome, this.#now(), { by, how, scope, saved_rule: rule?.id ?? null })
    this.#decide(entry, answer, from)
    // the rule also answers identical requests that are pending
    const same = [...this.#waiting.values()].filter(({ digest }) => digest === rule?.digest)
    for (const other of same) this.#decide(other, this.#byRule(rule!))
    return answer
  }

  #find(id: string): PendingEntry {
    this.#expire()
    const entry = this.#waiting.get(id)
    if (entry) return entry
    if (this.#decided.has(id)) throw new ShellphoneError('CONFLICT', `Approval ${id} has already been decided`)
    throw new ShellphoneError('NOT_FOUND', `No approval has the id ${id}; list pending approvals to find its id`)
  }

  #byRule({ by, id }: StoredRule): ApprovalAnswer {
    return toAnswer('approved', this.#now(), { by, how: 'rule', scope: 'always', saved_rule: id })
  }

  /** Saves an "always" answer for exactly this request, until the time that was shown. */
  #save({ question, digest }: PendingEntry, by: string, how: string): StoredRule {
    const { redact, ruleMaxAgeMs } = this.#options
    return this.#saved.add({
      digest,
      ...toApprovalRequest(question),
      command: redact(question.script).slice(0, MAX_SHOWN_CHARS),
      env_names: Object.keys(question.env).sort(),
      stdin_sha256: stdinDigest(question),
      rule: question.rule,
      by,
      how,
      created_at: toIso(this.#now()),
      expires_at: toIso(this.#now() + ruleMaxAgeMs),
    })
  }

  /** Two unguessable strings for the buttons of one request; null if the request is no longer pending. */
  buttons(id: string): PendingEntry['nonces'] | null {
    this.#expire()
    return this.#waiting.get(id)?.nonces ?? null
  }

  /** Answers a request with a button's nonce, which works once. Throws NOT_FOUND for any other string. */
  press(nonce: string, by: string, how: string, from?: string): ApprovalAnswer {
    for (const { approval, nonces } of this.#waiting.values()) {
      const decision = nonce === nonces.approve ? 'approve' : nonce === nonces.deny ? 'deny' : null
      if (decision) return this.answer(approval.id, { decision, scope: 'once', by, how, ...(from && { from }) })
    }
    throw new ShellphoneError('NOT_FOUND', 'No pending approval matches this answer')
  }

  rules(): StoredRule[] {
    return this.#saved.list()
  }

  /** Revokes a rule. Throws NOT_FOUND: no such rule; EXECUTION_ERROR: the disk refused, so the rule is revoked only until a restart. */
  revoke(ruleId: string): void {
    this.#saved.revoke(ruleId)
  }

  /** Reports every request and decision until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Denies all pending requests. */
  close(): void {
    this.#isClosed = true
    for (const entry of this.#waiting.values()) this.#decide(entry, toAnswer('closed', this.#now()))
  }
}

function checkAlways(decision: HumanAnswer['decision'], question: ApprovalQuestion): void {
  const uncovered = question.stdin === 'open' ? 'open stdin' : 'a change of a file'
  const problem =
    decision === 'deny' ? 'is only valid with approve' : isRepeatable(question) ? null : `cannot cover ${uncovered}`
  if (problem) throw invalid(`scope: always ${problem}`, 'scope')
}
