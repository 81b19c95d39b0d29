import { readFileSync } from 'node:fs'
import type { NatsConnection } from '@nats-io/transport-node'
import { within } from '../../shared/async/index.ts'
import { type Presence, presenceSubject, toLabels, type UpMessage, upSubject } from '../../shared/schema/index.ts'
import type { FleetParts } from './fleet-parts.ts'

/** A beat that the broker does not answer within this: the connection is dead, whatever the system says of it. */
const ANSWER_MS = 10_000
const BATTERY = '/sys/class/power_supply/battery/capacity'

/** Says hello and, every beat and when a question comes or goes, what the phone is like. Returns the last word. */
export function startPresence(nc: NatsConnection, parts: FleetParts): (isStopping: boolean) => void {
  const { place, home, boot, version, executor } = parts
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
    if (!(await isAnswered(nc))) await nc.close().catch(() => {}) // it is dead as it is
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

/** null where the system does not tell. */
function batteryPercent(): number | null {
  try {
    const text = readFileSync(BATTERY, 'utf8') // the kernel's own, from memory
    return /^\d{1,2}\s*$|^100\s*$/.test(text) ? Number(text) : null
  } catch {
    return null
  }
}
