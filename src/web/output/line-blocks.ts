import { OutputLine } from './line.ts'
import { PLAIN } from './text-style.ts'
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
  /** whether the lines changed after they were last drawn */
  isStale: boolean
}

/** The newest lines of an output in blocks; the last block contains the line that is being written. */
export class Blocks implements LineSink {
  readonly all: Block[] = [emptyBlock()]
  #anchor = { offset: 0, line: 0 }
  /** how many lines were dropped */
  dropped = 0
  line = new OutputLine()
  #nodes = 0
  #characters = 0
  #completeLines = 0

  constructor(readonly limits: BlockLimits = LIMITS) {
    this.#last.lines.push(this.line)
  }

  get #last(): Block {
    return this.all.at(-1)!
  }

  /** How many lines there were in total; the last one counts only if it is not empty. */
  get count(): number {
    return this.#completeLines + (this.line.length > 0 ? 1 : 0)
  }

  /** Records that the next text starts at this offset in stdout. */
  setOffset(offset: number): void {
    this.#anchor = { offset, line: this.#completeLines }
    if (this.count === 0) this.all[0]!.offset = offset
  }

  /** Marks the last block as changed. */
  touch(): void {
    this.#last.isStale = true
  }

  newLine(): void {
    const block = this.#last
    block.isStale = true
    this.#completeLines++
    this.#addWeight(block, this.line)
    this.line = new OutputLine()
    if (block.lines.length < BLOCK_LINES) block.lines.push(this.line)
    else this.all.push({ ...emptyBlock(), ...this.#position, lines: [this.line] })
    while (this.all.length > 1 && this.#isTooMuch) this.#drop(this.all.shift()!)
  }

  get #position(): Pick<Block, 'offset' | 'linesAfter'> {
    return { offset: this.#anchor.offset, linesAfter: this.#completeLines - this.#anchor.line }
  }

  get #isTooMuch(): boolean {
    const { blocks, nodes, characters } = this.limits
    return this.all.length > blocks || this.#nodes > nodes || this.#characters > characters
  }

  #addWeight(block: Block, { spans, length }: OutputLine): void {
    const nodes = spans.filter(({ style }) => style !== PLAIN).length * 3
    block.nodes += nodes
    block.characters += length
    this.#nodes += nodes
    this.#characters += length
  }

  #drop({ lines, nodes, characters }: Block): void {
    this.dropped += lines.length
    this.#nodes -= nodes
    this.#characters -= characters
  }
}

const emptyBlock = (): Block => ({ lines: [], nodes: 0, characters: 0, offset: 0, linesAfter: 0, isStale: true })
