import fs from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type AppendFile, openAppendFile } from './append-file.ts'
import { flushFolder, makeFolder, replaceFile } from './folder.ts'

const NAME = /^(\d{8})\.jsonl$/
/** Lines that the disk refused wait in memory for the next append, or so long. */
const MAX_UNSAVED_CHARS = 1_048_576
const RETRY_MS = 1000
const LOOK_EVERY_MS = 1000

/** Where a line begins: the segment's number and the byte in it. */
export interface Place {
  segment: number
  offset: number
}

/** A folder of numbered files of lines, appended to at the newest. */
export interface Segments {
  /** numbers, oldest first */
  numbers(): number[]
  /** Throws as fs does. */
  read(segment: number): Buffer
  readAt(place: Place, length: number): Buffer
  /** 0 when it is gone */
  bytes(segment: number): number
  /** Writes a whole line; null: the disk refused, it is tried again with the next. */
  append(line: string): Place | null
  /** Resolves when what was appended is on the disk itself; rejects as fs does. */
  flush(): Promise<void>
  /** bytes in the newest segment */
  size(): number
  /** The next append begins a new segment. */
  rotate(): void
  /** Puts other lines in the place of all that an old segment holds; without any it is removed. */
  replace(segment: number, lines: string[]): Promise<void>
  close(): void
}

export interface SegmentEvents {
  /** why the disk did not take a line */
  onRefused(error: unknown): void
  /** it takes them again, and has those that waited */
  onTakenAgain(): void
}

const listNumbers = (folder: string): number[] =>
  fs
    .readdirSync(folder)
    .map((name) => Number(NAME.exec(name)?.[1] ?? 0))
    .filter((segment) => segment > 0)
    .sort((a, b) => a - b)

const readPart = (file: string, offset: number, length: number): Buffer => {
  const descriptor = fs.openSync(file, 'r')
  try {
    const target = Buffer.alloc(length)
    return target.subarray(0, fs.readSync(descriptor, target, 0, length, offset))
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The newest of the numbered files, opened when it is written to and begun anew when somebody deleted it. */
const createNewest = (folder: string, fileOf: (segment: number) => string, now: () => number) => {
  const numbers = listNumbers(folder)
  let open: AppendFile | null = null
  let lookedMs = 0

  const close = (): void => {
    open?.close()
    open = null
  }

  const rotate = (): void => {
    close()
    numbers.push((numbers.at(-1) ?? 0) + 1)
  }

  const lookForFolder = (): void => {
    const nowMs = now()
    if (open === null || Math.abs(nowMs - lookedMs) < LOOK_EVERY_MS) return
    lookedMs = nowMs
    if (open.isGone()) rotate()
  }

  const toWriteTo = (): AppendFile => {
    lookForFolder()
    if (open) return open
    if (numbers.length === 0) numbers.push(1)
    makeFolder(folder)
    open = openAppendFile(fileOf(numbers.at(-1)!))
    if (open.size() === 0) flushFolder(folder)
    return open
  }

  return { numbers, rotate, toWriteTo, opened: () => open, close }
}

/** Throws as fs does when the folder cannot be made or listed. */
export const createSegments = (folder: string, now: () => number, events: SegmentEvents): Segments => {
  makeFolder(folder)
  const fileOf = (segment: number): string => path.join(folder, `${String(segment).padStart(8, '0')}.jsonl`)
  const { numbers, rotate, toWriteTo, opened, close } = createNewest(folder, fileOf, now)
  let unsaved = ''
  let retry: NodeJS.Timeout | null = null

  const write = (line: string): Place => {
    const file = toWriteTo()
    const before = Buffer.from(unsaved)
    const offset = file.append(Buffer.concat([before, Buffer.from(line)])) + before.length
    if (unsaved !== '') events.onTakenAgain()
    unsaved = ''
    return { segment: numbers.at(-1)!, offset }
  }

  const append = (line: string): Place | null => {
    try {
      return write(line)
    } catch (error) {
      if (unsaved.length + line.length <= MAX_UNSAVED_CHARS) unsaved += line
      retry ??= setTimeout(tryAgain, RETRY_MS).unref()
      events.onRefused(error)
      return null
    }
  }

  const tryAgain = (): void => {
    if (retry) clearTimeout(retry)
    retry = null
    if (unsaved !== '') append('')
  }

  return {
    numbers: () => numbers,
    read: (segment) => fs.readFileSync(fileOf(segment)),
    readAt: ({ segment, offset }, length) => readPart(fileOf(segment), offset, length),
    bytes: (segment) => fs.statSync(fileOf(segment), { throwIfNoEntry: false })?.size ?? 0,
    append,
    flush: async () => opened()?.flush(),
    size: () => opened()?.size() ?? 0,
    rotate,
    replace: async (segment, lines) => {
      if (lines.length > 0) return replaceFile(fileOf(segment), lines.join(''))
      numbers.splice(numbers.indexOf(segment), 1)
      await rm(fileOf(segment), { force: true })
    },
    close: () => {
      tryAgain()
      if (retry) clearTimeout(retry)
      close()
    },
  }
}
