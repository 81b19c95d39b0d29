import type { OutputLine } from './line.ts'
import { markLine } from './mark-line.ts'
import { readInOrder } from './read-in-order.ts'
import type { LoadedOutput } from './loaded-output.ts'
import { type FoundLine, searchRun } from './search-run.ts'
import type { ShownOutput } from './shown-output.ts'

/** What a line with an error contains. */
const ERROR = /\b(?:error|fail(?:ed|ure)?|fatal|exception|panic|traceback)\b/i
const namesError = ({ spans }: OutputLine): boolean => ERROR.test(spans.map(({ text }) => text).join(''))

const startOfStderr: FoundLine = { stream: 'stderr', offset: 0, number: 1, arrived: 0, count: 1 }

/** Shows and marks the first line of stderr or, without stderr, the first line that names an error; only of the stream that is shown alone. false: no line fits. Throws PhoneError. */
export async function showFirstError(output: ShownOutput, id: string, follower: LoadedOutput): Promise<boolean> {
  const hasStderr = follower.used.value.includes('stderr') && follower.only !== 'stdout'
  const line = await (hasStderr ? showStderr(output, id, follower) : showNamed(output, id, follower))
  if (line === null) return false
  if (!output.isClosed) markLine(output, line)
  return true
}

/** Shows the first line of stderr; resolves with its index among the shown lines, or null if it cannot be read. */
async function showStderr(output: ShownOutput, id: string, follower: LoadedOutput): Promise<number | null> {
  const { all, dropped } = output.newest
  const hasStart = follower.missing.value === 0 && follower.start.value.stderr === 0
  const isWhole = hasStart && all[0]!.starts.stdout.lines === dropped // no line of stderr was dropped
  const at = isWhole ? showNewest(output, ({ stream }) => stream === 'stderr') : null
  if (at !== null) return at
  const around = follower.only ? null : await readInOrder(id, { ...startOfStderr, linesAfter: 0 })
  if (!around) return output.showLine(startOfStderr)
  output.display(around, around.line)
  return around.line
}

/** Shows the first line that names an error; resolves with its index among the shown lines; null: no line does. */
async function showNamed(output: ShownOutput, id: string, { single }: LoadedOutput): Promise<number | null> {
  const { firstNumber, dropped } = output.newest
  const at = firstNumber === 1 && dropped === 0 ? showNewest(output, namesError) : null
  if (at !== null) return at
  const [first] = (await searchRun(id, 'error', { only: single(), maxLines: 1 })).lines
  return first ? output.showLine(first) : null
}

/** Shows the first of the newest lines that fits. */
function showNewest(output: ShownOutput, fits: (line: OutputLine) => boolean): number | null {
  const at = output.newest.all.flatMap(({ lines }) => lines).findIndex(fits)
  if (at < 0) return null
  output.display(null, at)
  return at
}
