/** Places that are found and marked, at most. */
const MAX_FOUND = 1000

/** Every place of `text` in the blocks of `box`, whatever its letters' case, in order. */
export function findIn(box: HTMLElement, text: string): Range[] {
  const found: Range[] = []
  if (text === '') return found
  const wanted = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu')
  for (const block of box.children) {
    const nodes = textNodes(block)
    for (const { index, 0: match } of nodes
      .map(({ data }) => data)
      .join('')
      .matchAll(wanted)) {
      if (found.length === MAX_FOUND) return found
      found.push(rangeOf(nodes, index, index + match.length))
    }
  }
  return found
}

function textNodes(block: Element): Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  return nodes
}

/** From one character of their text to another, over as many of them as lie between. */
function rangeOf(nodes: Text[], from: number, to: number): Range {
  const range = new Range()
  let at = 0
  for (const node of nodes) {
    const end = at + node.length
    if (from >= at && from < end) range.setStart(node, from - at)
    if (to > at && to <= end) range.setEnd(node, to - at)
    at = end
  }
  return range
}

/** Marks them without touching the document; `now`: the one that is looked at. */
export function mark(found: Range[], now: Range | undefined): void {
  const { highlights } = CSS
  highlights.delete('found')
  highlights.delete('found-now')
  if (found.length > 0) highlights.set('found', new Highlight(...found))
  if (!now) return
  const first = new Highlight(now)
  first.priority = 1
  highlights.set('found-now', first)
}

/** Brings it into sight: its block first, which may not have been laid out. */
export function reveal(scroller: HTMLElement, range: Range): void {
  range.startContainer.parentElement?.closest('.block')?.scrollIntoView({ block: 'nearest' })
  requestAnimationFrame(() => {
    const place = range.getBoundingClientRect()
    const box = scroller.getBoundingClientRect()
    scroller.scrollTop += place.top - box.top - box.height / 2
  })
}
