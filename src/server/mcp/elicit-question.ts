import { inputRequired, inputResponse, type InputRequiredResult } from '@modelcontextprotocol/server'
import { approvalText, isComplete } from '../notify/index.ts'
import { answererName, type PendingApproval, ShellphoneError } from '../../shared/schema/index.ts'
import type { McpToolCall, SealedQuestion } from './mcp-parts.ts'

/** A person takes at least this long to answer; unattended clients are faster (codex exec declines within 150 ms). */
const FASTEST_PERSON_MS = 1000
/** A longer message does not fit into a form, so only the terminal and the page show it. */
const MAX_MESSAGE_CHARACTERS = 4000
/** Maximum number of approval requests that are remembered as shown. */
const MAX_ELICITED = 256

/** Returns whether the client may show this approval request to its user. As with notifications, high risk needs a terminal. */
export function isForClient(approval: PendingApproval | null, call: McpToolCall): approval is PendingApproval {
  const { caller, state, who } = call
  if (approval === null || !caller.canElicit || state.elicited.has(approval.id)) return false
  if (who.approves !== 'all' && !(who.approves === 'own' && approval.token_id === who.id)) return false
  const isHarmless = approval.risk === 'low' || approval.risk === 'medium'
  return isHarmless && isComplete(approval) && messageOf(approval).length <= MAX_MESSAGE_CHARACTERS
}

/** Converts an approval request to an MCP elicitation. The client repeats the call with the answer and the sealed state. */
export async function toElicitation(approval: PendingApproval, call: McpToolCall): Promise<InputRequiredResult> {
  const { elicited } = call.state
  elicited.add(approval.id)
  if (elicited.size > MAX_ELICITED) elicited.delete(elicited.values().next().value!)
  const { id, run_id } = approval
  const description = 'once: approve this request only; deny: do not run it'
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
  `Shellphone asks (risk: ${approval.risk}): ${approval.reason ?? 'may this run?'}\n${approvalText(approval)}`

/**
 * Records the person's answer under the token's name, because the client's own name proves nothing. Without a valid answer the request
 * stays pending on the phone, the page and the terminal.
 */
export function takeAnswer({ state, caller, answered, who }: McpToolCall): void {
  const answer = answered && toDecision(answered.responses, answered.question, who)
  if (!answer) return
  try {
    const by = answererName(who.name, caller.name)
    state.executor.approvals.answer(answered.question.approval, { decision: answer, scope: 'once', by, how: 'mcp' })
  } catch (error) {
    if (!(error instanceof ShellphoneError)) throw error // the request was decided elsewhere in the meantime
  }
}

function toDecision(responses: Record<string, unknown> | undefined, { at }: SealedQuestion, who: McpToolCall['who']) {
  const response = inputResponse(responses, 'approve')
  const isHasty = Date.now() - at < FASTEST_PERSON_MS && !who.instant_answers
  if (response.kind !== 'elicit' || isHasty) return null
  if (response.action === 'decline') return 'deny'
  return response.action === 'accept' ? (decisions[String(response.content?.answer)] ?? null) : null
}

/** Excludes "always", because a client that answers in its user's place would approve all its later commands. */
const decisions: Record<string, 'approve' | 'deny'> = { once: 'approve', deny: 'deny' }
