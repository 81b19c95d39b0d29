import { toCount, toPreciseTime } from '../parts/format.ts'
import { hrefOf, route } from '../route.ts'
import { words } from '../words.ts'
import type { OutputLine } from './line.ts'
import { BLOCK_LINES, type Block, type Blocks, type LineAddress } from './line-blocks.ts'
import type { LineColumns } from './output-state.ts'
import { splitAtLinks } from './links.ts'
import { lineStart, rangeOf, textNodes } from './text-range.ts'
import { type Stream, type TextStyle, PLAIN } from './text-style.ts'

/**
 * Returns a function that updates the elements in `container` to match the blocks; it touches only what changed. With `isNumbered` or `isTimed`,
 * every line is an element with its number and the time at which the page received it, if they are known; the line `linked` is marked.
 */
export function createBlockDrawer(
  container: HTMLElement,
  options: () => LineColumns & { linked: LineAddress | null },
): (blocks: Blocks) => void {
  const drawn = new Map<Block, HTMLElement>()
  return ({ all, dropped, firstNumber, numberedIn, hasTimed }) => {
    const current = new Set(all)
    for (const [block, element] of drawn) {
      if (current.has(block)) continue
      element.remove()
      drawn.delete(block)
    }
    const { isNumbered, isTimed: wantsTimes, linked } = options()
    const isTimed = wantsTimes && hasTimed
    let number = isNumbered && firstNumber !== null ? firstNumber + dropped : null
    const lastNumber = (number ?? 0) + all.reduce((sum, { lines }) => sum + lines.length, 0)
    container.style.setProperty('--digits', String(Math.max(3, String(lastNumber).length)))
    container.classList.toggle('numbered', number !== null)
    container.classList.toggle('timed', isTimed)
    for (const block of all) {
      if (block.isStale || !drawn.has(block)) {
        const element = drawn.get(block) ?? container.appendChild(newBlock())
        drawn.set(block, element)
        const isPlain = number === null && !isTimed
        element.replaceChildren(
          ...(isPlain ? partsOf(block.lines) : rowsOf(block.lines, { first: number, numberedIn, linked })),
        )
        block.isStale = false
      }
      if (number !== null) number += block.lines.length
    }
  }
}

interface Numbering {
  /** the number of the first line; null: unknown, or not shown */
  first: number | null
  /** the stream in which the lines are numbered; null: in the whole output */
  numberedIn: Stream | null
  /** the line to mark */
  linked: LineAddress | null
}

/** A row for each line, with a link to it if its number is known. CSS draws the time, so that it is not part of the text. */
const rowsOf = (lines: OutputLine[], { first, numberedIn, linked }: Numbering): HTMLElement[] =>
  lines.map((line, index) => {
    const row = document.createElement('div')
    if (line.receivedMs !== null) row.dataset.time = toPreciseTime(line.receivedMs)
    if (first !== null) row.append(linkTo(first + index, numberedIn))
    if (first !== null && linked?.stream === numberedIn && linked.number === first + index) row.className = 'linked'
    row.append(...partsOf([line]))
    return row
  })

function linkTo(line: number, stream: Stream | null): HTMLElement {
  const link = document.createElement('a')
  const number = String(line)
  link.className = 'number'
  link.tabIndex = -1
  link.dataset.line = number
  link.ariaLabel = link.title = stream ? words.output.lineOf(toCount(line), stream) : words.output.lineNumber(number)
  link.href = hrefOf(route.peek().view, route.peek().rest, { line: number, stream: stream ?? '' })
  return link
}

function newBlock(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'block'
  return element
}

/** The text in as few nodes as possible: only links and styled text get an element. */
function partsOf(lines: OutputLine[]): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = []
  let plain = ''
  const add = (element: HTMLElement) => {
    if (plain !== '') parts.push(plain)
    plain = ''
    parts.push(element)
  }
  for (const { spans, more, hasBreak } of lines) {
    for (const [index, { text, style }] of spans.entries()) {
      if (style !== PLAIN) add(spanOf(text, style, index === 0))
      else
        for (const { piece, isAddress } of splitAtLinks(text)) {
          if (isAddress) add(linkToAddress(piece))
          else plain += piece
        }
    }
    if (more > 0) add(cutMark(more))
    if (hasBreak) plain += '\n'
  }
  return plain === '' ? parts : [...parts, plain]
}

function spanOf(text: string, { classes, colour, ground }: TextStyle, isFirst: boolean): HTMLElement {
  const element = document.createElement('span')
  element.className = isFirst ? `first ${classes}` : classes
  for (const { piece, isAddress } of splitAtLinks(text)) element.append(isAddress ? linkToAddress(piece) : piece)
  if (colour !== '') element.style.setProperty('--colour', colour)
  if (ground !== '') element.style.setProperty('--ground-colour', ground)
  return element
}

function linkToAddress(address: string): HTMLElement {
  const link = document.createElement('a')
  link.href = link.textContent = address
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  return link
}

/** CSS draws the note, so that it is not part of the text. */
function cutMark(more: number): HTMLElement {
  const element = document.createElement('span')
  element.className = 'cut'
  element.dataset.note = words.output.cut(toCount(more))
  return element
}

/** Approximate index of the first line that is not above the view of `scroller`. */
export function firstLineIn(scroller: HTMLElement, container: HTMLElement): number {
  const { top } = scroller.getBoundingClientRect()
  const blocks = [...container.children].map((block) => block.getBoundingClientRect())
  const index = blocks.findIndex(({ bottom }) => bottom > top)
  const block = blocks[index]
  if (!block) return 0
  return Math.floor((index + Math.max(0, top - block.top) / block.height) * BLOCK_LINES)
}

/** Returns a function that measures the distance of a line from the top, in pixels. The distance changes when lines above get their real height. */
export function topOf(container: HTMLElement, line: number): () => number {
  const block = container.children[Math.floor(line / BLOCK_LINES)]
  if (!block) return () => container.scrollHeight
  return () => rectOf(block, line % BLOCK_LINES).top - container.getBoundingClientRect().top
}

/** Where a line of a block begins. */
function rectOf(block: Element, line: number): DOMRect {
  const text = block.textContent!
  const at = lineStart(text, line)
  const isShown = line > 0 && at < text.length
  return (isShown ? rangeOf(textNodes(block), at, at + 1) : block).getBoundingClientRect()
}
