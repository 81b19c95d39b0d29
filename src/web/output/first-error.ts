import type { OutputLine } from './line.ts'
import { readInOrder } from './read-in-order.ts'
import { type FoundLine, searchRun } from './search-run.ts'
import type { ShownOutput } from './shown-output.ts'

/** What a line with an error contains. */
const ERROR = /\b(?:error|fail(?:ed|ure)?|fatal|exception|panic|traceback)\b/i
const namesError = ({ spans }: OutputLine): boolean => ERROR.test(spans.map(({ text }) => text).join(''))

const startOfStderr: FoundLine = { stream: 'stderr', offset: 0, number: 1, count: 1 }

/** Shows the first line of stderr or, without stderr, the first line that names an error; only of the stream that is shown alone. `hasErrors`: whether there is output on stderr. false: no line fits. Throws PhoneError. */
export async function showFirstError(output: ShownOutput, id: string, hasErrors: boolean): Promise<boolean> {
  const { only } = output.options
  const hasStderr = hasErrors && only !== 'stdout'
  if (output.showFirst((line) => (hasStderr ? line.stream === 'stderr' : namesError(line)))) return true
  const around = hasStderr && !only ? await readInOrder(id, null) : null
  if (around) output.showPart(around)
  if (around) return true
  const [first] = hasStderr ? [startOfStderr] : (await searchRun(id, 'error', 1)).lines
  return first !== undefined && (await output.showLine(first)) !== null
}
