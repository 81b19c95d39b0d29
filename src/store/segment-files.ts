import fs from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { isMissing } from './folder.ts'
import { headerLine, parseSealed } from './history-line.ts'

/** The lines of a segment, and beside them the keys that it holds: those outlive it, and damage to one of the two loses none. */
export type SegmentKind = 'jsonl' | 'keys'

/** What was there when a segment began, was forgotten, or the store was closed: should there be less, it was lost. */
export interface Remembered {
  /** the first segment that is not forgotten */
  first: number
  newest: number
  /** the number of the line after the last one, counted from the very first */
  lines: number
}

/** The files of the history folder, by segment. Reading and listing throw as fs does. */
export interface SegmentFiles {
  path(segment: number, kind: SegmentKind): string
  /** oldest first */
  list(kind: SegmentKind): number[]
  /** empty when it is gone */
  read(segment: number, kind: SegmentKind): Buffer
  readAt(segment: number, offset: number, length: number): Buffer
  remove(segment: number, kind: SegmentKind): Promise<void>
  remember(remembered: Remembered): void
  /** null: nothing was remembered; `damaged`: it was, and cannot be read */
  remembered(): Remembered | 'damaged' | null
}

const NAME = /^(\d{8})\.(jsonl|keys)$/

export const createSegmentFiles = (folder: string): SegmentFiles => {
  const pathOf = (segment: number, kind: SegmentKind) =>
    path.join(folder, `${String(segment).padStart(8, '0')}.${kind}`)
  const memory = path.join(folder, 'remembered')

  const readOr = (file: string): Buffer | null => {
    try {
      return fs.readFileSync(file)
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  return {
    path: pathOf,
    list: (kind) =>
      fs
        .readdirSync(folder)
        .map((name) => NAME.exec(name))
        .flatMap((match) => (match?.[2] === kind ? Number(match[1]) : []))
        .sort((a, b) => a - b),
    read: (segment, kind) => readOr(pathOf(segment, kind)) ?? Buffer.alloc(0),
    readAt: (segment, offset, length) => {
      const descriptor = fs.openSync(pathOf(segment, 'jsonl'), 'r')
      try {
        const target = Buffer.alloc(length)
        return target.subarray(0, fs.readSync(descriptor, target, 0, length, offset))
      } finally {
        fs.closeSync(descriptor)
      }
    },
    remove: (segment, kind) => rm(pathOf(segment, kind), { force: true }),
    remember: (remembered) => {
      try {
        fs.writeFileSync(`${memory}.new`, headerLine(remembered), { mode: 0o600 })
        fs.renameSync(`${memory}.new`, memory)
      } catch {
        /* what is remembered is less then, and true */
      }
    },
    remembered: () => {
      const bytes = readOr(memory)
      return bytes && (parseSealed<Remembered>(bytes.subarray(0, -1)) ?? 'damaged')
    },
  }
}
