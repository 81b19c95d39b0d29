import { OutputLine } from './line.ts'
import { PLAIN } from './text-style.ts'
import type { Lines } from './reader.ts'

export const BLOCK_LINES = 100

/** What is held, whatever comes: lines, nodes of the document, characters. Beyond that the oldest block goes. */
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
  /** so many bytes of stdout had come, at least, when it began */
  at: number
  /** and so many lines since */
  ahead: number
  /** it is not drawn as it is */
  isStale: boolean
}

/** The newest lines of an output, in blocks; the last block holds the line that is written on. */
export class Blocks implements Lines {
  readonly all: Block[] = [emptyBlock()]
  #from = { at: 0, line: 0 }
  /** lines that are held no longer */
  dropped = 0
  line = new OutputLine()
  #nodes = 0
  #characters = 0
  #complete = 0

  constructor(readonly limits: BlockLimits = LIMITS) {
    this.#last.lines.push(this.line)
  }

  get #last(): Block {
    return this.all.at(-1)!
  }

  /** Lines that came in all, without the one that is written on while that is empty. */
  get count(): number {
    return this.#complete + (this.line.length > 0 ? 1 : 0)
  }

  /** What comes now stands there in stdout. */
  from(at: number): void {
    this.#from = { at, line: this.#complete }
    if (this.count === 0) this.all[0]!.at = at
  }

  /** What the last block holds may have changed. */
  touch(): void {
    this.#last.isStale = true
  }

  newLine(): void {
    const block = this.#last
    block.isStale = true
    this.#complete++
    this.#weigh(block, this.line)
    this.line = new OutputLine()
    if (block.lines.length < BLOCK_LINES) block.lines.push(this.line)
    else this.all.push({ ...emptyBlock(), ...this.#place, lines: [this.line] })
    while (this.all.length > 1 && this.#isTooMuch) this.#drop(this.all.shift()!)
  }

  get #place() {
    return { at: this.#from.at, ahead: this.#complete - this.#from.line }
  }

  get #isTooMuch(): boolean {
    const { blocks, nodes, characters } = this.limits
    return this.all.length > blocks || this.#nodes > nodes || this.#characters > characters
  }

  #weigh(block: Block, { spans, length }: OutputLine): void {
    const nodes = spans.filter(({ look }) => look !== PLAIN).length * 3
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

const emptyBlock = (): Block => ({ lines: [], nodes: 0, characters: 0, at: 0, ahead: 0, isStale: true })
