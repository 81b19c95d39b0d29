import { ask } from '../wire.ts'
import { MAX_SEARCHED_BYTES } from './output-limits.ts'
import type { FoundLine } from './search-run.ts'

/**
 * Sorts lines of both streams in the order in which they arrived. Those far from the start of the output remain in the order of their stream,
 * stdout before stderr. Throws PhoneError.
 */
export async function sortLines(id: string, lines: FoundLine[]): Promise<FoundLine[]> {
  const left = {
    stdout: lines.filter(({ stream }) => stream === 'stdout'),
    stderr: lines.filter(({ stream }) => stream === 'stderr'),
  }
  if (left.stdout.length === 0 || left.stderr.length === 0) return lines
  const sorted: FoundLine[] = []
  const run = await ask((phone) => phone.attach(id, { stdout: 0, stderr: 0, observe: true, gaps: 'report' }))
  let readBytes = 0
  for await (const event of run.events()) {
    if (event.type === 'result') break
    if (event.type !== 'output') continue
    const waiting = left[event.stream]
    const begun = waiting.findIndex(({ offset }) => offset >= event.next_offset)
    sorted.push(...waiting.splice(0, begun < 0 ? waiting.length : begun))
    readBytes += event.bytes.length
    if (left.stdout.length + left.stderr.length === 0 || readBytes > MAX_SEARCHED_BYTES) break
  }
  return [...sorted, ...left.stdout, ...left.stderr]
}
