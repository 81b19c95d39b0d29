/** Control, format, private and unassigned characters, line separators, every space that is not the space, and what is drawn as nothing. */
const blank = '[\\p{C}\\p{Zl}\\p{Zp}\\p{DI}\\u{16fe4}\\u2800\\ufffc\\u{1d159}]|(?! )\\p{Zs}'

/** What is written from right to left, and turns round what stands beside it: Hebrew, Arabic and their kin. */
const turned = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]'

/** A mark may stand on a letter of a script that needs marks, beside one more; any other is drawn over whatever comes before it. */
const carrier = `(?!${blank}|${turned}|[A-Za-z])\\p{L}(?:(?!\\p{Script=Inherited})\\p{M})?`
const overlay = `\\p{Me}|(?=\\p{M})\\p{Script=Inherited}|(?<!${carrier})\\p{M}`

/** Our own brackets are spelled, too, so that nobody else's look like ours. */
const hidden = new RegExp(`${blank}|${turned}|${overlay}|[‹›]`, 'gu')

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A stranger's text for a person's eyes, in one line, two texts never alike: what a terminal would obey, and what would hide, overprint
 * or reorder the rest, is spelled out in brackets, as `‹\n›`, `‹\x1b›`, `‹\u{202e}›`; a backslash that was there has none. Never for a shell to read.
 */
export const visible = (text: string): string => text.replace(hidden, spell)

/** A piece of such a text: as it was, or spelled out. */
interface VisiblePart {
  text: string
  isSpelled: boolean
}

/** The same in pieces, for who draws what is spelled otherwise. */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = []
  let at = 0
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (index > at) parts.push({ text: text.slice(at, index), isSpelled: false })
    parts.push({ text: spell(character), isSpelled: true })
    at = index + character.length
  }
  return at < text.length ? [...parts, { text: text.slice(at), isSpelled: false }] : parts
}

const spell = (character: string): string => `‹${short[character] ?? spelled(character.codePointAt(0)!)}›`

const spelled = (code: number): string =>
  code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
