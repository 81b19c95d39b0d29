import { textPattern } from '../../shared/schema/index.ts'
import { BLOCK_LINES } from './line-blocks.ts'
import { lineStart, rangeOf, textNodes } from './text-range.ts'

/** Maximum number of matches to find and highlight. */
export const MAX_MATCHES = 1000

/** A match among the lines that are shown. */
export interface Match {
  range: Range
  /** index of its line */
  line: number
}

/** Every match of `text` in the blocks of `container`, in order, ignoring case. */
export function findMatches(container: HTMLElement, text: string): Match[] {
  const found: Match[] = []
  if (text === '') return found
  const wanted = textPattern(text)
  let line = 0
  for (const block of container.children) {
    const nodes = textNodes(block)
    const shown = nodes.map(({ data }) => data).join('')
    let at = 0
    const countTo = (index: number) => {
      for (let next = shown.indexOf('\n', at); next >= 0 && next < index; next = shown.indexOf('\n', at)) {
        at = next + 1
        line++
      }
    }
    for (const { index, 0: match } of shown.matchAll(wanted)) {
      if (found.length === MAX_MATCHES) return found
      countTo(index)
      found.push({ range: rangeOf(nodes, index, index + match.length), line })
    }
    countTo(shown.length)
  }
  return found
}

const blockOf = ({ range }: Match): Element | null | undefined => range.startContainer.parentElement?.closest('.block')

/** The index of the first match that is not above the view; 0 if all are. */
export function firstInView(scroller: HTMLElement, matches: Match[]): number {
  const { top } = scroller.getBoundingClientRect()
  // the block first: it need not be laid out for that
  const isBelow = (part: Element | Range | null | undefined) =>
    part != null && part.getBoundingClientRect().bottom > top
  return Math.max(
    0,
    matches.findIndex((match) => isBelow(blockOf(match)) && isBelow(match.range)),
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

/** Highlights a line that is shown, as the current match. */
export function highlightLine(container: HTMLElement, line: number): void {
  const block = container.children[Math.floor(line / BLOCK_LINES)]
  if (!block) return
  const text = block.textContent!
  const start = lineStart(text, line % BLOCK_LINES)
  const end = text.indexOf('\n', start)
  const range = rangeOf(textNodes(block), start, end < 0 ? text.length : end)
  CSS.highlights.set('found-now', new Highlight(range))
}

/** Scrolls the match into view: first its block, which may not have been laid out yet. */
export function reveal(scroller: HTMLElement, match: Match): void {
  blockOf(match)?.scrollIntoView({ block: 'nearest' })
  requestAnimationFrame(() => {
    const { top } = match.range.getBoundingClientRect()
    const view = scroller.getBoundingClientRect()
    scroller.scrollTop += top - view.top - view.height / 2
  })
}
