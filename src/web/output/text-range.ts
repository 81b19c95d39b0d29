/** Where a line starts in a text. */
export function lineStart(text: string, line: number): number {
  let at = 0
  for (let left = line; left > 0; left--) at = text.indexOf('\n', at) + 1
  return at
}

/** The text of an element, in pieces. */
export function textNodes(block: Element): Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  return nodes
}

/** The range between two offsets in the joined text of the nodes. */
export function rangeOf(nodes: Text[], from: number, to: number): Range {
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
