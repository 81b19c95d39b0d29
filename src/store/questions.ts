import { randomBytes } from 'node:crypto'
import {
  type Answered,
  type ApprovalAnswer,
  type CancelSignal,
  type PendingApproval,
  ShellphoneError,
} from '../schema/index.ts'
import { type ApprovalEvent, type ApprovalQuestion, toAnswer } from './approval.ts'

/** So many decided questions are remembered, to tell a late answer from a wrong one. */
const MAX_DECIDED = 256

/** A question that waits. `nonces`: two unguessable words for its buttons. */
export interface Waiting {
  approval: PendingApproval
  question: ApprovalQuestion
  digest: string
  nonces: { approve: string; deny: string }
  settle(answer: ApprovalAnswer): void
}

/** The questions that wait for a person, each with its deadline. */
export interface Questions {
  /** Resolves with the answer; at the deadline, and when `signal` aborts, it is no. */
  wait(entry: Omit<Waiting, 'nonces' | 'settle'>, ttlMs: number, signal?: CancelSignal): Promise<ApprovalAnswer>
  all(): Waiting[]
  /** NOT_FOUND: never asked; CONFLICT: decided already. */
  find(id: string): Waiting
  decide(entry: Waiting, answer: ApprovalAnswer): ApprovalAnswer
}

const unguessable = (): string => randomBytes(32).toString('base64url')

export const createQuestions = (now: () => number, tell: (event: ApprovalEvent) => void): Questions => {
  const waiting = new Map<string, Waiting>()
  const decided = new Set<string>()

  const decide = (entry: Waiting, answer: ApprovalAnswer): ApprovalAnswer => {
    const { id, run_id } = entry.approval
    waiting.delete(id)
    decided.add(id)
    if (decided.size > MAX_DECIDED) decided.delete(decided.values().next().value!)
    entry.settle(answer)
    tell({ type: 'approval_decided', id, run_id, ...answer })
    return answer
  }

  const wait: Questions['wait'] = (asked, ttlMs, signal) =>
    new Promise((resolve) => {
      const end = (outcome: Answered) => () => decide(entry, toAnswer(outcome, now()))
      const timer = setTimeout(end('timeout'), ttlMs)
      const withdraw = end('withdrawn')
      const settle = (answer: ApprovalAnswer): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const entry = { ...asked, settle, nonces: { approve: unguessable(), deny: unguessable() } }
      waiting.set(asked.approval.id, entry)
      signal?.addEventListener('abort', withdraw)
      tell({ type: 'approval_requested', approval: asked.approval })
    })

  return {
    wait,
    decide,
    all: () => [...waiting.values()],
    find: (id) => {
      const entry = waiting.get(id)
      if (entry) return entry
      if (decided.has(id)) throw new ShellphoneError('CONFLICT', `Approval ${id} was decided already`)
      throw new ShellphoneError('NOT_FOUND', `No approval has the id ${id}`)
    },
  }
}
