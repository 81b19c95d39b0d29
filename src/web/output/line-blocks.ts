import { OutputLine } from './line.ts'
import { countLinks } from './links.ts'
import { PLAIN, type Stream, streams } from './text-style.ts'
import type { LineSink } from './reader.ts'

export const BLOCK_LINES = 100

/** Upper bounds on blocks, DOM nodes and characters in memory. Beyond them, the oldest block is dropped. */
interface BlockLimits {
  blocks: number
  nodes: number
  characters: number
}

const LIMITS: BlockLimits = { blocks: 50, nodes: 12_000, characters: 4_000_000 }

/** Lines that are drawn and dropped together. */
export interface Block {
  lines: OutputLine[]
  nodes: number
  characters: number
  /** where the next line of each stream stands */
  starts: Record<Stream, StreamStart>
  /** whether the lines changed after they were last drawn */
  isStale: boolean
}

/** Where a line stands in a stream. */
interface StreamStart {
  /** an offset in the stream, at or before the line */
  offset: number
  /** how many lines lie between that offset and the line */
  linesAfter: number
  /** how many complete lines of the stream are before it */
  lines: number
}

/** A position in a stream: the line that contains the byte at `offset`, plus `linesAfter` lines. */
export interface LinePosition {
  stream: Stream
  offset: number
  linesAfter: number
  /** which line of the stream that is, counted from 1; null: unknown */
  number: number | null
}

/** A line as the address of the page names it. */
export interface LineAddress {
  /** counted from 1 */
  number: number
  /** the stream in which it is counted; null: the whole output */
  stream: Stream | null
}

/**
 * The newest lines of an output in blocks, in the order in which the lines began. A stream continues its own unfinished line, even if the
 * other stream has begun a line in the meantime.
 */
export class Blocks {
  readonly all: Block[] = [newBlock({ stdout: ZERO, stderr: ZERO })]
  /** the number of the first line, counted from 1; null: unknown, because earlier output was not read */
  firstNumber: number | null = 1
  /** how many lines were dropped */
  dropped = 0
  /** when the page received the next text, in epoch milliseconds; null: the text is older than this page, and the service stores no times */
  receivedMs: number | null = null
  /** whether a line has no time, and whether one has */
  hasUntimed = false
  hasTimed = false
  /** the stream in which the lines are numbered; null: in the whole output */
  numberedIn: Stream | null = null
  /** the stream of the first line */
  first: Stream | null = null
  /** whether there are lines of both streams, so that a line's number is not its number in its stream */
  isMixed = false
  /** whether a line was too long to store */
  isCut = false
  #nodes = 0
  #characters = 0
  #begun = 0
  /** for each stream, an offset, how many of its lines were complete there, and how many are now */
  readonly #anchors = { stdout: { offset: 0, lines: 0 }, stderr: { offset: 0, lines: 0 } }
  readonly #complete = { stdout: 0, stderr: 0 }
  readonly #open: Partial<Record<Stream, { line: OutputLine; block: Block }>> = {}

  constructor(readonly limits: BlockLimits = LIMITS) {}

  get #last(): Block {
    return this.all.at(-1)!
  }

  /** How many lines there were in total; an unfinished line counts only if it is not empty. */
  get count(): number {
    return this.#begun - Object.values(this.#open).filter(({ line }) => line.length === 0).length
  }

  /** Records that the next text starts at this offset of its stream. */
  setOffset(stream: Stream, offset: number): void {
    const lines = this.#complete[stream]
    this.#anchors[stream] = { offset, lines }
    const isFirst = lines === 0 && !this.#open[stream]
    if (isFirst) for (const { starts } of this.all) starts[stream] = { ...ZERO, offset }
  }

  /** Marks the blocks with unfinished lines as changed. */
  touch(): void {
    for (const { block } of Object.values(this.#open)) block.isStale = true
  }

  /** The end of the output for one stream. */
  sinkOf(stream: Stream): LineSink {
    return {
      line: () => (this.#open[stream] ??= this.#begin(stream)).line,
      newLine: () => this.#end(stream),
    }
  }

  #begin(stream: Stream) {
    const line = new OutputLine(stream, this.receivedMs)
    this.hasUntimed ||= line.receivedMs === null
    this.hasTimed ||= line.receivedMs !== null
    this.first ??= stream
    this.isMixed ||= stream !== this.first
    const { lines } = this.#last
    const before = lines.at(-1)
    if (before) before.hasBreak = true
    this.#last.isStale = true
    if (lines.length < BLOCK_LINES) lines.push(line)
    else this.all.push(newBlock({ stdout: this.#startIn('stdout'), stderr: this.#startIn('stderr') }, line))
    this.#begun++
    const block = this.#last
    while (this.all.length > 1 && this.#isTooMuch) this.#drop(this.all.shift()!)
    return { line, block }
  }

  #end(stream: Stream): void {
    const { line, block } = this.#open[stream] ?? this.#begin(stream)
    delete this.#open[stream]
    line.hasBreak = true
    block.isStale = true
    this.#complete[stream]++
    this.isCut ||= line.more > 0
    this.#addWeight(block, line)
  }

  #startIn(stream: Stream): StreamStart {
    const { offset, lines } = this.#anchors[stream]
    return { offset, linesAfter: this.#complete[stream] - lines, lines: this.#complete[stream] }
  }

  /** Where the lines begin that are still here: in stdout or, if nothing of stdout is before them, in stderr. */
  get start(): LinePosition {
    const isInStderr = this.#hasBefore('stderr') && !this.#hasBefore('stdout')
    return this.#positionIn(isInStderr ? 'stderr' : 'stdout', 0)
  }

  /** Where a line that is still here stands in the only stream there is or, among lines of both, in stdout. */
  positionOf(index: number): LinePosition {
    return this.#positionIn(this.isMixed ? 'stdout' : (this.first ?? 'stdout'), index)
  }

  #positionIn(stream: Stream, index: number): LinePosition {
    const block = this.all[Math.floor(index / BLOCK_LINES)] ?? this.#last
    const before = block.lines.slice(0, index % BLOCK_LINES).filter((line) => line.stream === stream).length
    const { offset, linesAfter, lines } = block.starts[stream]
    const number = this.firstNumber === null ? null : this.firstNumber + lines + before
    return { stream, offset, linesAfter: linesAfter + before, number }
  }

  /** Whether there is output before the first line that is still here. */
  get hasEarlier(): boolean {
    return this.#hasBefore('stdout') || this.#hasBefore('stderr')
  }

  #hasBefore(stream: Stream): boolean {
    const { offset, linesAfter } = this.all[0]!.starts[stream]
    return offset + linesAfter > 0
  }

  /** The index of a line among those that are still here; negative: it is before them, or may be; null: after them, or numbered otherwise. */
  indexOf({ number, stream }: LineAddress): number | null {
    if (stream !== this.numberedIn) return null
    if (this.firstNumber === null) return -1
    const at = number - this.firstNumber
    return at < this.count ? at - this.dropped : null
  }

  /** Whether the oldest block will soon be dropped. */
  get isFull(): boolean {
    const { blocks, nodes, characters } = this.limits
    return this.all.length >= blocks || this.#nodes > nodes / 2 || this.#characters > characters / 2
  }

  get #isTooMuch(): boolean {
    const { blocks, nodes, characters } = this.limits
    return this.all.length > blocks || this.#nodes > nodes || this.#characters > characters
  }

  #addWeight(block: Block, { spans, length }: OutputLine): void {
    const elements = spans.map(({ text, style }) => (style === PLAIN ? 0 : 1) + countLinks(text))
    const nodes = elements.reduce((sum, count) => sum + count, 0) * 3
    block.nodes += nodes
    block.characters += length
    this.#nodes += nodes
    this.#characters += length
  }

  /** Drops a block; the rest of an unfinished line in it becomes a line of its own. */
  #drop(dropped: Block): void {
    this.dropped += dropped.lines.length
    this.#nodes -= dropped.nodes
    this.#characters -= dropped.characters
    for (const stream of streams) if (this.#open[stream]?.block === dropped) delete this.#open[stream]
  }
}

const ZERO: StreamStart = { offset: 0, linesAfter: 0, lines: 0 }

const newBlock = (starts: Block['starts'], ...lines: OutputLine[]): Block => ({
  lines,
  nodes: 0,
  characters: 0,
  starts,
  isStale: true,
})
