import { get } from '../api.ts'
import { ask } from '../wire.ts'
import { type Stream, streams } from './text-style.ts'

/** Limits of one search: lines, and requests, each of which searches 16 MiB. */
const MAX_LINES = 1000
const MAX_REQUESTS = 64

/** A line of a stream that contains the text `count` times; `number`: which line of the stream it is, counted from 1. */
export interface FoundLine {
  stream: Stream
  offset: number
  number: number
  count: number
}

interface Matches {
  /** `line`: the number of lines between the start of the search and this line */
  matches: { offset: number; line: number; count: number }[]
  /** how many lines were searched */
  lines: number
  next_offset: number
  complete: boolean
}

/**
 * Searches everything that the service stores of a run, or `only` one of its streams, stdout before stderr, until it has found `maxLines` lines.
 * `isAll`: nothing is left to search. Throws PhoneError.
 */
export async function searchRun(
  id: string,
  text: string,
  only: Stream | null = null,
  maxLines = MAX_LINES,
): Promise<{ lines: FoundLine[]; isAll: boolean }> {
  const lines: FoundLine[] = []
  let requests = 0
  for (const stream of only ? [only] : streams) {
    let before = 0
    for (let offset = 0, isComplete = false; !isComplete;) {
      if (lines.length >= maxLines || ++requests > MAX_REQUESTS) return { lines, isAll: false }
      const query = new URLSearchParams({
        q: text,
        stream,
        offset: String(offset),
        limit: String(maxLines),
      })
      const found = await ask(get<Matches>(`/runs/${encodeURIComponent(id)}/matches?${query}`))
      for (const { line, ...match } of found.matches) lines.push({ ...match, stream, number: before + line + 1 })
      before += found.lines
      offset = found.next_offset
      isComplete = found.complete
    }
  }
  return { lines, isAll: true }
}
