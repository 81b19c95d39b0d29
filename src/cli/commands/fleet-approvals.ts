import { UsageError, visible } from '../../shared/schema/index.ts'
import { type Column, commandCell, styleOf, textTable } from '../print/index.ts'
import { type Client, connect, type ServiceLocation } from './connect-service.ts'
import type { PhoneApproval } from './fleet-waits.ts'
import { phoneApprovalIdFor } from './short-ids.ts'

type Options = ReadonlyMap<string, string>

/** `shellphone fleet approvals [approve|deny PHONE ID]`: lists or answers the pending approval requests of all phones. */
export async function fleetApprovals(
  place: ServiceLocation,
  [action = 'list', phone, id]: string[],
  options: Options,
): Promise<void> {
  const client = connect(place)
  if (action !== 'list') return answerOne(client, [action, phone, id], options)
  const found = await client.request<{ approvals: PhoneApproval[]; silent: string[] }>('GET', '/approvals')
  if (options.has('json')) return console.log(JSON.stringify(found))
  const lines = found.approvals.length > 0 ? [textTable(found.approvals, approvalColumns, styleOf(process.stdout))] : []
  const silent = found.silent.map((name) => `${visible(name)}: has pending approvals but does not respond`)
  console.log([...lines, ...silent].join('\n') || 'no pending approvals')
}

const approvalColumns: Column<PhoneApproval>[] = [
  { title: 'PHONE', text: ({ phone }) => visible(phone) },
  { title: 'ID', text: ({ id }) => visible(id) },
  { title: 'REASON', text: ({ reason, rule }) => visible(reason ?? rule ?? '-') },
  { title: 'COMMAND', text: ({ command }) => commandCell(command) },
]

async function answerOne(
  client: Client,
  [decision, phone, id]: (string | undefined)[],
  options: Options,
): Promise<void> {
  if (!['approve', 'deny'].includes(decision!) || id === undefined) {
    throw new UsageError(
      `fleet approvals: expected list, approve PHONE ID or deny PHONE ID, got ${decision} ${phone ?? ''}; see shellphone fleet approvals --help`,
    )
  }
  const found = await phoneApprovalIdFor(client, phone!, id)
  const path = `/phones/${encodeURIComponent(phone!)}/approvals/${encodeURIComponent(found)}`
  const answered = await client.request<{ outcome: string }>('POST', path, { decision, by: client.person })
  console.log(options.has('json') ? JSON.stringify(answered) : answered.outcome)
}
