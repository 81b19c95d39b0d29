import fs from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from './folder.ts'

const NAME = /^(\d{8})\.jsonl$/
/** Lines that the disk refused wait here for the next append. */
const MAX_UNSAVED_CHARS = 1_048_576
const LOOK_EVERY_MS = 1000
const NEWLINE = 10

/** Where a text begins: the segment's number and the byte in it. */
export interface Place {
  segment: number
  offset: number
}

/** A folder of numbered files of lines, appended to at the newest. */
export interface Segments {
  /** numbers, oldest first */
  numbers(): number[]
  readSync(segment: number): Buffer
  read(segment: number): Promise<Buffer>
  readAt(place: Place, length: number): Buffer
  /** 0 when it is gone */
  bytes(segment: number): number
  /** Writes whole lines; null: the disk refused, they are tried again with the next. */
  append(lines: string): Place | null
  /** bytes in the newest segment */
  size(): number
  /** The next append begins a new segment. */
  rotate(): void
  remove(segment: number): Promise<void>
  close(): void
}

const fileOf = (folder: string, segment: number): string =>
  path.join(folder, `${String(segment).padStart(8, '0')}.jsonl`)

const listNumbers = (folder: string): number[] =>
  fs
    .readdirSync(folder)
    .map((name) => Number(NAME.exec(name)?.[1] ?? 0))
    .filter((segment) => segment > 0)
    .sort((a, b) => a - b)

const endsOpen = (descriptor: number, size: number): boolean => {
  const last = Buffer.alloc(1)
  return size > 0 && fs.readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE
}

/** Writes all of `bytes` or throws. */
const writeAll = (descriptor: number, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(descriptor, bytes, done)
}

export interface SegmentEvents {
  /** why the disk did not take a line */
  onRefused(error: unknown): void
  /** it takes them again, and has those that waited */
  onTakenAgain(): void
}

/** Throws as fs does when the folder cannot be made or listed. */
export const createSegments = (folder: string, now: () => number, events: SegmentEvents): Segments => {
  makeFolder(folder)
  let numbers = listNumbers(folder)
  let open: { descriptor: number; size: number } | null = null
  let unsaved = ''
  /** the newest segment ends inside a line (a crash, a full disk): that line is given up */
  let torn = false
  let lookedMs = 0

  const close = (): void => {
    if (open) fs.closeSync(open.descriptor)
    open = null
  }

  const openNewest = (): { descriptor: number; size: number } => {
    makeFolder(folder)
    if (numbers.length === 0) numbers.push(1)
    const descriptor = fs.openSync(fileOf(folder, numbers[numbers.length - 1]!), 'a+', 0o600)
    const { size } = fs.fstatSync(descriptor)
    torn = endsOpen(descriptor, size)
    return { descriptor, size }
  }

  const rotate = (): void => {
    close()
    numbers.push((numbers[numbers.length - 1] ?? 0) + 1)
  }

  /** Somebody may have deleted the folder under us: begin a new segment in a new folder. */
  const lookForFolder = (): void => {
    const nowMs = now()
    if (open === null || Math.abs(nowMs - lookedMs) < LOOK_EVERY_MS) return
    lookedMs = nowMs
    if (fs.fstatSync(open.descriptor).nlink === 0) rotate()
  }

  const undo = (size: number): void => {
    if (open === null) return
    torn = true
    try {
      fs.ftruncateSync(open.descriptor, size)
      torn = false
    } catch {
      /* the torn line is closed by the next append */
    }
  }

  const write = (lines: string): Place => {
    lookForFolder()
    open ??= openNewest()
    const { size, descriptor } = open
    const before = Buffer.from((torn ? '\n' : '') + unsaved)
    const bytes = Buffer.from(lines)
    try {
      writeAll(descriptor, before.length === 0 ? bytes : Buffer.concat([before, bytes]))
    } catch (error) {
      undo(size)
      throw error
    }
    open.size += before.length + bytes.length
    if (unsaved !== '') events.onTakenAgain()
    unsaved = ''
    torn = false
    return { segment: numbers[numbers.length - 1]!, offset: size + before.length }
  }

  return {
    numbers: () => numbers,
    readSync: (segment) => fs.readFileSync(fileOf(folder, segment)),
    read: (segment) => readFile(fileOf(folder, segment)),
    readAt: ({ segment, offset }, length) => {
      const descriptor = fs.openSync(fileOf(folder, segment), 'r')
      try {
        const target = Buffer.alloc(length)
        return target.subarray(0, fs.readSync(descriptor, target, 0, length, offset))
      } finally {
        fs.closeSync(descriptor)
      }
    },
    bytes: (segment) => {
      try {
        return fs.statSync(fileOf(folder, segment)).size
      } catch {
        return 0
      }
    },
    append: (lines) => {
      try {
        return write(lines)
      } catch (error) {
        if (unsaved.length + lines.length <= MAX_UNSAVED_CHARS) unsaved += lines
        events.onRefused(error)
        return null
      }
    },
    size: () => open?.size ?? 0,
    rotate,
    remove: async (segment) => {
      numbers = numbers.filter((number) => number !== segment)
      await rm(fileOf(folder, segment), { force: true })
    },
    close,
  }
}
