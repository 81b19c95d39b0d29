import type { WriteStream } from 'node:tty'
import { type ApprovalAnswer, type PendingApproval, visible } from '../../shared/schema/index.ts'
import { describeQuestion, secondsLeft } from './describe-question.ts'

/** What a person answered to one question. */
export interface TypedAnswer {
  id: string
  decision: 'approve' | 'deny'
  scope: 'once' | 'always'
}

/** Keys and words. */
const answers: Record<string, Omit<TypedAnswer, 'id'>> = {
  y: { decision: 'approve', scope: 'once' },
  n: { decision: 'deny', scope: 'once' },
  a: { decision: 'approve', scope: 'always' },
}
/** A key pressed so soon after a question came up was meant for the one before it. */
const REACTION_MS = 400
/** So many ids of decided questions are remembered, for a question that comes late. */
const MAX_DECIDED = 1000

/** The person's terminal, or what else takes the lines: text above, on a terminal the keys on the last line. */
function createScreen(output: WriteStream) {
  const clear = () => void (output.isTTY && output.write('\r\x1b[K'))
  return {
    clear,
    print(text: string): void {
      clear()
      output.write(`${text}\n`)
    },
    showKeys(keys: string): void {
      if (!output.isTTY) return
      clear()
      output.write(keys.slice(0, (output.columns ?? 80) - 1))
    },
  }
}

/** Questions that wait, the oldest first; those that were decided are remembered, for what comes late. */
function createQuestions() {
  const waiting = new Map<string, PendingApproval>()
  const decided = new Set<string>()
  return {
    waiting,
    add(question: PendingApproval): void {
      if (!decided.has(question.id)) waiting.set(question.id, question)
    },
    isKnown: (id: string) => waiting.has(id) || decided.has(id),
    leave(id: string): void {
      waiting.delete(id)
      decided.add(id)
      if (decided.size > MAX_DECIDED) decided.delete(decided.values().next().value!)
    },
  }
}

/** What the person sees: one question at a time, the oldest first; below it the keys, on a terminal with the seconds left. */
export function createView(output: WriteStream, send: (given: TypedAnswer) => void) {
  const { waiting, add, isKnown, leave } = createQuestions()
  const { clear, print, showKeys } = createScreen(output)
  let current: PendingApproval | null = null
  let currentSince = 0

  function prompt(): void {
    const always = current?.always ? '[a]lways  ' : ''
    const left = current && `1 of ${waiting.size}, ${secondsLeft(current, Date.now())} s left`
    showKeys(left ? `[y]es once  [n]o  ${always}[q]uit   ${left} ` : 'waiting for approval requests, [q]uit ')
  }
  /** Shows the oldest question, if it is not the one that is shown. */
  function show(): void {
    const [oldest = null] = waiting.values()
    if (oldest !== current) {
      current = oldest
      currentSince = Date.now()
      if (oldest) print(`${output.isTTY ? '\x07' : ''}\n${describeQuestion(oldest, output.columns ?? 80, Date.now())}`)
      if (oldest && !output.isTTY) print(oldest.always ? 'y (once), n, or a (always)?' : 'y (once) or n?')
    }
    prompt()
  }
  return {
    start: () => {
      if (!output.isTTY) print('waiting for approval requests')
      prompt()
    },
    requested(approval: PendingApproval): void {
      add(approval)
      show()
    },
    decided({ id, outcome, by, how }: ApprovalAnswer & { id: string }): void {
      if (isKnown(id)) print(`${id}: ${outcome}${by ? ` by ${visible(by)}, ${visible(how ?? '')}` : ''}`)
      leave(id)
      show()
    },
    trouble(message: string): void {
      print(visible(message))
      prompt()
    },
    /** `y`, `n` or `a` for the question that is shown, or with an id for that one. Never kept for a question to come. */
    answer(word: string): void {
      const [key = '', id = current?.id ?? ''] = word.split(/\s+/)
      const given = Object.hasOwn(answers, key.toLowerCase()) ? answers[key.toLowerCase()]! : undefined
      const isHasty = output.isTTY && Date.now() - currentSince < REACTION_MS
      if (!given || isHasty) return
      const question = waiting.get(id)
      if (!question) print('no approval is pending for this answer')
      else if (given.scope === 'always' && !question.always) print('always: not available while stdin stays open')
      else {
        leave(question.id)
        send({ id: question.id, ...given })
      }
      show()
    },
    tick: prompt,
    end: clear,
  }
}
