import type { RunRecord } from '../../sdk/index.ts'
import type { OutputLine } from './line.ts'
import { searchRun } from './search-run.ts'
import type { ShownOutput } from './shown-output.ts'

/** What a line with an error contains. */
const ERROR = /\b(?:error|fail(?:ed|ure)?|fatal|exception|panic|traceback)\b/i
const namesError = ({ spans }: OutputLine): boolean => ERROR.test(spans.map(({ text }) => text).join(''))

/** Shows the first line of stderr or, without stderr, the first line that names an error; false: no line fits. Throws PhoneError. */
export async function showFirstError(output: ShownOutput, { id, stderr_bytes }: RunRecord): Promise<boolean> {
  const hasStderr = stderr_bytes > 0
  if (output.showFirst((line) => (hasStderr ? line.stream === 'stderr' : namesError(line)))) return true
  const first = hasStderr ? { stream: 'stderr' as const, offset: 0 } : (await searchRun(id, 'error', 1)).lines[0]
  return first !== undefined && (await output.showLine(first.stream, first.offset)) !== null
}
