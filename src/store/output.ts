import { type CancelSignal, ShellphoneError, type Stream } from '../schema/index.ts'
import { isMissing, reasonOf } from './folder.ts'

/** One read gives at most so much. */
export const MAX_READ_BYTES = 1_048_576

export interface Offsets {
  stdout: number
  stderr: number
}

/** Bytes of one stream and where in it they begin. A jump in `offset` says that the bytes between were not kept. */
export interface OutputPiece {
  stream: Stream
  offset: number
  data: Buffer
}

export interface FollowOptions {
  signal?: CancelSignal
  /** never end a piece inside a UTF-8 character (but at the very end of the stream) */
  text?: boolean
  /** waited for before each piece is read; default: the next turn of the event loop */
  turn?: () => Promise<void>
}

/** What of a stream came and what of it is kept. `sha256` (hex) is of all that came, kept or not; null: not known. */
export interface StreamSummary {
  bytes: number
  keptBytes: number
  sha256: string | null
  /** checksums of what files hold of it, block by block */
  sums?: string | undefined
}

export interface SpoolSummary {
  stdout: StreamSummary
  stderr: StreamSummary
  /** in which order the bytes came: lengths that alternate stdout, stderr, stdout … */
  order: number[]
  /** plain words on what was not kept, and why */
  notes: string[]
}

/** A run's output for whoever reads it, while it runs and after. Offsets are bytes of one stream. */
export interface RunOutput {
  size(stream: Stream): number
  /** the first so many bytes can be read */
  keptBytes(stream: Stream): number
  finished(): boolean
  /** At most `limit` bytes (and at most 1 MiB), fewer at the end; OUT_OF_RANGE past the end, EXPIRED where bytes were not kept. */
  read(stream: Stream, offset: number, limit: number): Promise<Buffer>
  /** Both streams in the order they came, in pieces of at most 64 KiB, until the end; OUT_OF_RANGE past the end. */
  follow(start: Offsets, options?: FollowOptions): AsyncIterable<OutputPiece>
}

/** What the history takes over of an ended spool. */
export interface SmallOutput {
  stdout: Buffer
  stderr: Buffer
}

/** Says OUT_OF_RANGE for offsets that are no offsets of this stream. */
export const checkOffset = (offset: number, end: number): void => {
  if (Number.isSafeInteger(offset) && offset >= 0 && offset <= end) return
  throw new ShellphoneError('OUT_OF_RANGE', `offset: expected 0 to ${end}, got ${offset}`, { field: 'offset' })
}

const expired = (id: string): ShellphoneError =>
  new ShellphoneError('EXPIRED', `The output of run ${id} was swept to make room`)

/** What was read of a run's file; EXPIRED when the file is gone or cut, EXECUTION_ERROR when the disk will not. */
export const readOrExpired = async (id: string, reading: Promise<Buffer>): Promise<Buffer> => {
  try {
    const bytes = await reading
    if (bytes.length > 0) return bytes
  } catch (error) {
    if (error instanceof ShellphoneError) throw error
    if (!isMissing(error)) {
      throw new ShellphoneError('EXECUTION_ERROR', `Output cannot be read back: ${reasonOf(error)}`)
    }
  }
  throw expired(id)
}

/** The error for bytes that came and are not kept. */
export const notKept = (stream: Stream, keptBytes: number): ShellphoneError =>
  new ShellphoneError('EXPIRED', `${stream}: only the first ${keptBytes} bytes were kept`)
