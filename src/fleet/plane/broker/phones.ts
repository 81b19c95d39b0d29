import { isSelected, type Selector, ShellphoneError, toIso } from '../../../shared/schema/index.ts'
import type { Clock } from './clock.ts'
import type { FleetPhone } from './fleet-phone.ts'
import type { Presences } from './presence.ts'
import type { Enrolled, FleetRegistry } from './registry.ts'
import { createDuplicateAlarm } from './duplicate-alarm.ts'
import type { Log } from '../plane-types.ts'

/** The phones of a fleet: their entries in the registry, combined with their presence messages. */
export interface Phones {
  /** sorted by name */
  list(selector: Selector): FleetPhone[]
  /** Returns null if the phone does not exist, was revoked or does not match the selector. */
  find(name: string, selector: Selector): FleetPhone | null
  /** Like `find`, but throws NOT_FOUND. */
  get(name: string, selector: Selector): FleetPhone
  /** Throws PHONE_CONFLICT if two devices use the name. */
  mustBeOne(name: string): void
  /** the id of the phone's home in its last report; undefined: not reported yet */
  homeOf(name: string): string | undefined
  isRevoked(name: string): boolean
  /** Whether the selector matches the phone, even if the phone is revoked. */
  isFor(name: string, selector: Selector): boolean
  /** Clears a conflict that a person has settled. Throws NOT_FOUND. */
  clearConflict(name: string): Promise<void>
  close(): void
}

/** The interval at which `last_seen` is stored for phones that have gone offline. */
const CHECK_MS = 60_000

export function createPhones(registry: FleetRegistry, presences: Presences, { brokerNow }: Clock, log: Log): Phones {
  const enrolled = (name: string) => registry.phones.get(name)
  const isEnrolled = (row: Enrolled | undefined) => row !== undefined && row.revoked_at === null
  const find: Phones['find'] = (name, selector) => {
    const row = enrolled(name)
    if (row === undefined || !isEnrolled(row)) return null
    const phone = toPhone(name, row, presences)
    return isSelected(selector, phone) ? phone : null
  }
  const change = (name: string, change: Partial<Enrolled>) => {
    const row = enrolled(name)
    if (row === undefined)
      throw new ShellphoneError('NOT_FOUND', `No phone has the name ${name}; list phones to find its name`)
    return registry.putPhone(name, { ...row, ...change })
  }
  const alarm = createDuplicateAlarm((name) => {
    log({ phone: name }, 'two devices use one name; it gets no commands until a person settles the conflict')
    change(name, { conflict_since: toIso(brokerNow()) }).catch((error) =>
      log({ phone: name, reason: error.message }, 'cannot store the conflict'),
    )
  })
  presences.onSeen((name, { boot }) => isEnrolled(enrolled(name)) && alarm.check(name, boot))
  const timer = setInterval(() => {
    for (const [name, at] of lastSeenUpdates(registry, presences)) {
      change(name, { last_seen: at }).catch((error) =>
        log({ phone: name, reason: error.message }, 'cannot store when the phone was last seen'),
      )
    }
  }, CHECK_MS).unref()
  return {
    list: (selector) => [...registry.phones.keys()].sort().flatMap((name) => find(name, selector) ?? []),
    find,
    get(name, selector) {
      const phone = find(name, selector)
      if (phone) return phone
      throw new ShellphoneError('NOT_FOUND', `This token can see no phone with the name ${name.slice(0, 60)}`)
    },
    mustBeOne(name) {
      const since = enrolled(name)?.conflict_since
      if (!since) return
      const message = `Two devices have used the name ${name} since ${since}; remove one, then run shellphone fleet phones --settle ${name}`
      throw new ShellphoneError('PHONE_CONFLICT', message)
    },
    homeOf: (name) => presences.find(name)?.home,
    isFor: (name, selector) => isSelected(selector, { name, labels: enrolled(name)?.labels ?? {} }),
    isRevoked: (name) => !isEnrolled(enrolled(name)),
    async clearConflict(name) {
      alarm.forget(name)
      await change(name, { conflict_since: null })
    },
    close: () => clearInterval(timer),
  }
}

function toPhone(name: string, row: Enrolled, presences: Presences): FleetPhone {
  const seen = presences.find(name)
  return {
    name,
    online: presences.isOnline(name),
    last_seen: seen === null ? row.last_seen : toIso(seen.atMs),
    version: seen?.version ?? null,
    labels: row.labels,
    reported_labels: seen?.labels ?? {},
    battery: seen?.battery ?? null,
    running: seen?.running ?? 0,
    queued: seen?.queued ?? 0,
    pending_approvals: seen?.pending_approvals ?? 0,
    conflict_since: row.conflict_since,
  }
}

/** The phones that have gone offline, with the times at which they were last seen, unless these are already stored. Presences are only in memory. */
function lastSeenUpdates({ phones }: FleetRegistry, presences: Presences): [string, string][] {
  return [...phones].flatMap(([name, row]): [string, string][] => {
    const seen = presences.find(name)
    if (row.revoked_at !== null || seen === null || presences.isOnline(name)) return []
    const at = toIso(seen.atMs)
    return row.last_seen !== null && row.last_seen >= at ? [] : [[name, at]]
  })
}
