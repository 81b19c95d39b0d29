import type { OutputLine } from './line.ts'
import { penAfter, freshPen, type Stream, styleOf } from './text-style.ts'

/** Receives the text and the control functions of a stream. */
export interface LineSink {
  /** the stream's unfinished line, or a new one */
  line(): OutputLine
  newLine(): void
}

/** Control characters (C0, C1 and DEL) except the tab. */
const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g
/** ESC [ parameters intermediates final (ECMA-48, 5.4). */
const sequence = /\x1b\[([0-?]*)[ -/]*([@-~])/y
/** A string for the terminal, such as a title or a link. */
const controlString = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/y
const shortSequence = /\x1b[ -/]*[0-OQ-WYZ\\`-~]/y
/** An escape sequence may continue in the next piece; up to this length the reader waits for its end. */
const MAX_SEQUENCE = 4096

/** Returns a function that interprets the text of one stream, piece by piece. */
export function createReader(stream: Stream, lines: LineSink): (text: string) => void {
  let pen = freshPen
  let style = styleOf(pen, stream)
  let unread = ''

  const apply = (parameters: string, final: string): void => {
    const [first = ''] = parameters.split(';')
    const count = Number(first) || 0
    if (final === 'm') {
      pen = penAfter(pen, parameters)
      style = styleOf(pen, stream)
    } else if (final === 'K') lines.line().erase(count)
    else if (final === 'G') lines.line().to(count - 1)
    else if (final === 'C') lines.line().by(count || 1)
    else if (final === 'D') lines.line().by(-(count || 1))
  }
  /** Where the escape sequence at `at` ends; null if it continues in the next piece. */
  const sequenceEnd = (text: string, at: number): number | null => {
    sequence.lastIndex = controlString.lastIndex = shortSequence.lastIndex = at
    const [, parameters, final] = sequence.exec(text) ?? []
    if (final !== undefined) apply(parameters!, final)
    if (final !== undefined) return sequence.lastIndex
    if (controlString.test(text)) return controlString.lastIndex
    if (shortSequence.test(text)) return shortSequence.lastIndex
    return text.length - at < MAX_SEQUENCE ? null : at + 1
  }
  return (piece) => {
    const text = unread + piece
    unread = ''
    for (let at = 0; at < text.length;) {
      control.lastIndex = at
      const found = control.exec(text)?.index ?? text.length
      if (found > at) lines.line().put(text.slice(at, found), style)
      at = found + 1
      const character = text[found]
      if (character === '\n') lines.newLine()
      else if (character === '\r') lines.line().to(0)
      else if (character === '\b') lines.line().by(-1)
      else if (character === '\x1b') {
        const end = sequenceEnd(text, found)
        if (end === null) unread = text.slice(found)
        at = end ?? text.length
      }
    }
  }
}
