import { firstError, FLEET_ONLINE_SECONDS, Presence, PRESENCE_BUCKET } from '../../../shared/schema/index.ts'
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
  /** Whether the phone's last message is recent. Only a request shows whether the phone responds. */
  isOnline(name: string): boolean
  names(): string[]
  /** Calls the listener with each presence message and the previous one. */
  onSeen(listener: (name: string, seen: SeenPresence, before: SeenPresence | null) => void): void
  close(): void
}

/** Reads the last presence message of each phone, then follows new ones. */
export async function openPresences(link: BrokerLink, { brokerNow }: Clock, log: Log): Promise<Presences> {
  const seen = new Map<string, SeenPresence>()
  const listeners: Parameters<Presences['onSeen']>[0][] = []
  const onChange = (name: string, value: unknown, atMs: number | null) => {
    if (value === null || firstError(Presence, value) !== null) return
    const before = seen.get(name) ?? null
    const presence = { ...(value as Presence), atMs: atMs ?? brokerNow() }
    seen.set(name, presence)
    for (const listener of listeners) listener(name, presence, before)
  }
  const bucket = await openBucket(link, { name: PRESENCE_BUCKET, storage: 'memory', onChange, log })
  return {
    find: (name) => seen.get(name) ?? null,
    isOnline(name) {
      const last = seen.get(name)
      return last !== undefined && !last.stopping && brokerNow() - last.atMs < FLEET_ONLINE_SECONDS * 1000
    },
    names: () => [...seen.keys()],
    onSeen: (listener) => void listeners.push(listener),
    close: bucket.close,
  }
}
