import { isDeepStrictEqual } from 'node:util'
import { UsageError, visible } from '../../shared/schema/index.ts'
import { type Column, commandCell, type Style, styleOf, textTable } from '../print/index.ts'
import { type Client, connect, type ServiceLocation } from './connect-service.ts'
import { describeApproval, riskPainter, secondsLeft } from './describe-approval.ts'
import { NOT_DONE } from './exit-code.ts'
import { type FleetApproval, fleetApprovalIn, phoneApprovalIdFor } from './short-ids.ts'

type Options = ReadonlyMap<string, string>

interface Listing {
  approvals: FleetApproval[]
  /** phones that have pending approvals but did not respond */
  silent: string[]
}

/**
 * `shellphone fleet approvals [show|approve|deny PHONE ID]`: lists, shows or answers the pending approval requests of all phones. With `identical`,
 * gives the same answer to every other phone that asks the same. Resolves with the exit code: 1 if an answer did not arrive. Rejects with
 * UsageError and ClientError.
 */
export async function fleetApprovals(
  place: ServiceLocation,
  [action = 'list', phone = '', id]: string[],
  options: Options,
): Promise<number> {
  const client = connect(place)
  const isAnswer = action === 'approve' || action === 'deny'
  if (options.has('identical') && !isAnswer) {
    throw new UsageError(`fleet approvals: --identical: expected approve or deny before it, got ${action}`)
  }
  if (action === 'list') return list(client, options)
  if (id === undefined || (action !== 'show' && !isAnswer)) {
    throw new UsageError(
      `fleet approvals: expected list, show PHONE ID, approve PHONE ID or deny PHONE ID, got ${action} ${phone}; see shellphone fleet approvals --help`,
    )
  }
  if (action === 'show' || options.has('identical')) {
    const { approvals } = await client.request<Listing>('GET', '/approvals')
    const approval = fleetApprovalIn(approvals, phone, id)
    if (action === 'show') return show(approval, options)
    const others = approvals.filter((one) => isIdenticalElsewhere(one, approval))
    return answerAll(client, action, [approval, ...others], options)
  }
  const answered = await answer(client, action, phone, await phoneApprovalIdFor(client, phone, id))
  console.log(options.has('json') ? JSON.stringify(answered) : answered.outcome)
  return 0
}

async function list({ request }: Client, options: Options): Promise<number> {
  const found = await request<Listing>('GET', '/approvals')
  const { approvals, silent } = found
  const style = styleOf(process.stdout)
  if (options.has('json')) console.log(JSON.stringify(found))
  else {
    const lines = approvals.length > 0 ? [textTable(approvals, columnsAt(Date.now(), style), style)] : []
    const missing = silent.map((name) => `${visible(name)}: has pending approvals but does not respond`)
    console.log([...lines, ...missing].join('\n') || 'no pending approvals')
    if (approvals.length > 0) {
      console.log(style.dim('\nshow all that an answer covers with shellphone fleet approvals show PHONE ID'))
    }
  }
  return 0
}

const columnsAt = (nowMs: number, style: Style): Column<FleetApproval>[] => [
  { title: 'PHONE', text: ({ phone }) => visible(phone) },
  { title: 'ID', text: ({ id }) => visible(id) },
  { title: 'LEFT', text: (approval) => `${secondsLeft(approval, nowMs)} s`, isRight: true },
  { title: 'RISK', text: ({ risk }) => risk ?? 'unknown', paint: ({ risk }, text) => riskPainter(risk, style)(text) },
  { title: 'REASON', text: ({ reason, rule }) => visible(reason ?? rule ?? '-') },
  { title: 'COMMAND', text: ({ command }) => commandCell(command) },
]

function show(approval: FleetApproval, options: Options): number {
  console.log(
    options.has('json') ? JSON.stringify(approval) : describeApproval(approval, styleOf(process.stdout), Date.now()),
  )
  return 0
}

const answer = (
  { request, person }: Client,
  decision: string,
  phone: string,
  id: string,
): Promise<{ outcome: string }> =>
  request('POST', `/phones/${encodeURIComponent(phone)}/approvals/${encodeURIComponent(id)}`, { decision, by: person })

/** Answers one request after the other. */
async function answerAll(
  client: Client,
  decision: string,
  approvals: FleetApproval[],
  options: Options,
): Promise<number> {
  let exitCode = 0
  for (const { phone, id } of approvals) {
    try {
      const answered = await answer(client, decision, phone, id)
      console.log(
        options.has('json') ? JSON.stringify({ phone, id, ...answered }) : `${visible(phone)}: ${answered.outcome}`,
      )
    } catch (error) {
      console.error(`shellphone: ${visible(phone)}: ${(error as Error).message}`)
      exitCode = NOT_DONE
    }
  }
  return exitCode
}

/** What an answer covers, and how the phone judges it. */
const covered = ({ phone, id, run_id, token_id, requested_at, expires_at, always, ...same }: FleetApproval) => same

/** Whether another phone asks for exactly the same. A second request of the same phone is another run. */
const isIdenticalElsewhere = (one: FleetApproval, approval: FleetApproval) =>
  one.phone !== approval.phone && isDeepStrictEqual(covered(one), covered(approval))
