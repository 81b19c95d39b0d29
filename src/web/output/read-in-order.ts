import { preferences } from '../local.ts'
import { ask } from '../wire.ts'
import { partWords } from '../words/part-words.ts'
import { type TimedPiece, withTimes } from './arrivals.ts'
import { arrivedBefore, type BothOffsets, positionAt, withBreakBefore } from './both-positions.ts'
import { firstNumberAfter } from './count-lines.ts'
import { BLOCK_LINES, Blocks, type LinePosition } from './line-blocks.ts'
import { createDecoder, NEW_LINE, type OlderPart } from './older.ts'
import { HALF_BYTES, HALF_LINES } from './read-older.ts'
import { type Stream, streams } from './text-style.ts'

/** A position in a stream; its number is not needed. */
type WantedPosition = Pick<LinePosition, 'stream' | 'offset' | 'linesAfter'>
/** A line: the number of lines before it, or where it stands in its stream. */
type WantedLine = number | WantedPosition

const BEGINNING: BothOffsets = { stdout: 0, stderr: 0 }
/** Up to this many bytes before a position, the part starts at the beginning, so that its lines are numbered. */
const MAX_NUMBERED_BYTES = 8_000_000
/** How many bytes to read between two checks whether enough lines were read. */
const SLICE_BYTES = 2048

/**
 * Reads both streams, in the order in which they arrived, around a line. Resolves with null if there is no such line, or if what is before it is no
 * longer stored. Throws PhoneError.
 */
export async function readInOrder(id: string, wanted: WantedLine): Promise<OlderPart | null> {
  const position = typeof wanted === 'number' ? null : wanted
  const { stdout_bytes, stderr_bytes, ended_at } = await ask((phone) => phone.record(id))
  const sizes = { stdout: stdout_bytes, stderr: stderr_bytes }
  const start = position ? await startBefore(id, position, sizes) : BEGINNING
  const reading = new Reading(start, position, typeof wanted === 'number' ? wanted : null)
  const from = withBreakBefore(start, sizes)
  const run = await ask((phone) => phone.attach(id, { ...from, observe: true, gaps: 'report' }))
  for await (const event of run.events()) {
    if (event.type === 'gap' || event.type === 'result') break
    if (event.type !== 'output') continue
    const { stream, offset, bytes } = event
    for (const piece of withTimes(id, stream, bytes, offset)) reading.take(stream, piece)
    if (reading.isDone() || reading.isAtEnd(sizes)) break
  }
  const { blocks } = reading
  const line = reading.wantedLine()
  if (line === null) return null
  const isFromStart = arrivedBefore(start) === 0
  const isNumbered = preferences.lineNumbers.value === 'on' && ended_at !== null
  if (!isFromStart) blocks.firstNumber = isNumbered ? await firstNumberAfter(id, start, null) : null
  const isStdoutRead = reading.read.stdout >= sizes.stdout && reading.read.stderr < sizes.stderr
  const stream = isStdoutRead ? 'stderr' : 'stdout'
  const isLast = reading.isAtEnd(sizes)
  return { blocks, stream, line, to: reading.read[stream], isLast, text: partWords.both }
}

/** Where to start to read: some bytes before the position, or the beginning of the output if that is near. */
async function startBefore(id: string, { stream, offset }: WantedPosition, sizes: BothOffsets): Promise<BothOffsets> {
  const isNear = (place: BothOffsets) => arrivedBefore(place) <= MAX_NUMBERED_BYTES
  if (isNear(sizes) || isNear(await positionAt(id, stream, offset))) return BEGINNING
  return positionAt(id, stream, Math.max(0, offset - HALF_BYTES))
}

/** Takes pieces of both streams until there are enough lines after the wanted one. */
class Reading {
  readonly blocks = new Blocks()
  /** up to where each stream was read */
  readonly read: BothOffsets
  readonly #decoders = {
    stdout: createDecoder('stdout', this.blocks),
    stderr: createDecoder('stderr', this.blocks),
  }
  readonly #isInLine = { stdout: false, stderr: false }
  /** whether the first line is incomplete, so that it is skipped */
  readonly #isCut: Record<Stream, boolean>

  /** `line`: the index of the wanted line; null: not yet known */
  constructor(
    start: BothOffsets,
    readonly position: WantedPosition | null,
    private line: number | null,
  ) {
    this.read = { ...start }
    this.#isCut = { stdout: start.stdout > 0, stderr: start.stderr > 0 }
    for (const stream of streams) this.blocks.setOffset(stream, start[stream])
  }

  isDone(): boolean {
    const { position, line, blocks } = this
    const linesAfter = (position?.linesAfter ?? 0) + HALF_LINES
    if (line === null) return false
    const mayDropIt = blocks.isFull && line - blocks.dropped < BLOCK_LINES
    return mayDropIt || (blocks.count > line + linesAfter && !this.#isInLine.stdout && !this.#isInLine.stderr)
  }

  /** Whether everything was read that there was; a live run may print no more. */
  isAtEnd({ stdout, stderr }: BothOffsets): boolean {
    return this.read.stdout >= stdout && this.read.stderr >= stderr
  }

  take(stream: Stream, { bytes, offset, receivedMs }: TimedPiece): void {
    const { position, blocks } = this
    blocks.receivedMs = receivedMs
    const target = position?.stream === stream ? position.offset : null
    for (let at = this.#skipped(stream, bytes); at < bytes.length && !this.isDone();) {
      // a line that was skipped as incomplete may contain the target
      if (target !== null && offset + at >= target) this.line ??= blocks.count - (this.#isInLine[stream] ? 1 : 0)
      const isBefore = target !== null && offset + at < target
      const slice = sliceOf(isBefore ? bytes.subarray(0, target - offset) : bytes, at)
      blocks.setOffset(stream, offset + at)
      this.#decoders[stream](slice)
      at += slice.length
      this.read[stream] = offset + at
      this.#isInLine[stream] = slice.at(-1) !== NEW_LINE
    }
  }

  /** How many bytes at the start belong to an incomplete first line. */
  #skipped(stream: Stream, bytes: Uint8Array): number {
    if (!this.#isCut[stream]) return 0
    const end = bytes.indexOf(NEW_LINE) + 1
    this.#isCut[stream] = end === 0
    return end === 0 ? bytes.length : end
  }

  /** The index of the wanted line among those that are still here; null: it is not among them. */
  wantedLine(): number | null {
    const { line, position } = this
    const { all, dropped, count } = this.blocks
    if (line === null || line >= count || line < dropped) return null
    let at = line - dropped
    const lines = all.flatMap(({ lines }) => lines)
    for (let left = position?.linesAfter ?? 0; left > 0 && at < lines.length - 1;) {
      if (lines[++at]!.stream === position!.stream) left--
    }
    return at
  }
}

/** The next bytes: whole lines, or a part of a long one. */
function sliceOf(bytes: Uint8Array, at: number): Uint8Array {
  const end = bytes.lastIndexOf(NEW_LINE, at + SLICE_BYTES - 1) + 1
  return bytes.subarray(at, end > at ? end : at + SLICE_BYTES)
}
