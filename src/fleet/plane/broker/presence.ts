import { randomBytes } from 'node:crypto'
import { within } from '../../../shared/async/index.ts'
import {
  firstError,
  FLEET_ONLINE_SECONDS,
  inboxPrefix,
  MICRO_NAME,
  PLANE_CALLER,
  Presence,
  PRESENCE_BUCKET,
} from '../../../shared/schema/index.ts'
import { openBucket } from './bucket.ts'
import type { Clock } from './clock.ts'
import type { BrokerLink } from './broker-link.ts'
import type { Log } from '../plane-types.ts'

/** A phone's last presence message. */
interface SeenPresence extends Presence {
  /** epoch milliseconds, by the broker's clock */
  atMs: number
}

/** The last presence message of each phone. */
export interface Presences {
  find(name: string): SeenPresence | null
  /** Whether the phone's last message is recent and the broker has not reported since that the phone is gone. */
  isOnline(name: string): boolean
  /** Call this when the broker reports that the phone is not connected. The phone is offline until its next message. */
  markGone(name: string): void
  /** Asks the broker which of the phones with a recent message are still connected, at most once a second. Never rejects. */
  check(): Promise<void>
  names(): string[]
  /** Calls the listener with each presence message and the previous one. */
  onSeen(listener: (name: string, seen: SeenPresence, before: SeenPresence | null) => void): void
  close(): void
}

/** The minimum interval between two checks, because each check wakes every phone. */
const CHECK_INTERVAL_MS = 1_000
/** The time limit for the broker's reply to a check. */
const CHECK_TIMEOUT_MS = 2_000
const NO_RESPONDERS = 503

/** Reads the last presence message of each phone, then follows new ones. */
export async function openPresences(link: BrokerLink, clock: Clock, log: Log): Promise<Presences> {
  const { brokerNow, monotonicMs } = clock
  const seen = new Map<string, SeenPresence>()
  const gone = new Set<string>()
  const listeners: Parameters<Presences['onSeen']>[0][] = []
  const onChange = (name: string, value: unknown, atMs: number | null) => {
    if (value === null || firstError(Presence, value) !== null) return
    const before = seen.get(name) ?? null
    const presence = { ...(value as Presence), atMs: atMs ?? brokerNow() }
    seen.set(name, presence)
    gone.delete(name)
    for (const listener of listeners) listener(name, presence, before)
  }
  const bucket = await openBucket(link, { name: PRESENCE_BUCKET, storage: 'memory', onChange, log })
  const isRecent = (name: string) => {
    const last = seen.get(name)
    return last !== undefined && !last.stopping && brokerNow() - last.atMs < FLEET_ONLINE_SECONDS * 1000
  }
  const markGone = (name: string) => void gone.add(name)
  const prefix = `${inboxPrefix(PLANE_CALLER)}.${randomBytes(9).toString('hex')}`
  const inbox = link.nc.subscribe(`${prefix}.*`, {
    callback: (_error, { subject, headers }) => {
      if (headers?.code === NO_RESPONDERS) markGone(subject.slice(prefix.length + 1))
    },
  })
  /** Phones do not reply to these pings: the broker replies for a phone that is not connected. */
  const ping = async () => {
    if (!link.isUp()) return
    for (const name of seen.keys()) {
      if (isRecent(name)) link.nc.publish(`$SRV.PING.${MICRO_NAME}.${name}`, '', { reply: `${prefix}.${name}` })
    }
    await within(
      link.nc.flush().catch(() => {}), // the broker replies to the flush after it has replied to the pings
      CHECK_TIMEOUT_MS,
    )
  }
  let checkedMs = Number.NEGATIVE_INFINITY
  let checked = Promise.resolve()
  return {
    find: (name) => seen.get(name) ?? null,
    isOnline: (name) => isRecent(name) && !gone.has(name),
    markGone,
    check() {
      if (monotonicMs() - checkedMs >= CHECK_INTERVAL_MS) {
        checkedMs = monotonicMs()
        checked = ping()
      }
      return checked
    },
    names: () => [...seen.keys()],
    onSeen: (listener) => void listeners.push(listener),
    close() {
      inbox.unsubscribe()
      bucket.close()
    },
  }
}
