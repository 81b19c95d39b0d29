import {
  type ApprovalAnswer,
  type PendingApproval,
  type SavedRule,
  UsageError,
  visible,
} from '../../shared/schema/index.ts'
import { type Column, commandCell, type Style, styleOf, textTable } from '../print/index.ts'
import { type Client, connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'
import { describeApproval, describeRule, riskPainter, secondsLeft } from './describe-approval.ts'
import { NOT_DONE } from './exit-code.ts'
import { hasStdin } from './own-streams.ts'
import { approvalsFor, ruleIdFor } from './short-ids.ts'
import { watch } from './watch-approvals.ts'

interface Listing {
  approvals: PendingApproval[]
  rules: Omit<SavedRule, 'digest'>[]
}

const NONE_PENDING = 'no pending approvals'

type Options = ReadonlyMap<string, string>
const NO_ANSWERS =
  'approvals: expected a terminal or a pipe on stdin, got nothing that answers could come from; list the requests with shellphone approvals list, and answer with shellphone approvals approve ID'

/** Resolves with the exit code, or with nothing: 0. */
type ApprovalAction = (client: Client, operands: string[], options: Options) => Promise<number | void>

/** The actions of `shellphone approvals`. */
const actions: Record<string, ApprovalAction> = {
  watch: async (client) => {
    if (!process.stdin.isTTY && !hasStdin()) throw new UsageError(NO_ANSWERS)
    return watch(client, process.stdin, process.stdout)
  },
  list,
  show,
  approve: (client, operands, options) => answer(client, 'approve', operands, options),
  deny: (client, operands, options) => answer(client, 'deny', operands, options),
  rules,
  revoke,
}

/** `shellphone approvals [ACTION [ID …]]`: runs the action; without an action, shows the live view. Resolves with the exit code. Throws ClientError. */
export async function approvals(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const [name = 'watch', ...ids] = operands
  refuseInsideRun(place, 'approvals: only a person may answer approval requests')
  const client = connect(place, name === 'watch' ? { reconnectMs: Infinity } : {}) // the view waits for the service to start again
  return (await actions[name]!(client, ids, options)) ?? 0
}

async function list(client: Client, _ids: string[], options: Options): Promise<void> {
  const { approvals } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ approvals }))
  if (approvals.length === 0) return console.log(NONE_PENDING)
  const style = styleOf(process.stdout)
  console.log(textTable(approvals, columnsAt(Date.now(), style), style))
  console.log(style.dim('\nshow all that an answer covers with shellphone approvals show ID'))
}

const columnsAt = (nowMs: number, style: Style): Column<PendingApproval>[] => [
  { title: 'ID', text: ({ id }) => visible(id) },
  { title: 'FROM', text: ({ token }) => visible(token) },
  { title: 'LEFT', text: (approval) => `${secondsLeft(approval, nowMs)} s`, isRight: true },
  { title: 'RISK', text: ({ risk }) => risk ?? 'unknown', paint: ({ risk }, text) => riskPainter(risk, style)(text) },
  { title: 'COMMAND', text: ({ command }) => commandCell(command) },
]

async function show(client: Client, operands: string[], options: Options): Promise<number> {
  const requests = await approvalsFor('approvals show', client, operands, options)
  const unknown = requests.find((one) => typeof one === 'string')
  if (unknown !== undefined) {
    throw new UsageError(
      `${visible(unknown)}: no pending approval has this id; list them with shellphone approvals list`,
    )
  }
  const shown = requests.filter((one) => typeof one !== 'string')
  if (shown.length === 0) return nonePending('show')
  if (options.has('json')) for (const one of shown) console.log(JSON.stringify(one))
  else console.log(shown.map((one) => describeApproval(one, styleOf(process.stdout), Date.now())).join('\n\n'))
  return 0
}

async function rules(client: Client, _ids: string[], options: Options): Promise<void> {
  const { rules } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ rules }))
  const blocks = rules.map((rule) => describeRule(rule, styleOf(process.stdout)))
  console.log(blocks.length > 0 ? blocks.join('\n\n') : 'no saved approvals')
}

async function answer(
  client: Client,
  decision: 'approve' | 'deny',
  operands: string[],
  options: Options,
): Promise<number> {
  const requests = await approvalsFor(`approvals ${decision}`, client, operands, options)
  if (requests.length === 0) return nonePending(decision)
  const body = { decision, scope: options.has('always') ? 'always' : 'once', by: client.person }
  for (const one of requests) {
    const id = typeof one === 'string' ? one : one.id
    const answered = await client.request<ApprovalAnswer>('POST', `/approvals/${encodeURIComponent(id)}`, body)
    const { outcome, saved_rule } = answered
    // with --last or several ids, which one was answered
    const which = operands.length === 1 ? '' : `${visible(id)}: `
    const what = options.has('last') && typeof one !== 'string' ? `: ${commandCell(one.command)}` : ''
    const saved = saved_rule ? `, saved as rule ${visible(saved_rule)}` : ''
    console.log(options.has('json') ? JSON.stringify({ id, ...answered }) : `${which}${outcome}${saved}${what}`)
  }
  return 0
}

/** Says that --last found no request, and returns the exit code. */
function nonePending(verb: string): number {
  console.error(`shellphone: approvals ${verb} --last: ${NONE_PENDING}`)
  return NOT_DONE
}

async function revoke(client: Client, [text = '']: string[], options: Options): Promise<void> {
  const id = await ruleIdFor(client, text)
  await client.request('DELETE', `/approvals/rules/${encodeURIComponent(id)}`)
  console.log(options.has('json') ? JSON.stringify({ revoked: id }) : 'revoked')
}
