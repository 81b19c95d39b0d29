import { readFileSync } from 'node:fs'
import type { NatsConnection } from '@nats-io/transport-node'
import { within } from '../../shared/async/index.ts'
import { type Presence, presenceSubject, toLabels, type UpMessage, upSubject } from '../../shared/schema/index.ts'
import type { FleetParts } from './fleet-parts.ts'

/** If the broker does not answer a heartbeat within this time, the connection is dead, even if the system still reports it as open. */
const REPLY_TIMEOUT_MS = 10_000
const BATTERY = '/sys/class/power_supply/battery/capacity'

/**
 * Publishes the hello message, then the phone's presence at each heartbeat and whenever an approval is requested or decided. Returns a
 * function that stops this; with `isStopping`, it also publishes that the service is stopping.
 */
export function startPresence(nc: NatsConnection, parts: FleetParts): (isStopping: boolean) => void {
  const { membership, home, boot, version, executor } = parts
  const publishUp = (message: UpMessage) => {
    if (!nc.isClosed()) nc.publish(upSubject(membership.name), JSON.stringify(message))
  }
  const publishPresence = (stopping = false) => {
    const presence: Presence = { ...presenceOf(parts), ...(stopping && { stopping }) }
    if (!nc.isClosed()) nc.publish(presenceSubject(membership.name), JSON.stringify(presence))
  }
  /** Never rejects. */
  const heartbeat = async () => {
    publishPresence()
    if (!(await isAnswered(nc))) await nc.close().catch(() => {}) // the connection is already dead
  }
  const unsubscribe = executor.approvals.subscribe((event) => {
    if (event.type === 'approval_requested') {
      publishUp({ type: 'asked', approval_id: event.approval.id, run_id: event.approval.run_id })
    }
    publishPresence()
  })
  publishUp({ type: 'hello', home, boot, version })
  void heartbeat()
  const timer = setInterval(() => void heartbeat(), parts.heartbeatMs)
  return (isStopping) => {
    clearInterval(timer)
    unsubscribe()
    if (isStopping) publishPresence(true)
  }
}

async function isAnswered(nc: NatsConnection): Promise<boolean> {
  const answered = nc.flush().then(
    () => true,
    () => nc.isClosed(),
  )
  return (await within(answered, REPLY_TIMEOUT_MS)) && answered
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

/** The battery level from 0 to 100; null if the system does not report it. */
function batteryPercent(): number | null {
  try {
    const text = readFileSync(BATTERY, 'utf8') // synchronous is fine, because sysfs is in memory
    return /^\d{1,2}\s*$|^100\s*$/.test(text) ? Number(text) : null
  } catch {
    return null
  }
}
