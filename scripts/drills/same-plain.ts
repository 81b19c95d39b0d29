/** What scripts/drills/drill-same.ts compares: answers without what differs from one run of a service to the next. */

/** A ULID, the name of a question as a note tells it, or the name that Meka's tool gives to what it keeps. */
const ID =
  /\b[0-7][0-9a-hjkmnp-tv-z]{25}\b|(?<=\bapprovals approve )[0-9a-z]{16}\b|\bexecute_command_[0-9a-z]{6}_\d+\b/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
/** Fields that measure or name a moment; whether they are numbers, texts or null is compared. */
const MEASURED = /(_ms|_at|^uptime_seconds|^memory_bytes|^nonce|^survivors)$/

/** Fields that hold an id which is no ULID. */
const NAMING = /^(id|saved_rule)$/
const DURATION = /\b\d+(\.\d+)?( ?ms)\b|(?<="duration_ms": )\d+/g

/** Turns answers of one service into what must be equal in both: ids are numbered as they come, `base` is its folder. */
export function createPlain(base: string): (value: unknown) => unknown {
  const ids = new Map<string, string>()
  const idName = (id: string) => {
    if (!ids.has(id)) ids.set(id, `ID${ids.size + 1}`)
    return ids.get(id)!
  }
  const text = (value: string): string => {
    const short = value.replaceAll(base, 'BASE').replace(ID, idName).replace(TIME, 'TIME').replace(DURATION, 'N$2')
    return [...ids.keys()].reduce((all, id) => all.replaceAll(id, idName(id)), short)
  }
  const ofBase64 = (value: string): string => {
    if (value.length < 32 || !/^([\w+/]{4})+(\w{2}==|\w{3}=)?$/.test(value)) return text(value)
    const bytes = Buffer.from(value, 'base64').toString('latin1')
    return text(bytes) === bytes ? text(value) : text(bytes)
  }
  const plain = (value: unknown, key = ''): unknown => {
    if (MEASURED.test(key) && value !== null) return typeof value
    if (typeof value === 'string') return NAMING.test(key) && value !== '' ? idName(value) : ofBase64(value)
    if (Array.isArray(value)) return value.map((item) => plain(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item, name)]))
  }
  return plain
}

/** Where two plain answers differ: the path of each differing leaf (list positions as `*`), and both values. */
function* differences(old: unknown, now: unknown, path = ''): Generator<[string, unknown, unknown]> {
  if (typeof old !== 'object' || typeof now !== 'object' || old === null || now === null) {
    if (old !== now) yield [path, old, now]
    return
  }
  if (Array.isArray(old) && Array.isArray(now) && old.length !== now.length) return yield [`${path}.length`, old, now]
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  for (const name of names) {
    const [one, other] = [old, now].map((side) => (side as Record<string, unknown>)[name])
    yield* differences(one, other, `${path}.${Array.isArray(old) ? '*' : name}`)
  }
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** Differences by shape, with the first examples of each. */
export function createReport(maxExamples: number) {
  const groups = new Map<string, { count: number; examples: string[] }>()
  const short = (value: unknown, from = 0) => {
    const text = JSON.stringify(typeof value === 'string' && from > 0 ? `… ${value.slice(from)}` : value) ?? 'nothing'
    return text.length > 300 ? `${text.slice(0, 200)} … ${text.slice(-80)}` : text
  }
  return {
    /** Compares two answers to one request; true when they are the same. */
    compare(about: string, request: unknown, old: unknown, now: unknown): boolean {
      const found = [...differences(old, now)]
      for (const [path, one, other] of found) {
        const group = groups.get(`${about} ${path}`) ?? { count: 0, examples: [] }
        groups.set(`${about} ${path}`, group)
        group.count += 1
        if (group.examples.length >= maxExamples) continue
        const from = typeof one === 'string' && typeof other === 'string' ? firstDifference(one, other) - 60 : 0
        group.examples.push(`  asked ${short(request)}\n    old ${short(one, from)}\n    new ${short(other, from)}`)
      }
      return found.length === 0
    },
    print(): void {
      for (const [shape, { count, examples }] of groups) console.log(`! ${shape}: ${count}\n${examples.join('\n')}`)
    },
  }
}
