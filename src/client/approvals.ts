import { type ApprovalAnswer, type PendingApproval, type SavedRule, visible } from '../schema/index.ts'
import { actionOf, type Client, connect, refuseInsideRun, type Place } from './connect.ts'
import { describeQuestion, describeRule } from './describe.ts'
import { watch } from './watch.ts'

interface Listing {
  approvals: PendingApproval[]
  rules: Omit<SavedRule, 'digest'>[]
}

type Action = (client: Client, id: string, always: boolean) => Promise<void>

/** What may follow `shellphone approvals`. */
const actions: Record<string, { needs: 'id' | null; act: Action }> = {
  watch: { needs: null, act: (client) => watch(client, process.stdin, process.stdout) },
  list: { needs: null, act: list },
  approve: { needs: 'id', act: (client, id, always) => answer(client, id, 'approve', always) },
  deny: { needs: 'id', act: (client, id, always) => answer(client, id, 'deny', always) },
  rules: { needs: null, act: rules },
  revoke: { needs: 'id', act: revoke },
}

/** `shellphone approvals [ACTION [ID]]`: without an action the live view. Throws ClientError. */
export async function approvals(place: Place, operands: string[], always: boolean): Promise<void> {
  const [name = 'watch', ...ids] = operands
  const { act } = actionOf('approvals', actions, name, ids)
  refuseInsideRun(place, 'approvals: people answer')
  await act(connect(place), ids[0] ?? '', always)
}

const columns = () => process.stdout.columns ?? 80
const print = (blocks: string[], nothing: string) => console.log(blocks.length > 0 ? blocks.join('\n\n') : nothing)

async function list(client: Client): Promise<void> {
  const { approvals } = await client.request<Listing>('GET', '/approvals')
  print(
    approvals.map((one) => describeQuestion(one, columns(), Date.now())),
    'nothing waits',
  )
}

async function rules(client: Client): Promise<void> {
  const { rules } = await client.request<Listing>('GET', '/approvals')
  print(
    rules.map((rule) => describeRule(rule, columns())),
    'no saved answers',
  )
}

async function answer(client: Client, id: string, decision: 'approve' | 'deny', always: boolean): Promise<void> {
  const body = { decision, scope: always ? 'always' : 'once', by: client.person }
  const path = `/approvals/${encodeURIComponent(id)}`
  const { outcome, saved_rule } = await client.request<ApprovalAnswer>('POST', path, body)
  console.log(`${outcome}${saved_rule ? `, saved as rule ${visible(saved_rule)}` : ''}`)
}

async function revoke(client: Client, id: string): Promise<void> {
  await client.request('DELETE', `/approvals/rules/${encodeURIComponent(id)}`)
  console.log('revoked')
}
