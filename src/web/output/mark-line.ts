import { BLOCK_LINES } from './line-blocks.ts'
import type { OutputLine } from './line.ts'
import type { ShownOutput } from './shown-output.ts'
import { lineStart, rangeOf, textNodes } from './text-range.ts'

/** The highlight that the find bar also uses: the mark ends when the find bar replaces or removes it. */
const NAME = 'found-now'

/** Marks a shown line, given as its index, and marks it again each time it is drawn. */
export function markLine(output: ShownOutput, index: number): void {
  const line = output.shown.all[Math.floor(index / BLOCK_LINES)]?.lines[index % BLOCK_LINES]
  if (!line) return
  const mark = new Highlight()
  const drawing = new MutationObserver(() => {
    if (output.isClosed || CSS.highlights.get(NAME) !== mark) drawing.disconnect()
    else highlight(output, line, mark)
  })
  drawing.observe(output.container, { childList: true, subtree: true })
  CSS.highlights.set(NAME, mark)
  highlight(output, line, mark)
}

/** Moves the mark to where the line is now; the mark is empty while the line is not shown. */
function highlight({ shown, container }: ShownOutput, line: OutputLine, mark: Highlight): void {
  mark.clear()
  const at = shown.all.findIndex(({ lines }) => lines.includes(line))
  const block = container.children[at]
  if (!block) return
  const text = block.textContent!
  const start = lineStart(text, shown.all[at]!.lines.indexOf(line))
  const end = text.indexOf('\n', start)
  mark.add(rangeOf(textNodes(block), start, end < 0 ? text.length : end))
}
