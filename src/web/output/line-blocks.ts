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
  /** offset in stdout near the start of the block: at or before its first line */
  offset: number
  /** how many lines lie between that offset and the first line */
  linesAfter: number
  /** how many complete lines of stdout are before the first line */
  stdoutLines: number
  /** whether the lines changed after they were last drawn */
  isStale: boolean
}

/** A position in a stream: the line that contains the byte at `offset`, plus `linesAfter` lines. */
export interface LinePosition {
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
  readonly all: Block[] = [emptyBlock()]
  /** the number of the first line, counted from 1; null: unknown, because earlier output was not read */
  firstNumber: number | null = 1
  #anchor = { offset: 0, line: 0 }
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
  /** complete lines of stdout */
  #stdoutLines = 0
  readonly #open: Partial<Record<Stream, { line: OutputLine; block: Block }>> = {}

  constructor(readonly limits: BlockLimits = LIMITS) {}

  get #last(): Block {
    return this.all.at(-1)!
  }

  /** How many lines there were in total; an unfinished line counts only if it is not empty. */
  get count(): number {
    return this.#begun - Object.values(this.#open).filter(({ line }) => line.length === 0).length
  }

  /** Records that the next text starts at this offset in stdout. */
  setOffset(offset: number): void {
    this.#anchor = { offset, line: this.#stdoutLines }
    if (this.count === 0) this.all[0]!.offset = offset
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
    else this.all.push({ ...emptyBlock(), ...this.#position, lines: [line] })
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
    if (stream === 'stdout') this.#stdoutLines++
    this.isCut ||= line.more > 0
    this.#addWeight(block, line)
  }

  get #position(): Pick<Block, 'offset' | 'linesAfter' | 'stdoutLines'> {
    return {
      offset: this.#anchor.offset,
      linesAfter: this.#stdoutLines - this.#anchor.line,
      stdoutLines: this.#stdoutLines,
    }
  }

  /** Where the first line that is still here stands in stdout, and its number there (null: unknown). */
  get start(): LinePosition {
    const { offset, linesAfter, stdoutLines } = this.all[0]!
    return { offset, linesAfter, number: this.firstNumber === null ? null : this.firstNumber + stdoutLines }
  }

  /** Where a line that is still here stands in the only stream there is or, among lines of both, in stdout. */
  positionOf(index: number): LinePosition & { stream: Stream } {
    const block = this.all[Math.floor(index / BLOCK_LINES)] ?? this.#last
    const before = block.lines.slice(0, index % BLOCK_LINES)
    const lines = this.isMixed
      ? block.stdoutLines + before.filter(({ stream }) => stream === 'stdout').length
      : this.dropped + index
    const number = this.firstNumber === null ? null : this.firstNumber + lines
    const stream = this.isMixed ? 'stdout' : (this.first ?? 'stdout')
    return { stream, offset: block.offset, linesAfter: block.linesAfter + before.length, number }
  }

  /** Whether there is stdout before the first line that is still here. */
  get hasEarlier(): boolean {
    return this.start.offset + this.start.linesAfter > 0
  }

  /** The index of a line among those that are still here; negative: it is before them, or may be; null: after them, or numbered otherwise. */
  indexOf({ number, stream }: LineAddress): number | null {
    if (stream !== this.numberedIn) return null
    if (this.firstNumber === null) return -1
    const at = number - this.firstNumber
    return at < this.count ? at - this.dropped : null
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

const emptyBlock = (): Block => ({
  lines: [],
  nodes: 0,
  characters: 0,
  offset: 0,
  linesAfter: 0,
  stdoutLines: 0,
  isStale: true,
})
