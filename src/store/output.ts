import { type CancelSignal, ShellphoneError, type Stream } from '../schema/index.ts'
import { isMissing, reasonOf } from './folder.ts'
import { cutCharacterBytes } from './utf8-edge.ts'

export const streams = ['stdout', 'stderr'] as const
const MAX_SWITCHES = 65_536
/** One read gives at most so much. */
const MAX_READ_BYTES = 1_048_576
/** No piece given to a follower is larger. */
const MAX_PIECE_BYTES = 65_536

export type Offsets = Record<Stream, number>

/** Bytes of one stream and where in it they begin. A jump in `offset` says that the bytes between were not kept. */
export interface OutputPiece {
  stream: Stream
  offset: number
  data: Buffer
}

interface FollowOptions {
  signal?: CancelSignal
  /** never end a piece inside a UTF-8 character (but at the very end of the stream) */
  text?: boolean
}

/** In which order the bytes of both streams came: the first 65 536 changes between them. */
export class Order {
  /** `lengths` alternate stdout, stderr, stdout … (the first may be 0); `isSealed`: nothing is added any more, and what they do not cover is in no known order */
  constructor(
    readonly lengths: number[] = [],
    public isSealed = false,
  ) {}

  add(stream: Stream, length: number): void {
    if (this.isSealed) return
    const { lengths } = this
    if (lengths.length === 0) lengths.push(0)
    if (streams[(lengths.length - 1) % 2] === stream) lengths[lengths.length - 1]! += length
    else if (lengths.length < MAX_SWITCHES) lengths.push(length)
    else this.isSealed = true
  }
}

/** A run's output for whoever reads it, while it runs and after. Offsets are bytes of one stream. */
export abstract class RunOutput {
  abstract readonly id: string
  abstract readonly order: Order
  /** bytes of the stream so far */
  abstract size(stream: Stream): number
  /** the first so many bytes can be read */
  abstract keptBytes(stream: Stream): number
  /** the first offset at or after `offset` that can still be read; the end of the stream where there is none */
  abstract available(stream: Stream, offset: number): number
  /** null: no more will come; otherwise resolves when there is something new */
  abstract changed(): Promise<void> | null
  /** `offset` lies before the end. EXPIRED where its bytes were not kept; nothing, or what fs throws, where a file is cut or gone. */
  protected abstract readAt(stream: Stream, offset: number, limit: number): Promise<Buffer>

  finished(): boolean {
    return this.changed() === null
  }

  /**
   * At most `limit` bytes (and at most 1 MiB), fewer at the end; OUT_OF_RANGE past the end, EXPIRED where bytes were not kept or are gone,
   * EXECUTION_ERROR where the disk will not.
   */
  async read(stream: Stream, offset: number, limit: number): Promise<Buffer> {
    const end = this.size(stream)
    checkOffset(offset, end)
    if (offset === end) return Buffer.alloc(0)
    try {
      const bytes = await this.readAt(stream, offset, Math.min(limit, MAX_READ_BYTES))
      if (bytes.length > 0) return bytes
    } catch (error) {
      if (error instanceof ShellphoneError) throw error
      if (!isMissing(error)) {
        throw new ShellphoneError('EXECUTION_ERROR', `Output cannot be read back: ${reasonOf(error)}`)
      }
    }
    throw new ShellphoneError('EXPIRED', `The output of run ${this.id} was swept to make room`)
  }

  /** Both streams in the order they came, in pieces of at most 64 KiB, until the end or the abort; OUT_OF_RANGE past the end. */
  follow(start: Offsets, options: FollowOptions = {}): AsyncIterable<OutputPiece> {
    for (const stream of streams) checkOffset(start[stream], this.size(stream))
    return follow(this, start, options)
  }
}

/** The error for bytes that came and are not kept. */
export const notKept = (stream: Stream, keptBytes: number): ShellphoneError =>
  new ShellphoneError('EXPIRED', `${stream}: only the first ${keptBytes} bytes were kept`)

function checkOffset(offset: number, end: number): void {
  if (Number.isSafeInteger(offset) && offset >= 0 && offset <= end) return
  throw new ShellphoneError('OUT_OF_RANGE', `offset: expected 0 to ${end}, got ${offset}`, { field: 'offset' })
}

/** What comes next after the offsets `at`: by the order, and beyond what it covers (sealed) whatever either stream has. */
function createCursor(output: RunOutput, at: Offsets) {
  const covered: Offsets = { stdout: 0, stderr: 0 }
  let index = 0
  return (): { stream: Stream; to: number } | null => {
    const { lengths, isSealed } = output.order
    for (; index < lengths.length; index++) {
      const stream = streams[index % 2]!
      const to = covered[stream] + lengths[index]!
      if (at[stream] < to) return { stream, to }
      if (index === lengths.length - 1 && !isSealed) return null
      covered[stream] = to
    }
    const stream = isSealed && streams.find((name) => at[name] < output.size(name))
    return stream ? { stream, to: output.size(stream) } : null
  }
}

/** Keeps back the bytes of a character that is not whole, until the rest of it comes. */
class CharacterKeeper {
  readonly #kept = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }

  /** The piece with what was kept back before it, as far as it is whole. */
  whole({ stream, offset, data }: OutputPiece): OutputPiece {
    const before = this.#kept[stream]
    const joined = before.length > 0 ? Buffer.concat([before, data]) : data
    const end = joined.length - cutCharacterBytes(joined)
    this.#kept[stream] = Buffer.from(joined.subarray(end))
    return { stream, offset: offset - before.length, data: joined.subarray(0, end) }
  }

  /** What is still kept back, before a gap or at the end: the stream was given up to `end`. */
  rest(stream: Stream, end: number): OutputPiece {
    const data = this.#kept[stream]
    this.#kept[stream] = Buffer.alloc(0)
    return { stream, offset: end - data.length, data }
  }
}

/** Resolves with `change` or at the abort, and leaves no listener behind. */
const changeOrAbort = (change: Promise<void>, signal: CancelSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
    change.then(done)
  })

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function* follow(output: RunOutput, start: Offsets, { signal, text = false }: FollowOptions) {
  const at = { ...start }
  const next = createCursor(output, at)
  const keeper = new CharacterKeeper()
  while (!signal?.aborted) {
    const step = next()
    if (step === null) {
      const change = output.changed()
      if (change === null) break
      await changeOrAbort(change, signal)
      // what comes within one turn of the event loop is given as one piece
      await nextTurn()
      continue
    }
    const { stream, to } = step
    const offset = Math.min(output.available(stream, at[stream]), to)
    const rest = offset > at[stream] ? keeper.rest(stream, at[stream]) : null
    if (rest && rest.data.length > 0) yield rest
    const limit = Math.min(to - offset, MAX_PIECE_BYTES - 4)
    const data = limit === 0 ? Buffer.alloc(0) : await output.read(stream, offset, limit)
    at[stream] = offset + data.length
    const piece = text ? keeper.whole({ stream, offset, data }) : { stream, offset, data }
    if (piece.data.length > 0) yield piece
  }
  if (signal?.aborted) return
  for (const stream of streams) {
    const rest = keeper.rest(stream, at[stream])
    if (rest.data.length > 0) yield rest
  }
}
