import type { CancelSignal, Stream } from '../schema/index.ts'
import { type OrderList, streamAt, streams } from './order-list.ts'
import { checkOffset, type FollowOptions, type Offsets, type OutputPiece, type RunOutput } from './output.ts'
import { cutCharacterBytes } from './utf8-edge.ts'

/** No piece given to a reader is larger. */
export const MAX_PIECE_BYTES = 65_536

/** What a reader needs of a spool, running or ended. */
export interface OutputSource extends Pick<RunOutput, 'keptBytes' | 'finished' | 'read'> {
  order: OrderList
  /** bytes of the stream so far */
  end(stream: Stream): number
  /** the first offset at or after `offset` that can still be read; `end` when there is none */
  available(stream: Stream, offset: number): number
  /** null: no more will come; otherwise resolves when there is something new */
  changed(): Promise<void> | null
}

interface Step {
  stream: Stream
  from: number
  to: number
}

/** Walks the order list; where the list ends (sealed) it takes whatever either stream has. */
const createCursor = (source: OutputSource, start: Offsets) => {
  const at: Offsets = { stdout: 0, stderr: 0 }
  const entryStart: Offsets = { stdout: 0, stderr: 0 }
  let index = 0

  const inOrder = (): Step | null => {
    const { lengths } = source.order
    for (; index < lengths.length; index++) {
      const stream = streamAt(index)
      const to = entryStart[stream] + lengths[index]!
      const from = Math.max(at[stream], start[stream], entryStart[stream])
      if (from < to) return { stream, from, to }
      if (index === lengths.length - 1 && !source.order.sealed()) return null
      entryStart[stream] = to
    }
    return null
  }

  const outOfOrder = (): Step | null => {
    for (const stream of streams) {
      const from = Math.max(at[stream], start[stream], entryStart[stream])
      const to = source.end(stream)
      if (from < to) return { stream, from, to }
    }
    return null
  }

  return {
    next: () => inOrder() ?? (source.order.sealed() ? outOfOrder() : null),
    advance: (stream: Stream, to: number) => {
      at[stream] = to
    },
  }
}

/** Keeps back the bytes of a character that is not whole, until the rest of it comes. */
const createCharacterKeeper = () => {
  const kept: Record<Stream, Buffer | null> = { stdout: null, stderr: null }
  const whole = ({ stream, offset, data }: OutputPiece): OutputPiece | null => {
    const before = kept[stream]
    const joined = before ? Buffer.concat([before, data]) : data
    const cut = cutCharacterBytes(joined)
    kept[stream] = cut === 0 ? null : Buffer.from(joined.subarray(joined.length - cut))
    const first = offset - (before?.length ?? 0)
    return joined.length === cut ? null : { stream, offset: first, data: joined.subarray(0, joined.length - cut) }
  }
  /** What is still kept back of the stream, before a gap or at the end. */
  const rest = (stream: Stream, end: number): OutputPiece | null => {
    const data = kept[stream]
    kept[stream] = null
    return data && { stream, offset: end - data.length, data }
  }
  return { whole, rest }
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

/** Both streams in the order in which they came, from a pair of offsets on, until the run's output has ended or `signal` aborts. */
async function* follow(
  source: OutputSource,
  start: Offsets,
  { signal, text = false, turn = nextTurn }: FollowOptions = {},
): AsyncGenerator<OutputPiece, void, void> {
  const cursor = createCursor(source, start)
  const keeper = createCharacterKeeper()
  const ends: Offsets = { ...start }
  while (!signal?.aborted) {
    await turn() // what comes within one turn of the event loop is given as one piece
    const step = cursor.next()
    if (step === null) {
      const change = source.changed()
      if (change === null) break
      await changeOrAbort(change, signal)
      continue
    }
    const { stream } = step
    const from = Math.min(source.available(stream, step.from), step.to)
    if (from > step.from && text) {
      const rest = keeper.rest(stream, ends[stream])
      if (rest) yield rest
    }
    const limit = Math.min(step.to - from, MAX_PIECE_BYTES - 4)
    const data = limit === 0 ? Buffer.alloc(0) : await source.read(stream, from, limit)
    cursor.advance(stream, from + data.length)
    ends[stream] = from + data.length
    const piece = { stream, offset: from, data }
    const ready = data.length === 0 ? null : text ? keeper.whole(piece) : piece
    if (ready) yield ready
  }
  if (signal?.aborted) return
  for (const stream of streams) {
    const rest = keeper.rest(stream, ends[stream])
    if (rest) yield rest
  }
}

/** A source as its readers see it. */
export const toRunOutput = (source: OutputSource): RunOutput => ({
  size: source.end,
  keptBytes: source.keptBytes,
  finished: source.finished,
  read: source.read,
  follow: (start, options) => {
    for (const stream of streams) checkOffset(start[stream], source.end(stream))
    return follow(source, start, options)
  },
})
