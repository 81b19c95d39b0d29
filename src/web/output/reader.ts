import type { OutputLine } from './line.ts'
import { afterCodes, freshPen, styleOf } from './text-style.ts'

/** What is done to lines. */
export interface Lines {
  /** the one that is written on */
  readonly line: OutputLine
  newLine(): void
}

/** All that is no text: control characters of both sets. */
const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g
/** ESC [ parameters intermediates final (ECMA-48, 5.4). */
const sequence = /\x1b\[([0-?]*)[ -/]*([@-~])/y
/** A string that programs send to terminals: a title, an address. */
const told = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/y
const short = /\x1b[ -/]*[0-OQ-WYZ\\`-~]/y
/** A code that goes on in the next piece is waited for, up to this length. */
const MAX_CODE = 4096

/** Reads the text of one stream, piece by piece, onto lines. */
export function createReader(stream: 'stdout' | 'stderr', lines: Lines): (text: string) => void {
  let pen = freshPen
  let look = styleOf(pen, stream)
  let unread = ''

  const obey = (parameters: string, final: string): void => {
    const [first = ''] = parameters.split(';')
    const count = Number(first) || 0
    if (final === 'm') {
      pen = afterCodes(pen, parameters)
      look = styleOf(pen, stream)
    } else if (final === 'K') lines.line.erase(count)
    else if (final === 'G') lines.line.to(count - 1)
    else if (final === 'C') lines.line.by(count || 1)
    else if (final === 'D') lines.line.by(-(count || 1))
  }
  /** Where the code at `at` ends; null where it goes on in what is still to come. */
  const code = (text: string, at: number): number | null => {
    sequence.lastIndex = told.lastIndex = short.lastIndex = at
    const [, parameters, final] = sequence.exec(text) ?? []
    if (final !== undefined) obey(parameters!, final)
    if (final !== undefined) return sequence.lastIndex
    if (told.test(text)) return told.lastIndex
    if (short.test(text)) return short.lastIndex
    return text.length - at < MAX_CODE ? null : at + 1
  }
  return (piece) => {
    const text = unread + piece
    unread = ''
    for (let at = 0; at < text.length;) {
      control.lastIndex = at
      const found = control.exec(text)?.index ?? text.length
      if (found > at) lines.line.put(text.slice(at, found), look)
      at = found + 1
      const character = text[found]
      if (character === '\n') lines.newLine()
      else if (character === '\r') lines.line.to(0)
      else if (character === '\b') lines.line.by(-1)
      else if (character === '\x1b') {
        const end = code(text, found)
        if (end === null) unread = text.slice(found)
        at = end ?? text.length
      }
    }
  }
}
