import { ask } from '../wire.ts'
import { partWords } from '../words/part-words.ts'
import { withTimes } from './arrivals.ts'
import { Blocks, type LinePosition } from './line-blocks.ts'
import { createDecoder, NEW_LINE, type OlderPart } from './older.ts'
import { MAX_SEARCHED_BYTES } from './output-limits.ts'
import { HALF_LINES } from './read-older.ts'

/** A line: the number of lines before it, or where it stands in its stream. */
type WantedLine = number | Pick<LinePosition, 'stream' | 'offset' | 'linesAfter'>

/** How many bytes to read between two checks whether enough lines were read. */
const SLICE_BYTES = 2048

/**
 * Reads both streams, in the order in which they arrived, from the start to some lines after this one. Resolves with null if there is no such
 * line, if it is too far from the start, or if what is before it is no longer stored. Throws PhoneError.
 */
export async function readInOrder(id: string, wanted: WantedLine): Promise<OlderPart | null> {
  const position = typeof wanted === 'number' ? null : wanted
  if (position && position.offset > MAX_SEARCHED_BYTES) return null
  const blocks = new Blocks()
  const decoders = {
    stdout: createDecoder('stdout', blocks),
    stderr: createDecoder('stderr', blocks),
  }
  const { stdout_bytes, stderr_bytes } = await ask((phone) => phone.record(id))
  const run = await ask((phone) => phone.attach(id, { stdout: 0, stderr: 0, observe: true, gaps: 'report' }))
  const read = { stdout: 0, stderr: 0 }
  const isInLine = { stdout: false, stderr: false }
  let line = typeof wanted === 'number' ? wanted : null
  const linesAfter = position?.linesAfter ?? 0
  const isDone = () =>
    line !== null && blocks.count > line + linesAfter + HALF_LINES && !isInLine.stdout && !isInLine.stderr
  /** of what there was: a live run may print no more */
  const isAtEnd = () => read.stdout >= stdout_bytes && read.stderr >= stderr_bytes
  for await (const event of run.events()) {
    if (event.type === 'gap' || event.type === 'result') break
    if (event.type !== 'output') continue
    const { stream, offset } = event
    const target = position?.stream === stream ? position.offset : null
    for (const { bytes, offset: from, receivedMs } of withTimes(id, stream, event.bytes, offset)) {
      blocks.receivedMs = receivedMs
      for (let at = 0; at < bytes.length && !isDone();) {
        if (from + at === target) line ??= blocks.count - (isInLine[stream] ? 1 : 0)
        const isBefore = target !== null && from + at < target
        const slice = sliceOf(isBefore ? bytes.subarray(0, target - from) : bytes, at)
        blocks.setOffset(stream, from + at)
        decoders[stream](slice)
        at += slice.length
        read[stream] = from + at
        isInLine[stream] = slice.at(-1) !== NEW_LINE
      }
    }
    if (isDone() || isAtEnd() || (line === null && read.stdout + read.stderr > MAX_SEARCHED_BYTES)) break
  }
  if (line === null || line >= blocks.count || line < blocks.dropped) return null
  const isStdoutRead = read.stdout >= stdout_bytes && read.stderr < stderr_bytes
  const stream = isStdoutRead ? 'stderr' : 'stdout'
  return {
    blocks,
    stream,
    line: lineAfter(blocks, line - blocks.dropped, position),
    to: read[stream],
    isLast: isAtEnd(),
    text: partWords.both,
    isAlone: false,
  }
}

/** The index of the line that stands `linesAfter` lines of its stream after the one with this index. */
function lineAfter({ all }: Blocks, index: number, position: Exclude<WantedLine, number> | null): number {
  let at = index
  const lines = all.flatMap(({ lines }) => lines)
  for (let left = position?.linesAfter ?? 0; left > 0 && at < lines.length - 1;) {
    if (lines[++at]!.stream === position!.stream) left--
  }
  return at
}

/** The next bytes: whole lines, or a part of a long one. */
function sliceOf(bytes: Uint8Array, at: number): Uint8Array {
  const end = bytes.lastIndexOf(NEW_LINE, at + SLICE_BYTES - 1) + 1
  return bytes.subarray(at, end > at ? end : at + SLICE_BYTES)
}
