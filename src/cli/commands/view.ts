import type { WriteStream } from 'node:tty'
import { type ApprovalAnswer, type PendingApproval, visible } from '../../shared/schema/index.ts'
import { commandCell, cut, styleOf } from '../print/index.ts'
import { describeApproval, noRule, secondsLeft } from './describe-approval.ts'

/** A person's answer to one approval request. */
export interface TypedAnswer {
  id: string
  decision: 'approve' | 'deny'
  scope: 'once' | 'always'
}

/** The answer for each key. */
const answers: Record<string, Omit<TypedAnswer, 'id'>> = {
  y: { decision: 'approve', scope: 'once' },
  n: { decision: 'deny', scope: 'once' },
  a: { decision: 'approve', scope: 'always' },
}
/** A key pressed this soon after a request appears was meant for the previous request. */
const REACTION_MS = 400
/** The number of decided requests to remember, so that late events about them are ignored. */
const MAX_DECIDED = 1000

const IDLE = 'waiting for approval requests, [q]uit '
const RECONNECTING = 'reconnecting to the service, [q]uit '
const LOST = 'the connection to the service is lost; this view waits until it is back'

/** Prints text. On a terminal, shows the keys on the last line. */
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

/** Stores pending requests, oldest first, and the ids of decided ones. */
function createQuestions() {
  const waiting = new Map<string, PendingApproval>()
  /** the command of each that was answered here, until the service reports the answer */
  const decided = new Map<string, string>()
  return {
    waiting,
    commandOf: (id: string) => waiting.get(id)?.command ?? decided.get(id) ?? '',
    add(question: PendingApproval): void {
      if (!decided.has(question.id)) waiting.set(question.id, question)
    },
    isKnown: (id: string) => waiting.has(id) || decided.has(id),
    clear(): void {
      waiting.clear()
      decided.clear()
    },
    leave(id: string, command = ''): void {
      decided.set(id, command)
      waiting.delete(id)
      if (decided.size > MAX_DECIDED) decided.delete(decided.keys().next().value!)
    },
  }
}

/** A new request: with a bell on a terminal, elsewhere with the words that answer it. */
function announcement(request: PendingApproval, output: WriteStream): string {
  const text = describeApproval(request, styleOf(output), Date.now())
  if (output.isTTY) return `\x07\n${text}`
  return `\n${text}\n${request.always ? 'y (once), n, or a (always)?' : 'y (once) or n?'}`
}

/** The answer that a word gives to a request, or a message that says why it gives none. */
function answerOf(word: string, request: PendingApproval | undefined): Omit<TypedAnswer, 'id'> | string {
  const key = word.toLowerCase()
  const given = Object.hasOwn(answers, key) ? answers[key] : undefined
  if (!given) return `${visible(word)}: not an answer; type y, n, a or q`
  if (!request) return 'no approval request is pending for this answer'
  return given.scope === 'always' && !request.always ? `always: not available ${noRule(request)}` : given
}

/** Who decided which request: the next one may already be shown. */
function decidedText(
  { id, outcome, by, how, saved_rule }: ApprovalAnswer & { id: string },
  command: string,
  output: WriteStream,
): string {
  const who = by ? ` by ${visible(by)}, ${visible(how ?? '')}` : ''
  const saved = saved_rule ? `, saved as rule ${visible(saved_rule)}` : ''
  const line = `${id}: ${outcome}${who}${saved}: ${commandCell(command)}`
  return output.isTTY ? cut(line, output.columns ?? 80) : line
}

/** The keys that answer a request, and how long it waits. */
function keysFor(request: PendingApproval, count: number): string {
  const always = request.always ? '[a]lways  ' : ''
  return `[y]es once  [n]o  ${always}[q]uit   1 of ${count}, ${secondsLeft(request, Date.now())} s left `
}

/** Shows one request at a time, oldest first. On a terminal, the keys and the seconds left follow below it. */
export function createView(output: WriteStream, send: (given: TypedAnswer) => void) {
  const { waiting, add, isKnown, commandOf, clear: forget, leave } = createQuestions()
  const { clear, print, showKeys } = createScreen(output)
  let current: PendingApproval | null = null
  let currentSince = 0
  let isConnected = true

  const prompt = () => showKeys(current ? keysFor(current, waiting.size) : isConnected ? IDLE : RECONNECTING)
  function show(): void {
    const [oldest = null] = waiting.values()
    if (oldest !== current) {
      current = oldest
      currentSince = Date.now()
      if (oldest) print(announcement(oldest, output))
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
    decided(answer: ApprovalAnswer & { id: string }): void {
      const { id } = answer
      if (isKnown(id)) print(decidedText(answer, commandOf(id), output))
      leave(id)
      show()
    },
    /** After a lost connection, no request is pending until the service sends all pending requests again. */
    connection(isUp: boolean): void {
      if (isUp !== isConnected) print(isUp ? 'connected again' : LOST)
      if (!isUp) forget()
      isConnected = isUp
      show()
    },
    showError(message: string): void {
      print(visible(message))
      prompt()
    },
    /** Answers the displayed request with `y`, `n` or `a`, or the request whose id follows. An answer never applies to a later request. */
    answer(word: string): void {
      const [key = '', id = current?.id ?? ''] = word.split(/\s+/)
      const isHasty = output.isTTY && Date.now() - currentSince < REACTION_MS
      if (isHasty || key === '') return
      const given = answerOf(key, waiting.get(id))
      if (typeof given === 'string') print(given)
      else {
        leave(id, commandOf(id))
        send({ id, ...given })
      }
      show()
    },
    tick: prompt,
    end: clear,
  }
}
