/** Control, format, private-use and unassigned characters, line separators, every space except U+0020, and characters without a visible glyph. */
const blank = '[\\p{C}\\p{Zl}\\p{Zp}\\p{DI}\\u{16fe4}\\u2800\\ufffc\\u{1d159}]|(?! )\\p{Zs}'

/** Right-to-left scripts (Hebrew, Arabic and related scripts), which reorder adjacent text. */
const turned = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]'

/** In scripts that need combining marks, a letter may have one mark of its script and one more. Any other mark would overprint the preceding text. */
const carrier = `(?!${blank}|${turned}|[A-Za-z])\\p{L}(?:(?!\\p{Script=Inherited})\\p{M})?`
const overlay = `\\p{Me}|(?=\\p{M})\\p{Script=Inherited}|(?<!${carrier})\\p{M}`

/** The brackets of the escapes are escaped too, so that a text cannot imitate an escape. */
const hidden = new RegExp(`${blank}|${turned}|${overlay}|[‹›]`, 'gu')

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Converts untrusted text to one line for display. Different texts never look the same. Characters that would control a terminal, or hide, overprint
 * or reorder other text, are escaped in brackets, as in `‹\n›`, `‹\x1b›` and `‹\u{202e}›`. A literal backslash has no brackets. Do not use the result as shell input.
 */
export const visible = (text: string): string => text.replace(hidden, spell)

/** A piece of displayed text: unchanged, or escaped. */
interface VisiblePart {
  text: string
  isSpelled: boolean
}

/** Like `visible`, but returns pieces, for callers that show escapes in another style. */
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
