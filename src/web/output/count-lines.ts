import { get } from '../api.ts'
import { ask } from '../wire.ts'
import type { LoadedOutput } from './loaded-output.ts'
import type { ShownOutput } from './shown-output.ts'
import type { BothOffsets } from './both-positions.ts'
import { type Stream, streams } from './text-style.ts'

/** No line is likely to contain it: a search for it counts lines. */
const NEVER = 'no line of this output contains 7b1c0f5e'

/** Numbers the newest lines of a run that has ended, whose start the page has not loaded. Throws PhoneError. */
export async function numberNewest(
  output: ShownOutput,
  id: string,
  { missing, only, start }: LoadedOutput,
): Promise<void> {
  if (missing.value === 0) output.numberFrom(await firstNumberAfter(id, start.value, only))
}

/**
 * The number of the first line that starts at these offsets or after them, in the whole output or in `only` one stream, neither of which grows any
 * more. Throws PhoneError.
 */
export async function firstNumberAfter(id: string, start: BothOffsets, only: Stream | null): Promise<number> {
  const counts = await Promise.all(
    (only ? [only] : streams).map(async (stream) => {
      if (start[stream] === 0) return 0
      // the service counts the lines while it searches: those of the whole stream, and those from the byte before the offset on
      return (await linesFrom(id, stream, 0)) - (await linesFrom(id, stream, start[stream] - 1)) + 1
    }),
  )
  return counts.reduce((sum, count) => sum + count, 1)
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
