import { firstError, FLEET_ONLINE_SECONDS, Presence, PRESENCE_BUCKET } from '../../../shared/schema/index.ts'
import { openBucket } from './bucket.ts'
import type { Clock } from './clock.ts'
import type { BrokerLink } from './broker-link.ts'
import type { Log } from '../plane-types.ts'

/** A phone's last word of itself. */
interface SeenPresence extends Presence {
  /** epoch milliseconds, by the broker's clock */
  atMs: number
}

/** What phones say of themselves, as this plane has heard it. */
export interface Presences {
  find(name: string): SeenPresence | null
  /** it has spoken lately; whether it listens, only a question tells */
  isOnline(name: string): boolean
  names(): string[]
  /** Every word of a phone, and the one before it. */
  onSeen(listener: (name: string, seen: SeenPresence, before: SeenPresence | null) => void): void
  close(): void
}

/** Listens to what phones say, from the last word of each on. */
export async function openPresences(link: BrokerLink, { brokerNow }: Clock, log: Log): Promise<Presences> {
  const seen = new Map<string, SeenPresence>()
  const listeners: Parameters<Presences['onSeen']>[0][] = []
  const onChange = (name: string, value: unknown, atMs: number | null) => {
    if (value === null || firstError(Presence, value) !== null) return
    const before = seen.get(name) ?? null
    const word = { ...(value as Presence), atMs: atMs ?? brokerNow() }
    seen.set(name, word)
    for (const listener of listeners) listener(name, word, before)
  }
  const bucket = await openBucket(link, { name: PRESENCE_BUCKET, storage: 'memory', onChange, log })
  return {
    find: (name) => seen.get(name) ?? null,
    isOnline(name) {
      const word = seen.get(name)
      return word !== undefined && !word.stopping && brokerNow() - word.atMs < FLEET_ONLINE_SECONDS * 1000
    },
    names: () => [...seen.keys()],
    onSeen: (listener) => void listeners.push(listener),
    close: bucket.close,
  }
}
