/** Control, format, private and unassigned characters, line separators, every space except U+0020, and characters without a visible glyph. */
const blank = '[\\p{C}\\p{Zl}\\p{Zp}\\p{DI}\\u{16fe4}\\u2800\\ufffc\\u{1d159}]|(?! )\\p{Zs}'

/** Right-to-left scripts, which reorder adjacent text: Hebrew, Arabic and related scripts. */
const turned = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]'

/** A script that needs marks may have one mark on a letter, and one more; any other mark is drawn over the preceding text. */
const carrier = `(?!${blank}|${turned}|[A-Za-z])\\p{L}(?:(?!\\p{Script=Inherited})\\p{M})?`
const overlay = `\\p{Me}|(?=\\p{M})\\p{Script=Inherited}|(?<!${carrier})\\p{M}`

/** Our own brackets are escaped too, so that nobody can imitate them. */
const hidden = new RegExp(`${blank}|${turned}|${overlay}|[‹›]`, 'gu')

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Untrusted text for display, in one line; different texts never look the same. Everything that a terminal would obey, or that would hide, overprint
 * or reorder the rest, is escaped in brackets, as `‹\n›`, `‹\x1b›`, `‹\u{202e}›`; a literal backslash has no brackets. Not suitable as shell input.
 */
export const visible = (text: string): string => text.replace(hidden, spell)

/** A piece of such a text: unchanged, or escaped. */
interface VisiblePart {
  text: string
  isSpelled: boolean
}

/** The same in pieces, for callers that draw escaped text differently. */
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
