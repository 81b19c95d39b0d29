/** Control, format, private and unassigned characters, line separators, and every space that is not the space. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A stranger's text for a person's eyes, in one line: what a terminal would obey, and what would hide or reorder the rest
 * (escape codes, bidirectional marks, zero-width characters), is spelled out: `\x1b`, `\u{202e}`. Never for a shell to read.
 */
export function visible(text: string): string {
  return text.replace(hidden, (character) => short[character] ?? spelled(character.codePointAt(0)!))
}

const spelled = (code: number): string =>
  code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
