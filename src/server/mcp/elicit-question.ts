import { inputRequired, inputResponse, type InputRequiredResult } from '@modelcontextprotocol/server'
import { questionText, showsStdin } from '../notify/index.ts'
import { answererName, type PendingApproval, ShellphoneError } from '../../shared/schema/index.ts'
import type { McpToolCall, SealedQuestion } from './mcp-parts.ts'

/** No person answers faster; clients with nobody behind them do (codex exec declines within 150 ms). */
const FASTEST_PERSON_MS = 1000
/** A longer question does not fit into a form: it is left to the terminal and the page. */
const MAX_MESSAGE_CHARACTERS = 4000
/** So many questions are remembered as asked. */
const MAX_ASKED = 256

/** May this client put the question to its person? High risk is for a terminal, as with the notification's buttons. */
export function isForClient(approval: PendingApproval | null, call: McpToolCall): approval is PendingApproval {
  const { caller, desk, who } = call
  if (approval === null || !caller.canElicit || desk.asked.has(approval.id)) return false
  if (who.approves !== 'all' && !(who.approves === 'own' && approval.token_id === who.id)) return false
  const isHarmless = approval.risk === 'low' || approval.risk === 'medium'
  return isHarmless && showsStdin(approval) && messageOf(approval).length <= MAX_MESSAGE_CHARACTERS
}

/** The question as MCP puts it: the client comes back with the answer and the sealed state. */
export async function toElicitation(approval: PendingApproval, call: McpToolCall): Promise<InputRequiredResult> {
  const { asked } = call.desk
  asked.add(approval.id)
  if (asked.size > MAX_ASKED) asked.delete(asked.values().next().value!)
  const { id, run_id } = approval
  const description = 'once: this time; deny: no'
  const requestedSchema = {
    type: 'object' as const,
    properties: {
      answer: { type: 'string' as const, title: 'May it run?', description, enum: Object.keys(decisions) },
    },
    required: ['answer'],
  }
  return inputRequired({
    requestState: await call.seal({ run: run_id, approval: id, call: call.digest(), at: Date.now() }),
    inputRequests: { approve: inputRequired.elicit({ message: messageOf(approval), requestedSchema }) },
  })
}

const messageOf = (approval: PendingApproval) =>
  `Shellphone asks (risk: ${approval.risk}): ${approval.reason ?? 'may this run?'}\n${questionText(approval)}`

/** Hands a person's answer on, in the name of the token: what the client calls itself proves nothing. What is none leaves the question to the phone, the page and the terminal. */
export function takeAnswer({ desk, caller, answered, who }: McpToolCall): void {
  const answer = answered && toDecision(answered.responses, answered.question, who)
  if (!answer) return
  try {
    const by = answererName(who.name, caller.name)
    desk.executor.approvals.answer(answered.question.approval, { decision: answer, scope: 'once', by, how: 'mcp' })
  } catch (error) {
    if (!(error instanceof ShellphoneError)) throw error // it was decided meanwhile, elsewhere
  }
}

function toDecision(responses: Record<string, unknown> | undefined, { at }: SealedQuestion, who: McpToolCall['who']) {
  const response = inputResponse(responses, 'approve')
  const isHasty = Date.now() - at < FASTEST_PERSON_MS && !who.instant_answers
  if (response.kind !== 'elicit' || isHasty) return null
  if (response.action === 'decline') return 'deny'
  return response.action === 'accept' ? (decisions[String(response.content?.answer)] ?? null) : null
}

/** Never for always: a client that answers for itself would approve all that it asks from then on. */
const decisions: Record<string, 'approve' | 'deny'> = { once: 'approve', deny: 'deny' }
