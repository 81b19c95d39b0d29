import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { ChangeNotifier } from '../../shared/async/index.ts'
import { ShellphoneError, type Stream } from '../../shared/schema/index.ts'
import { isMissing, reasonOf } from './make-folder.ts'
import { type OutputReader, type ReaderKind, unawaitedReader } from './readers.ts'

export const streams = ['stdout', 'stderr'] as const
/** Maximum number of remembered switches between the streams; the order of later output is unknown. */
export const MAX_SWITCHES = 65_536
/** Maximum size of one read. */
const MAX_READ_BYTES = 1_048_576
/** Maximum size of a piece for a follower. */
const MAX_PIECE_BYTES = 65_536

export type Offsets = Record<Stream, number>

/** Bytes of one stream and their offset in it. A gap in `offset` means that the bytes between were not stored. */
export interface OutputPiece {
  stream: Stream
  offset: number
  data: Buffer
}

interface FollowOptions {
  signal?: AbortSignal
  /** never end a piece inside a UTF-8 character, except at the end of the stream */
  text?: boolean
  /** awaited before each piece is read; default: the next turn of the event loop */
  turn?: () => Promise<void>
}

/** A run's output for its readers, during the run and afterwards. Offsets are bytes of one stream. */
export abstract class RunOutput extends ChangeNotifier {
  abstract readonly id: string
  /** the order in which the bytes arrived: alternating lengths of stdout, stderr, stdout … (the first may be 0) */
  abstract readonly order: number[]
  /** bytes of the stream so far */
  abstract size(stream: Stream): number
  /** the number of bytes at the start of the stream that can be read */
  abstract keptBytes(stream: Stream): number
  /** whether the output is complete */
  abstract finished(): boolean
  /** the first offset at or after `offset` that can still be read; if none can, the end of the stream */
  abstract available(stream: Stream, offset: number): number
  /** Adds a reader. If output waits for its readers, more arrives only after all of them have received the earlier output. */
  reader(_kind: ReaderKind): OutputReader {
    return unawaitedReader
  }

  /** Reads at `offset`, which is before the end. Throws EXPIRED if its bytes were not stored; returns no bytes, or throws as fs does, if a file is truncated or missing. */
  protected abstract readAt(stream: Stream, offset: number, limit: number): Promise<Buffer>

  /** Counts a follower that joins (1) or leaves (-1), or a single read (0). */
  count(_change: 1 | 0 | -1): void {}

  /**
   * Reads at most `limit` bytes (and at most 1 MiB), fewer at the end. Throws OUT_OF_RANGE past the end, EXPIRED if the bytes were not
   * stored or have been deleted, EXECUTION_ERROR if the disk refuses.
   */
  async read(stream: Stream, offset: number, limit: number): Promise<Buffer> {
    this.count(0)
    const end = this.size(stream)
    checkOffset(offset, end)
    if (offset === end) return Buffer.alloc(0)
    try {
      const bytes = await this.readAt(stream, offset, Math.min(limit, MAX_READ_BYTES))
      if (bytes.length > 0) return bytes
    } catch (error) {
      if (error instanceof ShellphoneError) throw error
      if (!isMissing(error)) {
        throw new ShellphoneError('EXECUTION_ERROR', `Failed to read process output: ${reasonOf(error)}`)
      }
    }
    throw new ShellphoneError('EXPIRED', `The output of run ${this.id} was deleted to free space`)
  }

  /** Yields both streams in order of arrival, in pieces of at most 64 KiB, until the end or the abort. Throws OUT_OF_RANGE past the end. */
  follow(start: Offsets, options: FollowOptions = {}): AsyncIterable<OutputPiece> {
    for (const stream of streams) checkOffset(start[stream], this.size(stream))
    return follow(this, start, options)
  }
}

/** The error for output that arrived but was not stored. */
export const notKept = (stream: Stream, keptBytes: number): ShellphoneError =>
  new ShellphoneError('EXPIRED', `${stream}: only the first ${keptBytes} bytes were stored`)

/** Throws OUT_OF_RANGE unless the offset is at or before the end. */
export function checkOffset(offset: number, end: number): void {
  if (Number.isSafeInteger(offset) && offset >= 0 && offset <= end) return
  throw new ShellphoneError('OUT_OF_RANGE', `offset: expected 0 to ${end}, got ${offset}`, { field: 'offset' })
}

/** Sequences of continuation bytes: for every incomplete character, at least one of them completes it. */
const endings = [0x80, 0xbf].flatMap((byte) => [1, 2, 3].map((count) => Buffer.alloc(count, byte)))

/** The number of bytes (0 to 3) at the end of `bytes` that start an incomplete character. Invalid bytes do not count. */
export function cutCharacterBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    if (bytes[bytes.length - back]! < 0xc0) continue
    const cut = bytes.subarray(-back)
    return endings.some((ending) => isUtf8(Buffer.concat([cut, ending]))) ? back : 0
  }
  return 0
}

/** Bytes of a stream up to `to` that a follower has not received. */
interface FollowerStep {
  stream: Stream
  to: number
}

/** The position of one follower. It follows the recorded order, and beyond that it reads what each stream has. */
class Follower {
  readonly #at: Offsets
  /** the bytes that the order covers before its entry `index` */
  readonly #covered: Offsets = { stdout: 0, stderr: 0 }
  #index = 0
  /** the bytes before `at` of an incomplete character, withheld until the rest arrives */
  readonly #cut = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }

  constructor(
    private readonly output: RunOutput,
    start: Offsets,
    private readonly text: boolean,
  ) {
    this.#at = { ...start }
  }

  /** null: no more output yet */
  next(): FollowerStep | null {
    const { order } = this.output
    const isWhole = this.output.finished() || order.length >= MAX_SWITCHES
    for (; this.#index < order.length; this.#index++) {
      const stream = streams[this.#index % 2]!
      const to = this.#covered[stream] + order[this.#index]!
      if (this.#at[stream] < to) return { stream, to }
      if (this.#index === order.length - 1 && !isWhole) return null
      this.#covered[stream] = to
    }
    for (const stream of isWhole ? streams : []) {
      const to = this.output.size(stream)
      if (this.#at[stream] < to) return { stream, to }
    }
    return null
  }

  async read({ stream, to }: FollowerStep): Promise<OutputPiece[]> {
    const offset = Math.min(this.output.available(stream, this.#at[stream]), to)
    const before = offset > this.#at[stream] ? this.rest(stream) : []
    const limit = Math.min(to - offset, MAX_PIECE_BYTES - 4)
    const data = limit === 0 ? Buffer.alloc(0) : await readOnce(this.output, stream, offset, limit)
    this.#at[stream] = offset + data.length
    const cut = this.#cut[stream]
    const joined = cut.length > 0 ? Buffer.concat([cut, data]) : data
    const end = this.text ? joined.length - cutCharacterBytes(joined) : joined.length
    this.#cut[stream] = Buffer.from(joined.subarray(end))
    const at = this.#at[stream] - joined.length
    return end === 0 ? before : [...before, { stream, offset: at, data: joined.subarray(0, end) }]
  }

  /** The withheld bytes, which are sent before a gap and at the end. */
  rest(stream: Stream): OutputPiece[] {
    const data = this.#cut[stream]
    this.#cut[stream] = Buffer.alloc(0)
    return data.length === 0 ? [] : [{ stream, offset: this.#at[stream] - data.length, data }]
  }
}

interface SharedRead extends FollowerStep {
  output: RunOutput
  offset: number
  data: Promise<Buffer>
}

let latest: SharedRead | null = null

/** Followers of one run proceed in step, so they share one read. */
function readOnce(output: RunOutput, stream: Stream, offset: number, limit: number): Promise<Buffer> {
  const to = offset + limit
  const isSame = latest?.output === output && latest.stream === stream && latest.offset === offset && latest.to === to
  if (isSame) return latest!.data
  const data = output.read(stream, offset, limit)
  data.catch(() => {
    latest = null // the next read may succeed
  })
  latest = { output, stream, offset, to, data }
  return data
}

async function* follow(
  output: RunOutput,
  start: Offsets,
  { signal, text = false, turn = setImmediate }: FollowOptions,
) {
  const follower = new Follower(output, start, text)
  const wake = () => output.wake()
  signal?.addEventListener('abort', wake)
  output.count(1)
  try {
    for (;;) {
      await turn() // output that arrives in one turn of the event loop becomes one piece
      if (signal?.aborted) return
      const step = follower.next()
      if (step !== null) yield* await follower.read(step)
      else if (output.finished()) return yield* [...follower.rest('stdout'), ...follower.rest('stderr')]
      else if (!signal?.aborted) await output.changed() // an abort during the turn would not wake this follower
    }
  } finally {
    signal?.removeEventListener('abort', wake)
    output.count(-1)
  }
}
