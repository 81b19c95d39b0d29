import { AccessEvent, firstError, MAX_ACCESS_EVENTS, type TextFile, toIso } from '../../shared/schema/index.ts'
import type { Log } from './access-parts.ts'

/** The file is written again when it has this many lines, so that most events only append one. */
const MAX_LINES = 2 * MAX_ACCESS_EVENTS

/** What a caller says about an event: what happened, and whatever is known about it. */
type NewAccessEvent = Pick<AccessEvent, 'what'> & Partial<Omit<AccessEvent, 'at' | 'what'>>

export interface AccessLog {
  /** Adds an event. If the disk refuses, the event is kept until the service stops. */
  note(event: NewAccessEvent): void
  /** The newest events, newest first. */
  list(limit: number): AccessEvent[]
}

interface AccessLogParts {
  /** access.jsonl in the home directory: one event per line, the oldest first */
  file: TextFile & { append(text: string): void }
  log: Log
  now?(): number
}

/** A log of who paired, who lost access and who answered approval requests. It reads its file when it is first needed. */
export function createAccessLog({ file, log, now = Date.now }: AccessLogParts): AccessLog {
  let known: { events: AccessEvent[]; lines: number } | null = null
  const read = () => (known ??= readEvents(file, log))
  const rewrite = (events: AccessEvent[]) => {
    file.write(events.map(toLine).join(''))
    known = { events, lines: events.length }
  }
  return {
    note(more) {
      const nothing = { token: null, by: null, how: null, from: null, run_id: null, is_saved: false }
      const event: AccessEvent = { at: toIso(now()), ...nothing, ...more }
      const { events, lines } = read()
      const all = [...events, event].slice(-MAX_ACCESS_EVENTS)
      known = { events: all, lines: lines + 1 }
      try {
        if (lines < MAX_LINES) file.append(toLine(event))
        else rewrite(all)
      } catch (error) {
        known.lines = MAX_LINES // the file lacks events, and may end in the middle of a line
        log({ reason: (error as Error).message }, 'access.jsonl cannot be written')
      }
    },
    list: (limit) => read().events.slice(-limit).reverse(),
  }
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
    return { events: valid.slice(-MAX_ACCESS_EVENTS), lines: isWhole ? events.length : MAX_LINES }
  } catch (error) {
    log({ reason: (error as Error).message }, 'access.jsonl cannot be read')
    return { events: [], lines: MAX_LINES }
  }
}

function toEvent(line: string): AccessEvent | null {
  try {
    const event: unknown = JSON.parse(line)
    return firstError(AccessEvent, event) === null ? (event as AccessEvent) : null
  } catch {
    return null
  }
}
