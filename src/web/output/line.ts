import { type Stream, type TextStyle, PLAIN } from './text-style.ts'

/** A part of a line in one style. */
interface StyledText {
  text: string
  style: TextStyle
}

/** Characters beyond this limit are counted but not stored. */
const MAX_LINE_CHARACTERS = 4000

/** A line with a cursor: programs move the cursor back and overwrite text. */
export class OutputLine {
  spans: StyledText[] = []
  /** how many characters are stored */
  length = 0
  /** how many characters exceeded the limit */
  more = 0
  /** whether another line follows, or the line has ended */
  hasBreak = false
  #at = 0

  constructor(
    readonly stream: Stream,
    /** when the page received the start of the line, in epoch milliseconds; null: unknown */
    readonly receivedMs: number | null = null,
  ) {}

  /** Writes at the cursor and overwrites the text there. */
  put(text: string, style: TextStyle): void {
    const end = this.#at + text.length
    if (this.#at === this.length && end <= MAX_LINE_CHARACTERS) this.#append(text, style)
    else if (this.#at < MAX_LINE_CHARACTERS) this.#overwrite(text.slice(0, MAX_LINE_CHARACTERS - this.#at), style)
    this.#at = end
    this.more = Math.max(this.more, end - MAX_LINE_CHARACTERS, 0)
  }

  /** Moves the cursor to a column, counted from 0. */
  to(column: number): void {
    this.#at = Math.max(0, column)
  }

  by(columns: number): void {
    this.to(this.#at + columns)
  }

  /** Erases part of the line: 0 from the cursor to the end, 1 up to the cursor, 2 all of it. */
  erase(what: number): void {
    if (what === 1) return this.#overwrite(' '.repeat(Math.min(this.#at + 1, this.length)), PLAIN, 0)
    this.#truncate(what === 2 ? 0 : this.#at)
    this.more = 0
  }

  #append(text: string, style: TextStyle): void {
    const last = this.spans.at(-1)
    if (last?.style === style) last.text += text
    else this.spans.push({ text, style })
    this.length += text.length
  }

  #overwrite(text: string, style: TextStyle, at = Math.min(this.#at, MAX_LINE_CHARACTERS)): void {
    const behind = piece(this.spans, at + text.length, this.length)
    this.#truncate(at)
    if (at > this.length) this.#append(' '.repeat(at - this.length), PLAIN)
    for (const span of [{ text, style }, ...behind]) if (span.text !== '') this.#append(span.text, span.style)
  }

  #truncate(length: number): void {
    if (length >= this.length) return
    this.spans = piece(this.spans, 0, length)
    this.length = length
  }
}

/** The parts between two columns. */
function piece(spans: StyledText[], from: number, to: number): StyledText[] {
  const found: StyledText[] = []
  let at = 0
  for (const { text, style } of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    if (part !== '') found.push({ text: part, style })
    at += text.length
  }
  return found
}
