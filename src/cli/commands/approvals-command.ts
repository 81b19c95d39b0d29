import {
  type ApprovalAnswer,
  type PendingApproval,
  type SavedRule,
  UsageError,
  visible,
} from '../../shared/schema/index.ts'
import { styleOf } from '../print/index.ts'
import { type Client, connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'
import { describeApproval, describeRule } from './describe-approval.ts'
import { hasStdin } from './own-streams.ts'
import { approvalIdFor, ruleIdFor } from './short-ids.ts'
import { watch } from './watch-approvals.ts'

interface Listing {
  approvals: PendingApproval[]
  rules: Omit<SavedRule, 'digest'>[]
}

type Options = ReadonlyMap<string, string>
const NO_ANSWERS =
  'approvals: expected a terminal or a pipe on stdin, got nothing that answers could come from; list the requests with shellphone approvals list, and answer with shellphone approvals approve ID'

/** Resolves with the exit code, or with nothing: 0. */
type ApprovalAction = (client: Client, id: string, options: Options) => Promise<number | void>

/** The actions of `shellphone approvals`. */
const actions: Record<string, ApprovalAction> = {
  watch: async (client) => {
    if (!process.stdin.isTTY && !hasStdin()) throw new UsageError(NO_ANSWERS)
    return watch(client, process.stdin, process.stdout)
  },
  list,
  approve: (client, id, options) => answer(client, id, 'approve', options),
  deny: (client, id, options) => answer(client, id, 'deny', options),
  rules,
  revoke,
}

/** `shellphone approvals [ACTION [ID]]`: runs the action; without an action, shows the live view. Resolves with the exit code. Throws ClientError. */
export async function approvals(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const [name = 'watch', id = ''] = operands
  refuseInsideRun(place, 'approvals: only a person may answer approval requests')
  const client = connect(place, name === 'watch' ? { reconnectMs: Infinity } : {}) // the view waits for the service to start again
  return (await actions[name]!(client, id, options)) ?? 0
}

const print = (blocks: string[], nothing: string) => console.log(blocks.length > 0 ? blocks.join('\n\n') : nothing)

async function list(client: Client, _id: string, options: Options): Promise<void> {
  const { approvals } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ approvals }))
  print(
    approvals.map((one) => describeApproval(one, styleOf(process.stdout), Date.now())),
    'no pending approvals',
  )
}

async function rules(client: Client, _id: string, options: Options): Promise<void> {
  const { rules } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ rules }))
  print(
    rules.map((rule) => describeRule(rule, styleOf(process.stdout))),
    'no saved approvals',
  )
}

async function answer(client: Client, text: string, decision: 'approve' | 'deny', options: Options): Promise<void> {
  const id = await approvalIdFor(client, text)
  const body = { decision, scope: options.has('always') ? 'always' : 'once', by: client.person }
  const path = `/approvals/${encodeURIComponent(id)}`
  const answered = await client.request<ApprovalAnswer>('POST', path, body)
  const { outcome, saved_rule } = answered
  if (options.has('json')) return console.log(JSON.stringify({ id, ...answered }))
  console.log(`${outcome}${saved_rule ? `, saved as rule ${visible(saved_rule)}` : ''}`)
}

async function revoke(client: Client, text: string, options: Options): Promise<void> {
  const id = await ruleIdFor(client, text)
  await client.request('DELETE', `/approvals/rules/${encodeURIComponent(id)}`)
  console.log(options.has('json') ? JSON.stringify({ revoked: id }) : 'revoked')
}
