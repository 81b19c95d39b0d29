import type { Place, Segments } from './segments.ts'

const SEGMENT_BYTES = 1_048_576
const RETAIN_EVERY_MS = 3_600_000

/** Lines on their way into the newest segment. */
export interface HistoryWriter {
  /** null: the disk refused, and is tried again. */
  write(line: string, isBegin?: boolean): Place | null
  /** The begin line of a run that has a key, and the key beside it; resolves when the line is on the disk itself. Rejects as fs does. */
  writeKeyed(line: string, keyLine: string): Promise<Place>
}

export interface HistoryWriterOptions {
  /** null: in memory alone */
  segments: Segments | null
  /** forgets what is too old; when a segment begins, and every hour */
  retain(): void
  /** removes old output where the disk is full */
  makeRoom(): Promise<unknown>
  elapsedMs(): number
}

const isFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOSPC'

/** A new segment begins when the newest is full. */
export const createHistoryWriter = ({ segments, retain, makeRoom, elapsedMs }: HistoryWriterOptions): HistoryWriter => {
  let retainedMs = elapsedMs()

  const turnPage = (file: Segments): void => {
    const full = file.size() > SEGMENT_BYTES
    if (full) file.rotate()
    if (!full && elapsedMs() - retainedMs < RETAIN_EVERY_MS) return
    retainedMs = elapsedMs()
    setImmediate(retain)
  }

  const appendNow = async (file: Segments, line: string): Promise<Place> => {
    try {
      return file.appendNow(line)
    } catch (error) {
      if (!isFull(error)) throw error
      await makeRoom()
      return file.appendNow(line)
    }
  }

  return {
    write: (line, isBegin) => {
      if (segments === null) return null
      turnPage(segments)
      return segments.append(line, isBegin)
    },
    writeKeyed: async (line, keyLine) => {
      if (segments === null) throw new Error('history is kept in memory alone')
      turnPage(segments)
      const place = await appendNow(segments, line)
      segments.appendKey(keyLine)
      await segments.flush()
      return place
    },
  }
}
