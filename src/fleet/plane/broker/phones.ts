import { isSelected, type Selector, ShellphoneError, toIso } from '../../../shared/schema/index.ts'
import type { Clock } from './clock.ts'
import type { Presences } from './presence.ts'
import type { Enrolled, FleetRegistry } from './registry.ts'
import { createDuplicateAlarm } from './duplicate-alarm.ts'
import type { Log } from '../plane-types.ts'

/** A phone as GET /phones tells of it. */
export interface PhoneRow {
  name: string
  online: boolean
  last_seen: string | null
  version: string | null
  /** given by people: selectors go by these alone */
  labels: Record<string, string>
  /** what the phone says of itself, for people to see */
  reported_labels: Record<string, string>
  battery: number | null
  running: number
  queued: number
  pending_approvals: number
  /** two devices use this name, since then */
  conflict_since: string | null
}

/** The phones of a fleet: what people said of them and what they say of themselves, in one. */
export interface Phones {
  /** in the order of their names */
  list(selector: Selector): PhoneRow[]
  /** null: there is none, or it was revoked, or `selector` means it not */
  find(name: string, selector: Selector): PhoneRow | null
  /** The same; NOT_FOUND where there is none. */
  get(name: string, selector: Selector): PhoneRow
  /** PHONE_CONFLICT where two devices use the name */
  mustBeOne(name: string): void
  /** of its keys, as it said last */
  homeOf(name: string): string | undefined
  isRevoked(name: string): boolean
  /** Whether a token with this selector is for that phone, enrolled or revoked. */
  isFor(name: string, selector: Selector): boolean
  /** A person has decided. NOT_FOUND. */
  clearConflict(name: string): Promise<void>
  close(): void
}

/** How often it is looked who has fallen silent. */
const LOOK_MS = 60_000

export function createPhones(registry: FleetRegistry, presences: Presences, { brokerNow }: Clock, log: Log): Phones {
  const enrolled = (name: string) => registry.phones.get(name)
  const isIn = (row: Enrolled | undefined) => row !== undefined && row.revoked_at === null
  const find: Phones['find'] = (name, selector) => {
    const row = enrolled(name)
    if (row === undefined || !isIn(row)) return null
    const phone = toPhone(name, row, presences)
    return isSelected(selector, phone) ? phone : null
  }
  const change = (name: string, change: Partial<Enrolled>) => {
    const row = enrolled(name)
    if (row === undefined) throw new ShellphoneError('NOT_FOUND', `No phone has the name ${name}`)
    return registry.putPhone(name, { ...row, ...change })
  }
  const alarm = createDuplicateAlarm((name) => {
    log({ phone: name }, 'two devices use one name: it is not asked until a person decides')
    change(name, { conflict_since: toIso(brokerNow()) }).catch((error) =>
      log({ reason: error.message }, 'not written down'),
    )
  })
  presences.onSeen((name, { boot }) => isIn(enrolled(name)) && alarm.hear(name, boot))
  const timer = setInterval(() => {
    for (const [name, at] of fallenSilent(registry, presences)) {
      change(name, { last_seen: at }).catch((error) => log({ reason: error.message }, 'not written down'))
    }
  }, LOOK_MS).unref()
  return {
    list: (selector) => [...registry.phones.keys()].sort().flatMap((name) => find(name, selector) ?? []),
    find,
    get(name, selector) {
      const phone = find(name, selector)
      if (phone) return phone
      throw new ShellphoneError('NOT_FOUND', `No phone has the name ${name.slice(0, 60)}, for this token`)
    },
    mustBeOne(name) {
      const since = enrolled(name)?.conflict_since
      if (!since) return
      const message = `Two devices use the name ${name} since ${since}: retire one, then shellphone fleet phones --settle ${name}`
      throw new ShellphoneError('PHONE_CONFLICT', message)
    },
    homeOf: (name) => presences.find(name)?.home,
    isFor: (name, selector) => isSelected(selector, { name, labels: enrolled(name)?.labels ?? {} }),
    isRevoked: (name) => !isIn(enrolled(name)),
    async clearConflict(name) {
      alarm.forget(name)
      await change(name, { conflict_since: null })
    },
    close: () => clearInterval(timer),
  }
}

function toPhone(name: string, row: Enrolled, presences: Presences): PhoneRow {
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

/** Who is silent for long, and when it spoke last, where that is not written down: presences are in memory alone. */
function fallenSilent({ phones }: FleetRegistry, presences: Presences): [string, string][] {
  return [...phones].flatMap(([name, row]): [string, string][] => {
    const seen = presences.find(name)
    if (row.revoked_at !== null || seen === null || presences.isOnline(name)) return []
    const at = toIso(seen.atMs)
    return row.last_seen !== null && row.last_seen >= at ? [] : [[name, at]]
  })
}
