import { toCount } from '../parts/format.ts'
import { words } from '../words.ts'
import { BLOCK_LINES, type Block, type Blocks } from './line-blocks.ts'
import { type TextStyle, PLAIN } from './text-style.ts'

/** Brings the elements in `box` in line with the blocks: only what changed is touched. */
export function createDrawer(box: HTMLElement): (blocks: Blocks) => void {
  const drawn = new Map<Block, HTMLElement>()
  return ({ all }) => {
    const held = new Set(all)
    for (const [block, element] of drawn) {
      if (held.has(block)) continue
      element.remove()
      drawn.delete(block)
    }
    for (const block of all) {
      if (!block.isStale && drawn.has(block)) continue
      const element = drawn.get(block) ?? box.appendChild(newBlock())
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

/** Text in as few nodes as can be: an element only where it looks otherwise. */
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
    for (const { text, look } of spans) {
      if (look === PLAIN) plain += text
      else add(spanOf(text, look))
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

/** Drawn by the style: it is no part of the text. */
function cutMark(more: number): HTMLElement {
  const element = document.createElement('span')
  element.className = 'cut'
  element.dataset.told = words.output.cut(toCount(more))
  return element
}
