import { textPattern } from '../../shared/schema/index.ts'
import { BLOCK_LINES } from './line-blocks.ts'
import { rangeOf, textNodes } from './text-range.ts'

/** Maximum number of matches to find and highlight. */
export const MAX_MATCHES = 1000

/** A match among the lines that are shown. */
export interface Match {
  range: Range
  /** index of its line */
  line: number
  /** its block, which remains when its lines are drawn again; the index of its line there; which match of the line it is */
  block: Element
  row: number
  place: number
}

/** Every match of `text` in the blocks of `container`, in order, ignoring case; with `fromLine`, only from the block of this line on. */
export function findMatches(container: HTMLElement, text: string, fromLine = 0): Match[] {
  const found: Match[] = []
  if (text === '') return found
  const wanted = textPattern(text)
  for (const [index, block] of [...container.children].entries()) {
    if ((index + 1) * BLOCK_LINES <= fromLine) continue
    const nodes = textNodes(block)
    const shown = nodes.map(({ data }) => data).join('')
    let row = 0
    let place = 0
    let next = shown.indexOf('\n')
    for (const { index: at, 0: match } of shown.matchAll(wanted)) {
      if (found.length === MAX_MATCHES) return found
      for (; next >= 0 && next < at; next = shown.indexOf('\n', next + 1)) {
        row++
        place = 0
      }
      const range = rangeOf(nodes, at, at + match.length)
      found.push({ range, line: index * BLOCK_LINES + row, block, row, place: place++ })
    }
  }
  return found
}

/** The index of a match after its lines were drawn again. Without the match, the index of the next one in its block, or -1. */
export const indexAfterDraw = (matches: Match[], { block, row, place }: Match): number =>
  matches.findIndex((match) => match.block === block && (match.row === row ? match.place >= place : match.row > row))

/** The index of the first match that is not above the view; 0 if all are. */
export function firstInView(scroller: HTMLElement, matches: Match[]): number {
  const { top } = scroller.getBoundingClientRect()
  // the block first: it need not be laid out for that
  const isBelow = (part: Element | Range) => part.getBoundingClientRect().bottom > top
  return Math.max(
    0,
    matches.findIndex((match) => isBelow(match.block) && isBelow(match.range)),
  )
}

/** Highlights the matches, and `current` in another colour, without changing the document. */
export function highlightMatches(matches: Match[], current: Match | undefined): void {
  const { highlights } = CSS
  highlights.delete('found')
  highlights.delete('found-now')
  if (matches.length > 0) highlights.set('found', new Highlight(...matches.map(({ range }) => range)))
  if (!current) return
  const highlight = new Highlight(current.range)
  highlight.priority = 1
  highlights.set('found-now', highlight)
}

/** Whether the view shows the match. */
export function isInView(scroller: HTMLElement, { range }: Match): boolean {
  const { top, bottom } = range.getBoundingClientRect()
  const view = scroller.getBoundingClientRect()
  return top >= view.top - 1 && bottom <= view.bottom + 1
}

/** How far to scroll so that the match is in the middle of the view. */
export function middleOf(scroller: HTMLElement, { range }: Match): number {
  const { top } = range.getBoundingClientRect()
  const view = scroller.getBoundingClientRect()
  return scroller.scrollTop + top - view.top - view.height / 2
}
