import fs from 'node:fs'
import path from 'node:path'
import { AppendFile, type Refusals, WaitingLines } from './append-file.ts'
import { flushFolder, isMissing, makeFolder, readBytes } from './make-folder.ts'
import { headerLine, parseSealed } from './history-line.ts'

/** A new segment begins when the newest is larger. */
const SEGMENT_BYTES = 1_048_576
const LOOK_EVERY_MS = 1000

/** The lines of a segment, and beside them the keys that it holds: those outlive it, and damage to one of the two loses none. */
export type SegmentKind = 'jsonl' | 'keys'

/** Where a line begins: the segment's number and the byte in it. */
export interface LineAddress {
  segment: number
  offset: number
}

/** What was there when a segment began, was forgotten, or the store was closed: should there be less, it was lost. */
export interface Remembered {
  /** the first segment that is not forgotten */
  first: number
  newest: number
  /** the number of the line after the last one, counted from the very first */
  lines: number
}

const NAME = /^(\d{8})\.(jsonl|keys)$/

function readOr<T>(file: string, otherwise: T): Buffer | T {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    if (isMissing(error)) return otherwise
    throw error
  }
}

/** A folder of numbered files of lines, appended to at the newest; each begins by saying how many lines came before it. */
export class Segments {
  /** those that are not forgotten, oldest first */
  readonly numbers: number[]
  /** what was there, as a former life remembers it; null: it remembers nothing; `damaged`: it does, and it cannot be read */
  readonly remembered: Remembered | 'damaged' | null
  /** the number of the next line, counted from the very first */
  lines = 0
  /** of the newest segment, once it was written to */
  #open: Partial<Record<SegmentKind, AppendFile>> = {}
  #lookedMs = 0
  #first: number
  readonly #waiting: WaitingLines<LineAddress>

  /** `elapsedMs`: monotonic. Throws as fs does when the folder cannot be made or listed. */
  constructor(
    private readonly folder: string,
    private readonly elapsedMs: () => number,
    refusals: Refusals,
  ) {
    makeFolder(folder)
    this.numbers = this.#list('jsonl')
    const bytes = readOr(path.join(folder, 'remembered'), null)
    this.remembered = bytes && (parseSealed<Remembered>(bytes.subarray(0, -1)) ?? 'damaged')
    this.#first =
      this.remembered === null || this.remembered === 'damaged' ? (this.numbers[0] ?? 1) : this.remembered.first
    this.#waiting = new WaitingLines((line) => this.appendNow(line), refusals)
  }

  /** Segments that have keys, oldest first. */
  keyNumbers(): number[] {
    return this.#list('keys')
  }

  /** Empty when it is gone; throws as fs does. */
  read(segment: number, kind: SegmentKind): Buffer {
    return readOr(this.#path(segment, kind), Buffer.alloc(0))
  }

  /** Throws as fs does. */
  readAt({ segment, offset }: LineAddress, length: number): Buffer {
    return readBytes(this.#path(segment, 'jsonl'), offset, length)
  }

  bytes(segment: number): number {
    return fs.statSync(this.#path(segment, 'jsonl'), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Makes the newest segment ready, where the disk will; else the next line does. */
  open(): void {
    try {
      this.appendNow('')
    } catch {
      /* the next line says why */
    }
  }

  /** `onWritten` reports where the line lies: at once, or later where the disk refuses it for now. Begin lines go before all others. */
  append(line: string, isBegin: boolean, onWritten: (place: LineAddress) => void): void {
    let place: LineAddress | null = null
    try {
      if (this.#waiting.lines.length === 0) place = this.appendNow(line)
    } catch {
      /* it waits: the next try says why */
    }
    if (place === null) this.#waiting.append(line, isBegin, onWritten)
    else onWritten(place)
  }

  /** The same for a line that must not wait: throws as fs does. */
  appendNow(line: string): LineAddress {
    if (this.#isToTurn()) this.#turn()
    const file = this.#open.jsonl ?? this.#newest('jsonl')
    if (file.size === 0) {
      file.append(Buffer.from(headerLine({ first: this.lines })))
      this.#remember()
    }
    const place = { segment: this.numbers.at(-1)!, offset: file.append(Buffer.from(line)) }
    if (line !== '') this.lines++
    return place
  }

  /** Resolves when what was appended is on the disk itself; rejects as fs does. */
  flush(): Promise<void> {
    return this.#newest('jsonl').flush()
  }

  /** Writes a line beside the newest segment, if the disk will. */
  appendKey(line: string): void {
    try {
      this.#newest('keys').append(Buffer.from(line))
    } catch {
      /* the begin line holds the key; one that is freed and stays is only never tried again */
    }
  }

  /** Removes the oldest segment; its keys stay. */
  forgetFirst(): void {
    const segment = this.numbers.shift()!
    this.#first = segment + 1
    this.#remember()
    this.#remove(segment, 'jsonl')
  }

  /** Removes the keys of the segments that are not in use. */
  forgetKeys(used: Set<number>): void {
    for (const segment of this.keyNumbers()) {
      if (segment !== this.numbers.at(-1) && !used.has(segment)) this.#remove(segment, 'keys')
    }
  }

  close(): void {
    this.#waiting.close()
    this.#remember()
    this.#closeNewest()
  }

  #path(segment: number, kind: SegmentKind): string {
    return path.join(this.folder, `${String(segment).padStart(8, '0')}.${kind}`)
  }

  #list(kind: SegmentKind): number[] {
    const matches = fs.readdirSync(this.folder).map((name) => NAME.exec(name))
    return matches.flatMap((match) => (match?.[2] === kind ? Number(match[1]) : [])).sort((a, b) => a - b)
  }

  #remove(segment: number, kind: SegmentKind): void {
    fs.rm(this.#path(segment, kind), { force: true }, () => undefined)
  }

  /** Is it full, or did somebody delete it? */
  #isToTurn(): boolean {
    const { jsonl } = this.#open
    if (jsonl === undefined || jsonl.size > SEGMENT_BYTES) return jsonl !== undefined
    if (this.elapsedMs() - this.#lookedMs < LOOK_EVERY_MS) return false
    this.#lookedMs = this.elapsedMs()
    return jsonl.isGone()
  }

  /** The next line begins a new segment. */
  #turn(): void {
    this.#closeNewest()
    makeFolder(this.folder)
    this.numbers.push((this.numbers.at(-1) ?? this.keyNumbers().at(-1) ?? 0) + 1)
  }

  #newest(kind: SegmentKind): AppendFile {
    if (this.numbers.length === 0) this.#turn()
    this.#open[kind] ??= this.#openNewest(kind)
    return this.#open[kind]
  }

  #openNewest(kind: SegmentKind): AppendFile {
    makeFolder(this.folder)
    const file = new AppendFile(this.#path(this.numbers.at(-1)!, kind))
    if (file.size === 0) flushFolder(this.folder)
    return file
  }

  #closeNewest(): void {
    this.#open.jsonl?.close()
    this.#open.keys?.close()
    this.#open = {}
  }

  #remember(): void {
    if (this.numbers.length === 0) return
    const file = path.join(this.folder, 'remembered')
    try {
      const now = { first: this.#first, newest: this.numbers.at(-1)!, lines: this.lines }
      fs.writeFileSync(`${file}.new`, headerLine(now), { mode: 0o600 })
      fs.renameSync(`${file}.new`, file)
    } catch {
      /* what is remembered is less then, and true */
    }
  }
}
