import { type ApprovalAnswer, type PendingApproval, type SavedRule, visible } from '../schema/index.ts'
import { type Client, ClientError, connect, type Place } from './connect.ts'
import { describeQuestion, describeRule } from './describe.ts'
import { watch } from './watch.ts'

interface Listing {
  approvals: PendingApproval[]
  rules: Omit<SavedRule, 'digest'>[]
}

type Options = ReadonlyMap<string, string>
type Action = (client: Client, id: string, options: Options) => Promise<void>

/** What may follow `shellphone approvals`. */
const actions: Record<string, { needsId: boolean; act: Action }> = {
  watch: { needsId: false, act: (client) => watch(client, process.stdin, process.stdout) },
  list: { needsId: false, act: list },
  approve: { needsId: true, act: (client, id, options) => answer(client, id, 'approve', options) },
  deny: { needsId: true, act: (client, id, options) => answer(client, id, 'deny', options) },
  rules: { needsId: false, act: rules },
  revoke: { needsId: true, act: revoke },
}

/** `shellphone approvals [ACTION [ID]]`: without an action the live view. Throws ClientError. */
export async function approvals(place: Place, operands: string[], options: Options): Promise<void> {
  const [name = 'watch', id, ...more] = operands
  const action = Object.hasOwn(actions, name) ? actions[name]! : undefined
  if (!action) throw new ClientError(`approvals ${name}: expected one of ${Object.keys(actions).join(', ')}`)
  if (action.needsId !== (id !== undefined) || more.length > 0) {
    throw new ClientError(`approvals ${name}: expected ${action.needsId ? 'one id' : 'nothing more'}`)
  }
  if (place.isInsideRun) throw new ClientError('approvals: people answer, not the commands that the service runs')
  await action.act(connect(place), id ?? '', options)
}

const columns = () => process.stdout.columns ?? 80
const print = (blocks: string[], nothing: string) => console.log(blocks.length > 0 ? blocks.join('\n\n') : nothing)

async function list(client: Client, _id: string, options: Options): Promise<void> {
  const { approvals } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ approvals }))
  print(
    approvals.map((one) => describeQuestion(one, columns(), Date.now())),
    'nothing waits',
  )
}

async function rules(client: Client, _id: string, options: Options): Promise<void> {
  const { rules } = await client.request<Listing>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify({ rules }))
  print(
    rules.map((rule) => describeRule(rule, columns())),
    'no saved answers',
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
