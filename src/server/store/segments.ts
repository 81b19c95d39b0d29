import fs from 'node:fs'
import path from 'node:path'
import { AppendFile, type Refusals, LineQueue } from './append-file.ts'
import { flushFolder, isMissing, makeFolder, readBytes } from './make-folder.ts'
import { headerLine, parseSealed } from './history-line.ts'

/** A new segment starts when the newest one exceeds this size. */
const SEGMENT_BYTES = 1_048_576
const CHECK_EVERY_MS = 1000

/** The file of lines and the file of keys of a segment. The keys outlive the lines, and damage to one file does not lose a key. */
export type SegmentKind = 'jsonl' | 'keys'

/** The start of a line: the number of its segment and the byte offset in it. */
export interface LineAddress {
  segment: number
  offset: number
}

/** The state when a segment was started or forgotten, or when the store was closed; anything less at the next start is a loss. */
export interface Remembered {
  /** the first segment that is not forgotten */
  first: number
  newest: number
  /** the number of lines ever written */
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

/** A folder of numbered files of lines. Lines are appended to the newest file; each file starts with the number of lines before it. */
export class Segments {
  /** the segments that are not forgotten, oldest first */
  readonly numbers: number[]
  /** the state that an earlier start recorded; null: none; `damaged`: it cannot be read */
  readonly remembered: Remembered | 'damaged' | null
  /** the number of lines ever written, and so the number of the next line */
  lines = 0
  /** the files of the newest segment, once written to */
  #open: Partial<Record<SegmentKind, AppendFile>> = {}
  #checkedMs = 0
  #first: number
  readonly #waiting: LineQueue<LineAddress>

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
    this.#waiting = new LineQueue((line) => this.appendNow(line), refusals)
  }

  /** Segments that have keys, oldest first. */
  keyNumbers(): number[] {
    return this.#list('keys')
  }

  /** The content of a file, empty if it is missing; throws as fs does. */
  read(segment: number, kind: SegmentKind): Buffer {
    return readOr(this.#path(segment, kind), Buffer.alloc(0))
  }

  /** Reads `length` bytes at an address. Throws as fs does. */
  readAt({ segment, offset }: LineAddress, length: number): Buffer {
    return readBytes(this.#path(segment, 'jsonl'), offset, length)
  }

  bytes(segment: number): number {
    return fs.statSync(this.#path(segment, 'jsonl'), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Prepares the newest segment; if the disk refuses, the next line tries again. */
  open(): void {
    try {
      this.appendNow('')
    } catch {
      /* the next line reports why */
    }
  }

  /** `onWritten` reports the line's address: immediately, or later if the disk refuses the line for now. Begin lines precede all others. */
  append(line: string, isBegin: boolean, onWritten: (address: LineAddress) => void): void {
    let address: LineAddress | null = null
    try {
      if (this.#waiting.lines.length === 0) address = this.appendNow(line)
    } catch {
      /* the line is queued; the next attempt reports why */
    }
    if (address === null) this.#waiting.append(line, isBegin, onWritten)
    else onWritten(address)
  }

  /** Appends a line that must not wait: throws as fs does. */
  appendNow(line: string): LineAddress {
    if (this.#needsNewSegment()) this.#startSegment()
    const file = this.#open.jsonl ?? this.#newest('jsonl')
    if (file.size === 0) {
      file.append(Buffer.from(headerLine({ first: this.lines })))
      this.#remember()
    }
    const address = { segment: this.numbers.at(-1)!, offset: file.append(Buffer.from(line)) }
    if (line !== '') this.lines++
    return address
  }

  /** Resolves when the appended lines are flushed to disk; rejects as fs does. */
  flush(): Promise<void> {
    return this.#newest('jsonl').flush()
  }

  /** Writes a line to the keys file of the newest segment; ignores disk errors. */
  appendKey(line: string): void {
    try {
      this.#newest('keys').append(Buffer.from(line))
    } catch {
      /* the begin line also contains the key; a key whose release is not written just cannot be used again */
    }
  }

  /** Removes the oldest segment but not its keys. */
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

  /** Whether the newest segment is full or has been deleted. */
  #needsNewSegment(): boolean {
    const { jsonl } = this.#open
    if (jsonl === undefined || jsonl.size > SEGMENT_BYTES) return jsonl !== undefined
    if (this.elapsedMs() - this.#checkedMs < CHECK_EVERY_MS) return false
    this.#checkedMs = this.elapsedMs()
    return jsonl.isGone()
  }

  /** Starts a new segment. */
  #startSegment(): void {
    this.#closeNewest()
    makeFolder(this.folder)
    this.numbers.push((this.numbers.at(-1) ?? this.keyNumbers().at(-1) ?? 0) + 1)
  }

  #newest(kind: SegmentKind): AppendFile {
    if (this.numbers.length === 0) this.#startSegment()
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
      /* the older state remains, which is still valid */
    }
  }
}
