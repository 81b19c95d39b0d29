import { toCount } from '../parts/format.ts'
import { words } from '../words.ts'
import { BLOCK_LINES, type Block, type Blocks } from './line-blocks.ts'
import { type TextStyle, PLAIN } from './text-style.ts'

/** Returns a function that updates the elements in `container` to match the blocks; it touches only what changed. */
export function createBlockDrawer(container: HTMLElement): (blocks: Blocks) => void {
  const drawn = new Map<Block, HTMLElement>()
  return ({ all }) => {
    const current = new Set(all)
    for (const [block, element] of drawn) {
      if (current.has(block)) continue
      element.remove()
      drawn.delete(block)
    }
    for (const block of all) {
      if (!block.isStale && drawn.has(block)) continue
      const element = drawn.get(block) ?? container.appendChild(newBlock())
      drawn.set(block, element)
      element.replaceChildren(...partsOf(block))
      block.isStale = false
    }
  }
}

function newBlock(): HTMLElement {
  const element = document.createElement('div')
  element.className = 'block'
  return element
}

/** The text in as few nodes as possible: only styled text gets an element. */
function partsOf({ lines }: Block): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = []
  let plain = ''
  const add = (element: HTMLElement) => {
    if (plain !== '') parts.push(plain)
    plain = ''
    parts.push(element)
  }
  const lastAt = lines.length - 1
  lines.forEach(({ spans, more }, index) => {
    for (const { text, style } of spans) {
      if (style === PLAIN) plain += text
      else add(spanOf(text, style))
    }
    if (more > 0) add(cutMark(more))
    if (index < lastAt || lines.length === BLOCK_LINES) plain += '\n'
  })
  return plain === '' ? parts : [...parts, plain]
}

function spanOf(text: string, { classes, colour, ground }: TextStyle): HTMLElement {
  const element = document.createElement('span')
  element.className = classes
  element.textContent = text
  if (colour !== '') element.style.setProperty('--colour', colour)
  if (ground !== '') element.style.setProperty('--ground-colour', ground)
  return element
}

/** CSS draws the note, so that it is not part of the text. */
function cutMark(more: number): HTMLElement {
  const element = document.createElement('span')
  element.className = 'cut'
  element.dataset.note = words.output.cut(toCount(more))
  return element
}
