import type { Stream } from '../../shared/schema/index.ts'

/**
 * How a reader acknowledges output. `reports`: it reports what it has received. `starts`: it started the run, and sending counts as receipt.
 * `watches`: sending counts as receipt, until a reader that reports joins; from then on the run does not wait for watchers.
 */
export type ReaderKind = 'reports' | 'starts' | 'watches'

/** One reader of a run whose output waits for its readers. */
export interface OutputReader {
  /** Reports that the reader has received everything before this byte offset of the stream. */
  take(stream: Stream, offset: number): void
  /** Removes the reader; the run no longer waits for it. */
  leave(): void
}

/** A reader that the run does not wait for. */
export const unawaitedReader: OutputReader = { take: () => {}, leave: () => {} }

/** The readers of one run. */
export class Readers {
  readonly #present = new Map<Record<Stream, number>, ReaderKind>()
  #isReported = false

  /** `moved` is called whenever the slowest reader may have received more. */
  constructor(private readonly moved: () => void) {}

  join(kind: ReaderKind): OutputReader {
    const own = { stdout: 0, stderr: 0 }
    this.#present.set(own, kind)
    this.#isReported ||= kind === 'reports'
    return {
      take: (stream, offset) => {
        own[stream] = Math.max(own[stream], offset)
        this.moved()
      },
      leave: () => {
        if (this.#present.delete(own)) this.moved()
      },
    }
  }

  /** The number of bytes of a stream that all awaited readers have received; 0 without such readers. */
  taken(stream: Stream): number {
    const awaited = [...this.#present].filter(([, kind]) => kind !== 'watches' || !this.#isReported)
    return awaited.length === 0 ? 0 : Math.min(...awaited.map(([own]) => own[stream]))
  }
}
