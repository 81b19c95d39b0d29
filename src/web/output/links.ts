/** More links in a text, or longer ones, stay plain text: output is untrusted, and each link costs elements. */
const MAX_LINKS = 20
const MAX_CHARACTERS = 2000

/** The scheme, and what can follow it: no white space, quotes, angle brackets, or control and format characters, which could disguise the target. */
const address = /\bhttps?:\/\/[^\s<>"'`\p{C}]+/giu
const brackets: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** How many links a text has at most. */
export const countLinks = (text: string): number =>
  text.includes('://') ? Math.min(MAX_LINKS, text.match(address)?.length ?? 0) : 0

/** A piece of a text, and whether it is an address to link to. */
interface TextPiece {
  piece: string
  isAddress: boolean
}

/** Splits a text without line breaks around its http and https addresses. */
export function splitAtLinks(text: string): TextPiece[] {
  if (!text.includes('://')) return [{ piece: text, isAddress: false }]
  const pieces: TextPiece[] = []
  let end = 0
  let links = 0
  for (const { index, 0: match } of text.matchAll(address)) {
    const url = withoutPunctuation(match)
    if (url.length > MAX_CHARACTERS || !URL.canParse(url)) continue
    if (links++ === MAX_LINKS) break
    if (index > end) pieces.push({ piece: text.slice(end, index), isAddress: false })
    pieces.push({ piece: url, isAddress: true })
    end = index + url.length
  }
  if (end < text.length) pieces.push({ piece: text.slice(end), isAddress: false })
  return pieces
}

/** Without the punctuation of the sentence around the address, such as a bracket that was opened before it. */
function withoutPunctuation(url: string): string {
  const unopened = { ...noneUnopened }
  for (const character of url) {
    if (brackets[character]) unopened[character]!++
    else for (const [close, open] of Object.entries(brackets)) if (character === open) unopened[close]!--
  }
  let end = url.length
  for (; end > 0; end--) {
    const last = url[end - 1]!
    if (brackets[last]) {
      if (unopened[last]!-- <= 0) break
    } else if (!/[.,;:!?…]/.test(last)) break
  }
  return url.slice(0, end)
}

const noneUnopened: Record<string, number> = { ')': 0, ']': 0, '}': 0 }
