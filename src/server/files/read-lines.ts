import { createHash } from 'node:crypto'
import { firstCharacters, shortHash } from '../../shared/schema/index.ts'
import { checkNotBinary, checkRegular, eolFrom, eolOf, noText, BINARY_BYTES } from './content.ts'
import { factsAt, openFile, type OpenedFile } from './open-file.ts'

/** Maximum size of the lines of one answer, with their numbers. */
const MAX_BYTES = 100_000
/** A longer line is cut. A character has at most two code units and four bytes. */
const MAX_LINE_CHARACTERS = 2000
const MAX_LINE_BYTES = MAX_LINE_CHARACTERS * 4
/** In a larger file, reading stops after the last line that is wanted, so its hash and its number of lines stay unknown. */
const MAX_READ_BYTES = 67_108_864
const LINE_FEED = 10
const RETURN = 13

/** The lines that a caller wants, counted from 1. */
interface LineRange {
  first: number
  count: number
}

/** A part of a text file. */
export interface FileLines {
  /** the lines with their numbers, as `cat -n` prints them */
  text: string
  /** the number of the last line in `text`; 0: none */
  last: number
  /** number of lines of the file; null: it is too large to count */
  lines: number | null
  hash: string | null
  bytes: number
  eol: ReturnType<typeof eolOf>
  /** whether lines before the end of the file, or ends of long lines, are missing */
  truncated: boolean
}

/**
 * Reads lines of a text file in bounded memory. Throws VALIDATION_ERROR for anything but a regular file, and UNSUPPORTED_MEDIA_TYPE for
 * binary content or wanted lines that are not UTF-8.
 */
export async function readLines(path: string, range: LineRange, canceled: AbortSignal): Promise<FileLines> {
  checkRegular(await factsAt(path), path)
  const file = await openFile(path)
  try {
    return await collect(file, path, range, canceled)
  } finally {
    await file.close()
  }
}

async function collect(file: OpenedFile, path: string, range: LineRange, canceled: AbortSignal): Promise<FileLines> {
  const { bytes } = file.facts
  const hash = createHash('sha256')
  const isWhole = bytes <= MAX_READ_BYTES
  const lines = new LineCollector(range)
  let start = 0
  for await (const piece of file.pieces(0, bytes, hash)) {
    if (canceled.aborted) throw new Error('canceled before the file was read')
    if (start === 0) checkNotBinary(piece.subarray(0, BINARY_BYTES), path)
    start += piece.length
    lines.add(piece)
    if (!isWhole && lines.isDone) break
  }
  const { numbered, last, total, eol, isCut } = lines.end(path)
  const truncated = isCut || !isWhole || last < total
  return {
    text: numbered,
    last,
    lines: isWhole ? total : null,
    hash: isWhole ? shortHash(hash.digest('hex')) : null,
    bytes,
    eol,
    truncated,
  }
}

/** Splits a stream of bytes into lines, and retains those in the range. */
class LineCollector {
  readonly #range: LineRange
  readonly #kept: { bytes: Buffer; isCut: boolean }[] = []
  #keptBytes = 0
  /** the current line: its number, its size, and its first bytes if it is wanted */
  #number = 1
  #size = 0
  #parts: Buffer[] = []
  #partBytes = 0
  #lastByte = -1
  #lineFeeds = 0
  #afterReturns = 0
  isDone = false

  constructor(range: LineRange) {
    this.#range = range
  }

  add(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      const end = piece.indexOf(LINE_FEED, at)
      const part = piece.subarray(at, end < 0 ? piece.length : end)
      this.#take(part)
      if (end < 0) return
      if (this.#lastByte === RETURN) this.#afterReturns++
      this.#lineFeeds++
      this.#endLine()
      at = end + 1
    }
  }

  #take(part: Buffer): void {
    if (part.length === 0) return
    this.#size += part.length
    this.#lastByte = part.at(-1)!
    const { first } = this.#range
    if (this.isDone || this.#number < first || this.#partBytes > MAX_LINE_BYTES) return
    const wanted = Buffer.from(part.subarray(0, MAX_LINE_BYTES + 1 - this.#partBytes))
    this.#parts.push(wanted)
    this.#partBytes += wanted.length
  }

  #endLine(): void {
    const { first, count } = this.#range
    if (!this.isDone && this.#number >= first) {
      const bytes = Buffer.concat(this.#parts)
      const cost = bytes.length + 8
      if (this.#keptBytes + cost > MAX_BYTES && this.#kept.length > 0) this.isDone = true
      else {
        this.#kept.push({ bytes, isCut: this.#size > bytes.length })
        this.#keptBytes += cost
        this.isDone = this.#kept.length === count
      }
    }
    this.#number++
    this.#size = 0
    this.#parts = []
    this.#partBytes = 0
    this.#lastByte = -1
  }

  end(path: string) {
    if (this.#size > 0) this.#endLine()
    const eol = eolFrom(this.#lineFeeds, this.#afterReturns)
    const { first } = this.#range
    const shown = this.#kept.map((line, index) => shownLine(line, first + index, eol === 'crlf', path))
    const numbered = shown.map(({ text }, index) => `${String(first + index).padStart(6)}\t${text}\n`).join('')
    return {
      numbered,
      last: shown.length === 0 ? 0 : first + shown.length - 1,
      total: this.#number - 1,
      eol,
      isCut: shown.some(({ isCut }) => isCut),
    }
  }
}

function shownLine(
  { bytes, isCut }: { bytes: Buffer; isCut: boolean },
  number: number,
  isCrlf: boolean,
  path: string,
): { text: string; isCut: boolean } {
  const whole = decodeLine(bytes, isCut, number, path)
  const text = (number === 1 ? whole.replace(/^\ufeff/, '') : whole).replace(isCrlf && !isCut ? /\r$/ : /$^/, '')
  if (!isCut && text.length <= MAX_LINE_CHARACTERS) return { text, isCut: false }
  return { text: `${firstCharacters(text, MAX_LINE_CHARACTERS)}…`, isCut: true }
}

function decodeLine(bytes: Buffer, isCut: boolean, number: number, path: string): string {
  try {
    // a cut line may end inside a character
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: isCut,
    })
  } catch {
    throw noText(`expected UTF-8 text, line ${number} is not: ${path}`)
  }
}
