import { AccessEvent, firstError, MAX_ACCESS_EVENTS, type TextFile, toIso } from '../../shared/schema/index.ts'
import { toOwner } from '../../http/index.ts'
import type { Log } from './access-parts.ts'

/** The file is written again when it has this many lines, so that most events only append one. */
const MAX_LINES = 2 * MAX_ACCESS_EVENTS
/** The log keeps the failed sign-ins of this many addresses, so that nobody can push the other events out. */
const MAX_FAILED = 100
/** A failed sign-in within this time after the one before from the same address counts as part of the same event. */
const FAILED_GAP_MS = 3_600_000

/** What a caller says about an event: what happened, and whatever is known about it. */
type NewAccessEvent = Pick<AccessEvent, 'what'> & Partial<Omit<AccessEvent, 'at' | 'what'>>

export interface AccessLog {
  /** Adds an event. If the disk refuses, the event is kept until the service stops. */
  note(event: NewAccessEvent): void
  /** Counts a failed sign-in. The file gets the count when it doubles, so that an attacker cannot wear out the disk. */
  noteFailure(what: FailedSignIn, from: string): void
  /** The newest events, newest first. */
  list(limit: number): AccessEvent[]
}

type FailedSignIn = 'wrong_token' | 'wrong_code'

interface AccessLogParts {
  /** access.jsonl in the home directory: one event per line, the oldest first */
  file: TextFile & { append(text: string): void }
  log: Log
  now?(): number
}

const unknown = {
  ...{ token: null, by: null, how: null, from: null, run_id: null },
  ...{ is_saved: false, rights: null, attempts: null },
}

/** A log of who paired, who lost access and who answered approval requests. It reads its file when it is first needed. */
export function createAccessLog({ file, log, now = Date.now }: AccessLogParts): AccessLog {
  let known: { events: AccessEvent[]; lines: number } | null = null
  const read = () => (known ??= readEvents(file, log))
  const rewrite = (events: AccessEvent[]) => {
    file.write(events.map(toLine).join(''))
    known = { events, lines: events.length }
  }
  const add = (event: AccessEvent) => {
    const { events, lines } = read()
    const all = withEvent(events, event)
    const isForFile = isPowerOfTwo(event.attempts ?? 1)
    known = { events: all, lines: isForFile ? lines + 1 : lines }
    if (!isForFile) return
    try {
      if (lines < MAX_LINES) file.append(toLine(event))
      else rewrite(all)
    } catch (error) {
      known.lines = MAX_LINES // the file lacks events, and may end in the middle of a line
      log({ reason: (error as Error).message }, 'access.jsonl cannot be written')
    }
  }
  return {
    note: (more) => add({ at: toIso(now()), ...unknown, ...more }),
    noteFailure(what, from) {
      const before = read().events.findLast((event) => isSameFailure(event, { what, from }))
      const isRecent = before !== undefined && now() - Date.parse(before.at) <= FAILED_GAP_MS
      add({
        at: toIso(now()),
        ...unknown,
        what,
        from,
        attempts: isRecent ? before.attempts! + 1 : 1,
      })
    },
    list: (limit) => read().events.slice(-limit).reverse(),
  }
}

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0

const isSameFailure = (event: AccessEvent, { what, from }: Pick<AccessEvent, 'what' | 'from'>): boolean =>
  event.attempts !== null && event.what === what && toOwner(event.from ?? '') === toOwner(from ?? '')

/** The events with one more. A further failed sign-in from an address replaces the event of the one before. */
function withEvent(events: AccessEvent[], event: AccessEvent): AccessEvent[] {
  const { attempts } = event
  const replaced = attempts === null || attempts === 1 ? -1 : events.findLastIndex((one) => isSameFailure(one, event))
  const others = replaced < 0 ? events : events.toSpliced(replaced, 1)
  const isTooMany = attempts !== null && others.filter((one) => one.attempts !== null).length >= MAX_FAILED
  const oldest = isTooMany ? others.findIndex((one) => one.attempts !== null) : -1
  return [...(oldest < 0 ? others : others.toSpliced(oldest, 1)), event].slice(-MAX_ACCESS_EVENTS)
}

const toLine = (event: AccessEvent): string => `${JSON.stringify(event)}\n`

/** The events in the file. Damaged lines are left out and reported; the next event then writes the file again. */
function readEvents(file: TextFile, log: Log): { events: AccessEvent[]; lines: number } {
  try {
    const text = file.read() ?? ''
    const lines = text.split('\n')
    const rest = lines.pop()!
    const events = [...lines, ...(rest === '' ? [] : [rest])].map(toEvent)
    const valid = events.filter((event) => event !== null)
    const damaged = events.length - valid.length
    if (damaged > 0) log({ damaged }, 'access.jsonl: damaged lines are ignored')
    const isWhole = damaged === 0 && rest === ''
    return {
      events: valid.reduce(withEvent, [] as AccessEvent[]),
      lines: isWhole ? events.length : MAX_LINES,
    }
  } catch (error) {
    log({ reason: (error as Error).message }, 'access.jsonl cannot be read')
    return { events: [], lines: MAX_LINES }
  }
}

function toEvent(line: string): AccessEvent | null {
  try {
    const event: unknown = { ...unknown, ...JSON.parse(line) } // older versions wrote fewer fields
    return firstError(AccessEvent, event) === null ? (event as AccessEvent) : null
  } catch {
    return null
  }
}
