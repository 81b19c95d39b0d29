import { readFileSync } from 'node:fs'
import type { NatsConnection } from '@nats-io/transport-node'
import { within } from '../../shared/async/index.ts'
import { type Presence, presenceSubject, toLabels, type UpMessage, upSubject } from '../../shared/schema/index.ts'
import type { FleetParts } from './fleet-parts.ts'

/** If the broker does not answer a heartbeat within this, the connection is dead, whatever the system reports. */
const ANSWER_MS = 10_000
const BATTERY = '/sys/class/power_supply/battery/capacity'

/** Publishes the hello message, then the phone's presence at each heartbeat and whenever an approval is requested or decided. Returns the function that publishes the last one. */
export function startPresence(nc: NatsConnection, parts: FleetParts): (isStopping: boolean) => void {
  const { membership: place, home, boot, version, executor } = parts
  const up = (message: UpMessage) => {
    if (!nc.isClosed()) nc.publish(upSubject(place.name), JSON.stringify(message))
  }
  const tell = (stopping = false) => {
    const presence: Presence = { ...presenceOf(parts), ...(stopping && { stopping }) }
    if (!nc.isClosed()) nc.publish(presenceSubject(place.name), JSON.stringify(presence))
  }
  /** Never rejects. */
  const beat = async () => {
    tell()
    if (!(await isAnswered(nc))) await nc.close().catch(() => {}) // it is already dead
  }
  const unsubscribe = executor.approvals.subscribe((event) => {
    if (event.type === 'approval_requested') {
      up({ type: 'asked', approval_id: event.approval.id, run_id: event.approval.run_id })
    }
    tell()
  })
  up({ type: 'hello', home, boot, version })
  void beat()
  const timer = setInterval(() => void beat(), parts.beatMs)
  return (isStopping) => {
    clearInterval(timer)
    unsubscribe()
    if (isStopping) tell(true)
  }
}

async function isAnswered(nc: NatsConnection): Promise<boolean> {
  const answered = nc.flush().then(
    () => true,
    () => nc.isClosed(),
  )
  return (await within(answered, ANSWER_MS)) && answered
}

function presenceOf({ version, home, boot, labels, executor }: FleetParts): Presence {
  const { pool, background } = executor.stats()
  return {
    version,
    home,
    boot,
    labels: toLabels(labels()),
    battery: batteryPercent(),
    running: pool.running + background.running,
    queued: pool.queued + background.queued,
    pending_approvals: executor.approvals.pending().length,
  }
}

/** null if the system does not report it */
function batteryPercent(): number | null {
  try {
    const text = readFileSync(BATTERY, 'utf8') // served by the kernel from memory
    return /^\d{1,2}\s*$|^100\s*$/.test(text) ? Number(text) : null
  } catch {
    return null
  }
}
