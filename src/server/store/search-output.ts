import { type Stream, textPattern } from '../../shared/schema/index.ts'
import { otherOffsets } from './arrival-order.ts'
import type { RunOutput } from './output.ts'

/** Maximum number of bytes that one search reads. */
const MAX_SEARCHED_BYTES = 16_777_216
/** Size of one read. A longer line is searched in pieces of this size. */
const READ_BYTES = 1_048_576
const NEW_LINE = 10

/** A line that contains the text. */
interface MatchingLine {
  /** where the line starts, in bytes of the stream */
  offset: number
  /** the number of lines between the start of the search and this line */
  line: number
  /** how many bytes of both streams arrived before the line */
  arrived: number
  /** how often the line contains the text */
  count: number
}

interface SearchResult {
  matches: MatchingLine[]
  /** the number of complete lines that were searched */
  lines: number
  /** where the next search continues */
  next_offset: number
  /** whether everything that is stored now was searched */
  complete: boolean
}

interface SearchOptions {
  text: string
  /** where to start: 0, or the `next_offset` of an earlier search */
  offset: number
  /** maximum number of matching lines */
  maxLines: number
  /** awaited before each read */
  turn: () => Promise<void>
}

/** Escape sequences and other control characters, except tabs and line breaks. */
const invisible =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\`-~])|[\x00-\x08\x0b-\x1f\x7f]/g

/**
 * Searches the stored bytes of a stream for text, ignoring case, colours and other escape sequences. Stops after `maxLines` matching lines or
 * 16 MiB. Throws what `output.read` throws.
 */
export async function searchOutput(
  output: RunOutput,
  stream: Stream,
  { text, offset, maxLines, turn }: SearchOptions,
): Promise<SearchResult> {
  const search = { wanted: textPattern(text), maxLines, otherAt: otherOffsets(output, stream) }
  const result: SearchResult = { matches: [], lines: 0, next_offset: offset, complete: false }
  await output.read(stream, offset, 1) // throws if there is nothing to search from here
  const end = output.keptBytes(stream)
  const until = Math.min(end, offset + MAX_SEARCHED_BYTES)
  while (result.next_offset < until) {
    await turn()
    const from = result.next_offset
    const bytes = await output.read(stream, from, Math.min(READ_BYTES, end - from))
    const isRest = from + bytes.length === end
    const whole = isRest ? bytes.length : bytes.lastIndexOf(NEW_LINE) + 1 || bytes.length
    if (!searchLines(bytes.subarray(0, whole), search, result)) return result
  }
  return { ...result, complete: result.next_offset === end }
}

interface LineSearch {
  wanted: RegExp
  maxLines: number
  /** where the other stream stood, for ascending offsets */
  otherAt: (offset: number) => number
}

/** Adds the matching lines in `bytes` to the result and moves it forward; false: it has reached `maxLines`, and the rest was not searched. */
function searchLines(bytes: Buffer, { wanted, maxLines, otherAt }: LineSearch, result: SearchResult): boolean {
  const from = result.next_offset
  const text = bytes.toString().replace(invisible, '')
  let [textAt, byteAt] = [0, 0] // where the current line starts, in the text and in the bytes
  for (const { index } of text.matchAll(wanted)) {
    for (let next = text.indexOf('\n', textAt); next >= 0 && next < index; next = text.indexOf('\n', textAt)) {
      textAt = next + 1
      byteAt = bytes.indexOf(NEW_LINE, byteAt) + 1
      result.lines++
    }
    const offset = from + byteAt
    const last = result.matches.at(-1)
    if (last?.offset === offset) last.count++
    else if (result.matches.length === maxLines) {
      result.next_offset = offset
      return false
    } else result.matches.push({ offset, line: result.lines, arrived: offset + otherAt(offset), count: 1 })
  }
  for (let next = bytes.indexOf(NEW_LINE, byteAt); next >= 0; next = bytes.indexOf(NEW_LINE, next + 1)) result.lines++
  result.next_offset = from + bytes.length
  return true
}
