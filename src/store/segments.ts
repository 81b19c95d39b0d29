import fs from 'node:fs'
import { type AppendFile, openAppendFile } from './append-file.ts'
import { flushFolder, makeFolder } from './folder.ts'
import { headerLine } from './history-line.ts'
import { createSegmentFiles, type SegmentFiles, type SegmentKind } from './segment-files.ts'
import { createWaitingLines, type WaitingEvents, type WaitingLines } from './waiting-lines.ts'

const LOOK_EVERY_MS = 1000

/** Where a line begins: the segment's number and the byte in it. */
export interface Place {
  segment: number
  offset: number
}

/** A folder of numbered files of lines, appended to at the newest; each begins by saying how many lines came before it. */
export interface Segments extends Pick<WaitingLines<Place>, 'append'> {
  /** numbers, oldest first */
  numbers(): number[]
  /** segments that have keys, oldest first */
  keyNumbers(): number[]
  /** Empty when it is gone; throws as fs does. */
  read(segment: number, kind: SegmentKind): Buffer
  readAt(place: Place, length: number): Buffer
  bytes(segment: number): number
  /** The same for a line that must not wait: throws as fs does. */
  appendNow(line: string): Place
  /** Resolves when what was appended is on the disk itself; rejects as fs does. */
  flush(): Promise<void>
  /** Writes a line beside the newest segment, if the disk will. */
  appendKey(line: string): void
  /** bytes in the newest segment */
  size(): number
  /** The next append begins a new segment. */
  rotate(): void
  /** Removes the oldest segment; its keys stay. */
  forgetFirst(): void
  forgetKeys(segment: number): void
  remembered: SegmentFiles['remembered']
  /** The next line is the so many-th of all. */
  countFrom(lines: number): void
  close(): void
}

/** The newest of the numbered files, opened when it is written to and begun anew when somebody deleted it. */
const createNewest = (folder: string, files: SegmentFiles, elapsedMs: () => number) => {
  const numbers = files.list('jsonl')
  let open: Record<SegmentKind, AppendFile | null> = { jsonl: null, keys: null }
  let lookedMs = 0

  const close = (): void => {
    open.jsonl?.close()
    open.keys?.close()
    open = { jsonl: null, keys: null }
  }

  const rotate = (): void => {
    close()
    numbers.push((numbers.at(-1) ?? files.list('keys').at(-1) ?? 0) + 1)
  }

  const lookForFolder = (): void => {
    const nowMs = elapsedMs()
    if (open.jsonl === null || nowMs - lookedMs < LOOK_EVERY_MS) return
    lookedMs = nowMs
    if (open.jsonl.isGone()) rotate()
  }

  const toWriteTo = (kind: SegmentKind): AppendFile => {
    lookForFolder()
    if (numbers.length === 0) {
      makeFolder(folder)
      rotate()
    }
    const opened = open[kind]
    if (opened) return opened
    makeFolder(folder)
    const file = openAppendFile(files.path(numbers.at(-1)!, kind))
    if (file.size() === 0) flushFolder(folder)
    open[kind] = file
    return file
  }

  return { numbers, rotate, toWriteTo, close, size: () => open.jsonl?.size() ?? 0 }
}

/** How many lines there have been, and which segment is the first: remembered, so that a loss is noticed. */
const createCount = (files: SegmentFiles, numbers: number[]) => {
  const known = files.remembered()
  let first = known === null || known === 'damaged' ? (numbers[0] ?? 1) : known.first
  let lines = 0
  const remember = (): void => {
    if (numbers.length > 0) files.remember({ first, newest: numbers.at(-1)!, lines })
  }
  return {
    known,
    remember,
    lines: () => lines,
    add: (more: number): void => {
      lines += more
    },
    from: (count: number): void => {
      lines = count
    },
    forgotten: (segment: number): void => {
      first = segment + 1
      remember()
    },
  }
}

/** Throws as fs does when the folder cannot be made or listed. */
export const createSegments = (folder: string, elapsedMs: () => number, events: WaitingEvents): Segments => {
  makeFolder(folder)
  const files = createSegmentFiles(folder)
  const newest = createNewest(folder, files, elapsedMs)
  const { numbers } = newest
  const count = createCount(files, numbers)

  const write = (given: string[]): Place => {
    const file = newest.toWriteTo('jsonl')
    const isNew = file.size() === 0
    const before = (isNew ? headerLine({ first: count.lines() }) : '') + given.slice(0, -1).join('')
    const offset = file.append(Buffer.from(before + given.at(-1)!)) + Buffer.byteLength(before)
    count.add(given.length)
    if (isNew) count.remember()
    return { segment: numbers.at(-1)!, offset }
  }

  const waiting = createWaitingLines(write, events)

  const appendKey = (line: string): void => {
    try {
      newest.toWriteTo('keys').append(Buffer.from(line))
    } catch {
      /* the begin line holds the key; one that is freed and stays is only never tried again */
    }
  }

  return {
    numbers: () => numbers,
    keyNumbers: () => files.list('keys'),
    read: files.read,
    readAt: ({ segment, offset }, length) => files.readAt(segment, offset, length),
    bytes: (segment) => fs.statSync(files.path(segment, 'jsonl'), { throwIfNoEntry: false })?.size ?? 0,
    append: waiting.append,
    appendNow: (line) => write([line]),
    flush: () => newest.toWriteTo('jsonl').flush(),
    appendKey,
    size: newest.size,
    rotate: newest.rotate,
    forgetFirst: () => {
      const segment = numbers.shift()!
      count.forgotten(segment)
      void files.remove(segment, 'jsonl').catch(() => undefined)
    },
    forgetKeys: (segment) => void files.remove(segment, 'keys').catch(() => undefined),
    remembered: () => count.known,
    countFrom: count.from,
    close: () => {
      waiting.close()
      count.remember()
      newest.close()
    },
  }
}
