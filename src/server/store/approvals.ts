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
  type ApprovalEvent,
  type ApprovalQuestion,
  bindingDigest,
  isRepeatable,
  type PersonsAnswer,
  stdinDigest,
  toAnswer,
  toApprovalRequest,
  toPending,
} from './approval-question.ts'
import { type StoredRules, SavedRules, type StoredRule } from './saved-rules.ts'
import type { Log } from './warnings.ts'

/** So much of a long command is told in a saved rule; its digest covers all of it. */
const MAX_SHOWN_CHARS = 4096
/** So many decided questions are remembered, to tell a late answer from a wrong one. */
const MAX_DECIDED = 256

export interface ApprovalsOptions {
  /** where rules are saved; null: in memory alone */
  file: StoredRules | null
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
  /** by which silence ends; default: one that goes on while the machine is suspended, as `expires_at` says */
  clock?: Clock
}

/** A question that waits. `nonces`: two unguessable words for its buttons. */
interface WaitingApproval {
  approval: PendingApproval
  question: ApprovalQuestion
  digest: string
  nonces: { approve: string; deny: string }
  deadline: Deadline
  settle(answer: ApprovalAnswer): void
}

type Listener = (event: ApprovalEvent) => void

const unguessable = (): string => randomBytes(32).toString('base64url')

/** What waits for a person lives in memory, so that a restart denies it; what was answered for always lives in a file. */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #now: () => number
  readonly #saved: SavedRules
  readonly #waiting = new Map<string, WaitingApproval>()
  readonly #decided = new Set<string>()
  readonly #listeners = new Set<Listener>()
  #isClosed = false

  constructor(options: ApprovalsOptions) {
    const { file, maxRules, log, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#saved = new SavedRules({ file, maxRules, now, log })
  }

  /** Resolves with the answer, once; never rejects. Silence until the deadline is no. `waits` hears of a question that no rule answers. */
  async request(
    question: ApprovalQuestion,
    signal?: AbortSignal,
    waits = (_asked: PendingApproval): void => {},
  ): Promise<ApprovalAnswer> {
    const digest = bindingDigest(question)
    const rule = isRepeatable(question) ? this.#saved.find(digest) : null
    if (rule) return this.#byRule(rule)
    this.#expire()
    if (signal?.aborted) return toAnswer('withdrawn', this.#now())
    if (this.#isClosed) return toAnswer('closed', this.#now())
    if (!this.#hasRoomFor(question.tokenId)) return toAnswer('full', this.#now())
    const approval = toPending(question, this.#now(), this.#options)
    const deadline = new Deadline(this.#options.ttlMs, this.#options.clock ?? elapsedClock)
    waits(approval)
    const nonces = { approve: unguessable(), deny: unguessable() }
    return this.#wait({ approval, question, digest, nonces, deadline }, signal)
  }

  #hasRoomFor(tokenId: string): boolean {
    const own = [...this.#waiting.values()].filter(({ question }) => question.tokenId === tokenId).length
    const places = { own, taken: this.#waiting.size, most: this.#options.maxPending }
    return mayTake(sharerOf({ id: tokenId }), places)
  }

  /** At the deadline, and when `signal` aborts, the answer is no. */
  #wait(asked: Omit<WaitingApproval, 'settle'>, signal: AbortSignal | undefined): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const end = (outcome: ApprovalOutcome) => () => void this.#decide(entry, toAnswer(outcome, this.#now()))
      const withdraw = end('withdrawn')
      const timer = asked.deadline.startTimer(end('timeout'))
      const settle = (answer: ApprovalAnswer): void => {
        timer.stop()
        signal?.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const entry = { ...asked, settle }
      this.#waiting.set(asked.approval.id, entry)
      signal?.addEventListener('abort', withdraw)
      this.#tell({ type: 'approval_requested', approval: asked.approval })
    })
  }

  #decide(entry: WaitingApproval, answer: ApprovalAnswer): ApprovalAnswer {
    const { id, run_id } = entry.approval
    this.#waiting.delete(id)
    this.#decided.add(id)
    if (this.#decided.size > MAX_DECIDED) this.#decided.delete(this.#decided.values().next().value!)
    entry.settle(answer)
    this.#tell({ type: 'approval_decided', id, run_id, ...answer })
    return answer
  }

  /** A listener that throws harms nobody. */
  #tell(event: ApprovalEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        this.#options.log({ reason: String(error) }, 'a listener failed')
      }
    }
  }

  /** Ends what is overdue though its timer could not yet say so: the machine was suspended, or had no time for it. */
  #expire(): void {
    for (const entry of this.#waiting.values()) {
      if (entry.deadline.leftMs() > 0) return // those that came later have more
      this.#decide(entry, toAnswer('timeout', this.#now()))
    }
  }

  /** oldest first */
  pending(): PendingApproval[] {
    this.#expire()
    return [...this.#waiting.values()].map(({ approval }) => approval)
  }

  /** NOT_FOUND: never asked; CONFLICT: decided already; VALIDATION_ERROR: `always` goes with approve alone, and not with open stdin. */
  answer(id: string, { decision, scope, by, how }: PersonsAnswer): ApprovalAnswer {
    const entry = this.#find(id)
    if (scope === 'always') checkAlways(decision, entry.question)
    const rule = scope === 'always' ? this.#save(entry, by, how) : null
    const outcome = decision === 'approve' ? 'approved' : 'denied'
    const answer = toAnswer(outcome, this.#now(), { by, how, scope, saved_rule: rule?.id ?? null })
    this.#decide(entry, answer)
    // the same question, asked again meanwhile, is answered by the rule
    const same = [...this.#waiting.values()].filter(({ digest }) => digest === rule?.digest)
    for (const other of same) this.#decide(other, this.#byRule(rule!))
    return answer
  }

  #find(id: string): WaitingApproval {
    this.#expire()
    const entry = this.#waiting.get(id)
    if (entry) return entry
    if (this.#decided.has(id)) throw new ShellphoneError('CONFLICT', `Approval ${id} has already been decided`)
    throw new ShellphoneError('NOT_FOUND', `No approval has the id ${id}`)
  }

  #byRule({ by, id }: StoredRule): ApprovalAnswer {
    return toAnswer('approved', this.#now(), { by, how: 'rule', scope: 'always', saved_rule: id })
  }

  /** "always": exactly what was asked, for as long as was shown. */
  #save({ question, digest }: WaitingApproval, by: string, how: string): StoredRule {
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

  /** Two unguessable words for the buttons of one question; null when it waits no longer. */
  buttons(id: string): WaitingApproval['nonces'] | null {
    this.#expire()
    return this.#waiting.get(id)?.nonces ?? null
  }

  /** Answers by a button, which works once. NOT_FOUND for every other word. */
  press(nonce: string, by: string, how: string): ApprovalAnswer {
    for (const { approval, nonces } of this.#waiting.values()) {
      const decision = nonce === nonces.approve ? 'approve' : nonce === nonces.deny ? 'deny' : null
      if (decision) return this.answer(approval.id, { decision, scope: 'once', by, how })
    }
    throw new ShellphoneError('NOT_FOUND', 'No pending approval matches this answer')
  }

  rules(): StoredRule[] {
    return this.#saved.list()
  }

  /** NOT_FOUND: there is no such rule; EXECUTION_ERROR: the disk refused, and it is revoked until a restart only. */
  revoke(ruleId: string): void {
    this.#saved.revoke(ruleId)
  }

  /** Tells every question and answer until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Denies what waits. */
  close(): void {
    this.#isClosed = true
    for (const entry of this.#waiting.values()) this.#decide(entry, toAnswer('closed', this.#now()))
  }
}

function checkAlways(decision: PersonsAnswer['decision'], question: ApprovalQuestion): void {
  const wrong =
    decision === 'deny' ? 'goes with approve' : isRepeatable(question) ? null : 'covers no stdin that is open'
  if (wrong) throw invalid(`scope: always ${wrong}`, 'scope')
}
