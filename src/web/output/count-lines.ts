import { get } from '../api.ts'
import { ask } from '../wire.ts'
import type { Stream } from './text-style.ts'

/** No line is likely to contain it: a search for it counts lines. */
const NEVER = 'no line of this output contains 7b1c0f5e'

/**
 * The number of the first line that starts after the byte at `offset`, in a stream that no longer grows. The service counts the lines while it
 * searches: those of the whole stream, and those from `offset` on. Throws PhoneError.
 */
export async function numberAfterOffset(id: string, stream: Stream, offset: number): Promise<number> {
  const all = await linesFrom(id, stream, 0)
  return all - (await linesFrom(id, stream, offset)) + 2 // the line that contains the byte is the first of the second count
}

async function linesFrom(id: string, stream: Stream, start: number): Promise<number> {
  let lines = 0
  for (let offset = start, isComplete = false; !isComplete;) {
    const query = new URLSearchParams({ q: NEVER, stream, offset: String(offset) })
    const found = await ask(get<Counted>(`/runs/${encodeURIComponent(id)}/matches?${query}`))
    lines += found.lines
    offset = found.next_offset
    isComplete = found.complete
  }
  return lines
}

interface Counted {
  lines: number
  next_offset: number
  complete: boolean
}
