import { type TextStyle, PLAIN } from './text-style.ts'

/** A piece of a line that looks the same. */
interface StyledText {
  text: string
  look: TextStyle
}

/** Of a longer line the rest is counted. */
const MAX_LINE_CHARACTERS = 4000

/** A line as it is drawn, with a cursor: programs go back in it, and write over it. */
export class OutputLine {
  spans: StyledText[] = []
  /** characters that are held */
  length = 0
  /** characters beyond, which are not */
  more = 0
  #at = 0

  /** Writes at the cursor, over what is there. */
  put(text: string, look: TextStyle): void {
    const end = this.#at + text.length
    if (this.#at === this.length && end <= MAX_LINE_CHARACTERS) this.#append(text, look)
    else if (this.#at < MAX_LINE_CHARACTERS) this.#over(text.slice(0, MAX_LINE_CHARACTERS - this.#at), look)
    this.#at = end
    this.more = Math.max(this.more, end - MAX_LINE_CHARACTERS, 0)
  }

  /** The cursor goes to a column. */
  to(column: number): void {
    this.#at = Math.max(0, column)
  }

  by(columns: number): void {
    this.to(this.#at + columns)
  }

  /** Erases: 0 from the cursor on, 1 up to it, 2 all. */
  erase(what: number): void {
    if (what === 1) return this.#over(' '.repeat(Math.min(this.#at + 1, this.length)), PLAIN, 0)
    this.#keep(what === 2 ? 0 : this.#at)
    this.more = 0
  }

  #append(text: string, look: TextStyle): void {
    const last = this.spans.at(-1)
    if (last?.look === look) last.text += text
    else this.spans.push({ text, look })
    this.length += text.length
  }

  #over(text: string, look: TextStyle, at = Math.min(this.#at, MAX_LINE_CHARACTERS)): void {
    const behind = piece(this.spans, at + text.length, this.length)
    this.#keep(at)
    if (at > this.length) this.#append(' '.repeat(at - this.length), PLAIN)
    for (const span of [{ text, look }, ...behind]) if (span.text !== '') this.#append(span.text, span.look)
  }

  #keep(length: number): void {
    if (length >= this.length) return
    this.spans = piece(this.spans, 0, length)
    this.length = length
  }
}

/** The part of them between two columns. */
function piece(spans: StyledText[], from: number, to: number): StyledText[] {
  const found: StyledText[] = []
  let at = 0
  for (const { text, look } of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    if (part !== '') found.push({ text: part, look })
    at += text.length
  }
  return found
}
