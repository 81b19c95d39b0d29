import { get } from '../api.ts'
import { ask } from '../wire.ts'
import type { BothOffsets } from './both-positions.ts'
import { type Stream, streams } from './text-style.ts'

/** Limits of one search in a stream: lines, and requests, each of which searches 16 MiB. */
const MAX_LINES = 10_000
const MAX_REQUESTS = 64
/** Lines in one response. */
const MAX_LISTED = 1000

/** A line of a stream that contains the text `count` times. */
export interface FoundLine {
  stream: Stream
  offset: number
  /** which line it is, counted from 1 where the search started in the stream; null: unknown */
  number: number | null
  /** how many bytes of both streams arrived before it */
  arrived: number
  count: number
}

interface Matches {
  /** `line`: the number of lines between the start of the search and this line */
  matches: { offset: number; line: number; arrived: number; count: number }[]
  /** how many lines were searched */
  lines: number
  next_offset: number
  complete: boolean
}

interface SearchRange {
  /** the only stream to search; default: both */
  only?: Stream | null
  /** where to start; default: at the beginning */
  from?: BothOffsets
  maxLines?: number
}

/** What was found. `isAll`: nothing is left to search. */
export interface FoundLines {
  lines: FoundLine[]
  isAll: boolean
}

/** Searches what the service stores of a run, until it has found `maxLines` lines of a stream; lines are in the order of arrival. Throws PhoneError. */
export async function searchRun(id: string, text: string, range: SearchRange = {}): Promise<FoundLines> {
  const { only = null, from = { stdout: 0, stderr: 0 }, maxLines = MAX_LINES } = range
  const found = await Promise.all(
    (only ? [only] : streams).map((stream) => searchStream(id, text, { stream, start: from[stream], maxLines })),
  )
  const lines = found.flatMap((one) => one.lines).sort((a, b) => a.arrived - b.arrived)
  const ends = found.filter(({ isAll }) => !isAll).map((one) => one.lines.at(-1)?.arrived ?? 0)
  // after the last found line of a stream that was not searched to its end, matches are missing
  const end = Math.min(...ends)
  return { lines: lines.filter(({ arrived }) => arrived <= end), isAll: ends.length === 0 }
}

interface StreamRange {
  stream: Stream
  start: number
  maxLines: number
}

async function searchStream(id: string, text: string, { stream, start, maxLines }: StreamRange): Promise<FoundLines> {
  const lines: FoundLine[] = []
  let before = 0
  let requests = 0
  for (let offset = start, isComplete = false; !isComplete;) {
    if (lines.length >= maxLines || ++requests > MAX_REQUESTS) return { lines, isAll: false }
    const limit = String(Math.min(maxLines - lines.length, MAX_LISTED))
    const query = new URLSearchParams({ q: text, stream, offset: String(offset), limit })
    const found = await ask(get<Matches>(`/runs/${encodeURIComponent(id)}/matches?${query}`))
    for (const { line, ...match } of found.matches) lines.push({ ...match, stream, number: before + line + 1 })
    before += found.lines
    offset = found.next_offset
    isComplete = found.complete
  }
  return { lines, isAll: true }
}
