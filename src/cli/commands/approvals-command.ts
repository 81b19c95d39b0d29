import { type ApprovalAnswer, type PendingApproval, type SavedRule, visible } from '../../shared/schema/index.ts'
import { actionOf, type Client, connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'
import { describeApproval, describeRule } from './describe-approval.ts'
import { watch } from './watch-approvals.ts'

interface Listing {
  approvals: PendingApproval[]
  rules: Omit<SavedRule, 'digest'>[]
}

type Options = ReadonlyMap<string, string>
type ApprovalAction = (client: Client, id: string, options: Options) => Promise<void>

/** The actions of `shellphone approvals`. */
const actions: Record<string, { needs: 'id' | null; act: ApprovalAction }> = {
  watch: { needs: null, act: (client) => watch(client, process.stdin, process.stdout) },
  list: { needs: null, act: list },
  approve: { needs: 'id', act: (client, id, options) => answer(client, id, 'approve', options) },
  deny: { needs: 'id', act: (client, id, options) => answer(client, id, 'deny', options) },
  rules: { needs: null, act: rules },
  revoke: { needs: 'id', act: revoke },
}

/** `shellphone approvals [ACTION [ID]]`: runs the action; without an action, shows the live view. Throws ClientError. */
export async function approvals(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  const [name = 'watch', ...ids] = operands
  const { act } = actionOf('approvals', actions, name, ids)
  refuseInsideRun(place, 'approvals: only a person may answer approval requests')
  await act(connect(place), ids[0] ?? '', options)
}

const columns = () => process.stdout.columns ?? 80
const print = (blocks: string[], nothing: string) => console.log(blocks.length > 0 ? blocks.join('\n\n') : nothing)

async function list(client: Client, _id: string, options: Options): Promise<void> {
  const { approvals } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ approvals }))
  print(
    approvals.map((one) => describeApproval(one, columns(), Date.now())),
    'no pending approvals',
  )
}

async function rules(client: Client, _id: string, options: Options): Promise<void> {
  const { rules } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ rules }))
  print(
    rules.map((rule) => describeRule(rule, columns())),
    'no saved approvals',
  )
}

async function answer(client: Client, id: string, decision: 'approve' | 'deny', options: Options): Promise<void> {
  const body = { decision, scope: options.has('always') ? 'always' : 'once', by: client.person }
  const path = `/approvals/${encodeURIComponent(id)}`
  const answered = await client.request<ApprovalAnswer>('POST', path, body)
  const { outcome, saved_rule } = answered
  if (options.has('json')) return console.log(JSON.stringify({ id, ...answered }))
  console.log(`${outcome}${saved_rule ? `, saved as rule ${visible(saved_rule)}` : ''}`)
}

async function revoke(client: Client, id: string, options: Options): Promise<void> {
  await client.request('DELETE', `/approvals/rules/${encodeURIComponent(id)}`)
  console.log(options.has('json') ? JSON.stringify({ revoked: id }) : 'revoked')
}
