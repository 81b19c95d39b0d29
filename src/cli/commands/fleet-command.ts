import { UsageError, visible } from '../../shared/schema/index.ts'
import { type Column, type Style, styleOf, textTable } from '../print/index.ts'
import { PhoneError } from '../../sdk/client-node.ts'
import { agoText } from './ago-text.ts'
import { ClientError, connect, type ServiceLocation } from './connect-service.ts'
import { countText } from './count-text.ts'
import { endBySignal } from './end-by-signal.ts'
import { fleetEvents } from './fleet-events.ts'
import { onFleetInterrupts } from './fleet-interrupts.ts'
import { type FleetResult, hasSucceeded, outputLines } from './fleet-result.ts'
import { reportFleetWaits } from './fleet-waits.ts'
import { nameAsTyped } from './name-as-typed.ts'
import { onOption } from './on-option.ts'
import { secondsIn } from './seconds-in.ts'

type Options = ReadonlyMap<string, string>

interface ListedPhone {
  name: string
  online: boolean
  last_seen: string | null
  version: string | null
  labels: Record<string, string>
  reported_labels: Record<string, string>
  battery: number | null
  running: number
  pending_approvals: number
  conflict_since: string | null
}

/**
 * `shellphone fleet phones [--select …]`: lists phones. With `settle`, the control plane accepts a name again that two devices have used. Throws
 * ClientError after an old list, because the control plane has no connection to its broker.
 */
export async function fleetPhones(place: ServiceLocation, options: Options): Promise<void> {
  const client = connect(place)
  const settled = options.get('settle')
  if (settled !== undefined) {
    await client.request('DELETE', `/conflicts/${encodeURIComponent(settled)}`)
    return console.log(`${settled}: settled`)
  }
  const query = new URLSearchParams({ select: options.get('select') ?? '*' })
  const healthy = client.request('GET', '/health').then(
    () => true,
    () => false,
  )
  const { phones } = await client.request<{ phones: ListedPhone[] }>('GET', `/phones?${query}`)
  const style = styleOf(process.stdout)
  if (options.has('json')) console.log(JSON.stringify({ phones }))
  else console.log(phones.length === 0 ? 'no phones' : textTable(phones, phoneColumns(style), style))
  if (await healthy) return
  throw new ClientError(
    'the control plane has no connection to its broker, so this list is old; see shellphone fleet doctor',
  )
}

const phoneColumns = ({ green, red, yellow }: Style): Column<ListedPhone>[] => [
  { title: 'NAME', text: ({ name }) => visible(name) },
  {
    title: 'STATE',
    text: ({ online, last_seen }) =>
      online ? 'online' : last_seen === null ? 'never seen' : `seen ${agoText(last_seen, Date.now())}`,
    paint: ({ online }, text) => (online ? green : red)(text),
  },
  { title: 'RUNNING', text: ({ running }) => String(running), isRight: true },
  {
    title: 'WAITING',
    text: ({ pending_approvals }) => String(pending_approvals),
    paint: ({ pending_approvals }, text) => (pending_approvals > 0 ? yellow(text) : text),
    isRight: true,
  },
  { title: 'BATTERY', text: ({ battery }) => (battery === null ? '-' : `${battery} %`), isRight: true },
  { title: 'LABELS', text: ({ labels }) => visible(labelList(labels)) || '-' },
  { title: 'REMARKS', text: remarksOf },
]

const remarksOf = ({ reported_labels, conflict_since }: ListedPhone): string =>
  visible(
    [
      ...(Object.keys(reported_labels).length > 0 ? [`reports ${labelList(reported_labels)}`] : []),
      ...(conflict_since === null ? [] : [`two devices with this name since ${conflict_since}`]),
    ].join(', '),
  )

const labelList = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(',')

/** `shellphone fleet exec SELECTOR 'COMMAND'`: prints each phone's result as it arrives. Ctrl-C cancels the command on all phones. With `queue`, creates a job and prints its id. Resolves with 0 if all exit codes are 0, otherwise 1. */
export async function fleetExec(
  place: ServiceLocation,
  [phones = '', command = '']: string[],
  options: Options,
): Promise<number> {
  const client = connect(place)
  const [queue, wait, timeout] = ['queue', 'wait', 'timeout'].map(
    (name) => options.get(name) && secondsIn(options.get(name)!),
  )
  const asked = {
    ...{ phones, command },
    ...(timeout && { timeout_seconds: timeout }),
    ...(options.has('pick') && { pick: 1 }), // which the control plane refuses with `queue`
  }
  if (queue) {
    if (wait) throw new UsageError('fleet exec: --wait: not allowed with --queue, which prints the id of a job at once')
    // in the foreground, phones lower a timeout to their max_timeout_seconds
    const body = { ...asked, ...(timeout && { background: true }), queue_seconds: queue }
    const submitted = client.request<{ job: string; phones: number }>('POST', '/exec', body)
    const { job, phones: count } = await submitted.catch((error) => Promise.reject(nameAsTyped(error)))
    console.log(
      options.has('json')
        ? JSON.stringify({ job })
        : `${job}  (${countText(count, 'phone')}; shellphone fleet job ${job})`,
    )
    return 0
  }
  const body = { ...asked, ...(wait && { wait_seconds: wait }) }
  let isWell = true
  const unfinished: FleetResult[] = []
  const on = onOption(options)
  const waits = await reportFleetWaits(client, command, on)
  const interrupts = onFleetInterrupts(client, (names) => reportContinuing(names, on))
  try {
    const request = { method: 'POST', body, signal: new AbortController().signal } as const
    for await (const { event, data } of fleetEvents(client, '/exec', request)) {
      const result: FleetResult & { run_id: string } = JSON.parse(data)
      if (event === 'accepted') interrupts.onAccepted(result.name, result.run_id)
      if (event !== 'phone') continue
      interrupts.onResult(result.name)
      isWell &&= hasSucceeded(result)
      if (isUnfinished(result) && unfinished.push(result) === 1) await waits.check()
      const isWaiting = isUnfinished(result) && waits.isWaiting(result.name)
      const shown = isWaiting ? { ...result, status: 'needs_approval' } : result
      console.log(options.has('json') ? JSON.stringify(shown) : describeResult(shown, on))
    }
  } finally {
    waits.stop()
    interrupts.stop()
  }
  const left = unfinished.map(({ name }) => name)
  if (interrupts.isPressed) endBySignal('SIGINT')
  if (interrupts.isPressed && left.length > 0) reportContinuing(left, on)
  else if (left.length > 0) reportUnfinished(unfinished, on, waits.canRead())
  return isWell ? 0 : 1
}

/** How to cancel a command on one phone after another. `on`: the option that names the fleet. */
const howToCancel = (on: string): string =>
  on === ''
    ? 'to cancel it from here, run the line that shellphone fleet token NAME --role person prints, then shellphone cancel --last --on fleet/PHONE for each phone'
    : `cancel it with shellphone cancel --last${on}/PHONE for each phone`

const isUnfinished = ({ state }: FleetResult): boolean => state === 'running' || state === 'accepted'

/** Says after Ctrl-C where the command was not canceled. `names`: the phones that have accepted it; none: no phone has answered. */
function reportContinuing(names: string[], on: string): void {
  const where = names.length === 0 ? 'the phones' : names.join(', ')
  console.error(`shellphone: the command may continue on ${visible(where)}; ${howToCancel(on)}`)
}

/** `knowsWaits`: whether the token can read which phones wait for approval. */
function reportUnfinished([first, ...more]: FleetResult[], on: string, knowsWaits: boolean): void {
  const { name, run_id } = first!
  const where = more.length === 0 ? name : `${name} and ${more.length} more`
  const see = `shellphone ${run_id === undefined ? 'ps' : `logs -f ${run_id}`}${on === '' ? '' : `${on}/${name}`}`
  const place = on === '' ? 'on that phone ' : ''
  console.error(
    `shellphone: ${visible(where)}: not finished within the time of --wait; the command continues${knowsWaits ? '' : ', or waits for approval'}; see it ${place}with ${visible(see)}`,
  )
}

function describeResult(result: FleetResult, on: string): string {
  const { name, state, status = state, exit_code, signal } = result
  const hasCode = exit_code !== undefined && (status === state || status === 'completed' || status === 'failed')
  const code = signal === undefined ? `${state} ${exit_code}` : `killed by ${signal}`
  const how = hasCode ? code : status.replaceAll('_', ' ')
  return [`${name.padEnd(24)} ${how}`, ...outputLines(result, on)].join('\n')
}

/** `shellphone fleet invite NAME`: prints the command with which the phone can join, once. */
export async function fleetInvite(place: ServiceLocation, name: string, options: Options): Promise<void> {
  const labels = options.get('label')?.split(',') ?? []
  const made = await connect(place).request<{ link: string; expires_at: string }>('POST', '/invites', { name, labels })
  if (options.has('json')) return console.log(JSON.stringify(made))
  const { renderUnicodeCompact } = await import('uqr')
  const line = `shellphone fleet join '${made.link}'`
  console.log(`${renderUnicodeCompact(line)}\n${line}`)
}

/** Removes a phone from the control plane; resolves with its public key, which must still be revoked at the brokers. */
export const retirePhone = (place: ServiceLocation, name: string): Promise<{ public_key: string }> =>
  connect(place)
    .request<{ public_key: string }>('DELETE', `/enrolled/${encodeURIComponent(name)}`)
    .catch((error: Error) => {
      if (!(error.cause instanceof PhoneError && error.cause.type === 'not_found')) throw error
      throw new UsageError(
        `fleet revoke ${name}: no phone has this name; list them with shellphone fleet phones. To revoke a token, run shellphone fleet token ${name} --revoke`,
      )
    })
