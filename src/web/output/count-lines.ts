import { get } from '../api.ts'
import { ask } from '../wire.ts'
import type { RunFollower } from './run-follower.ts'
import type { ShownOutput } from './shown-output.ts'
import { hasStartOfStderr } from './stderr-start.ts'
import type { Stream } from './text-style.ts'

/** No line is likely to contain it: a search for it counts lines. */
const NEVER = 'no line of this output contains 7b1c0f5e'

/**
 * Numbers the newest lines of a run that has ended, whose start the page has not loaded, if the lines before them can be counted: those of the only
 * stream that is shown, or those of stdout before all of stderr. Throws PhoneError.
 */
export async function numberNewest(output: ShownOutput, id: string, follower: RunFollower): Promise<void> {
  const isBeforeStderr = hasStartOfStderr(follower) && output.newest.first === 'stdout'
  const stream = follower.single() ?? (isBeforeStderr ? 'stdout' : null)
  if (stream && follower.missing.value === 0)
    output.numberFrom(await numberAfterOffset(id, stream, follower.skipped.value))
}

/**
 * The number of the first line that starts after the byte at `offset`, in a stream that no longer grows. The service counts the lines while it
 * searches: those of the whole stream, and those from `offset` on. Throws PhoneError.
 */
async function numberAfterOffset(id: string, stream: Stream, offset: number): Promise<number> {
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
