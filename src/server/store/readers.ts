import type { Stream } from '../../shared/schema/index.ts'

/**
 * `reports`: says itself what it has taken. `starts`: started the run; what was sent to it counts. `watches`: what was sent to it counts,
 * until a reader comes that reports: from then on the run does not wait for those that only watch.
 */
export type ReaderKind = 'reports' | 'starts' | 'watches'

/** One reader of a run whose output waits for its readers. What it has taken is its own. */
export interface OutputReader {
  /** It has all of the stream before the byte offset. */
  take(stream: Stream, offset: number): void
  /** It has gone, and is not waited for. */
  leave(): void
}

/** Whom nothing waits for. */
export const unawaited: OutputReader = { take: () => {}, leave: () => {} }

/** All readers of one run. */
export class Readers {
  readonly #present = new Map<Record<Stream, number>, ReaderKind>()
  #isReported = false

  /** `moved`: called whenever the slowest may have taken more. */
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

  /** What all readers that the run waits for have taken of a stream; 0 where there are none. */
  taken(stream: Stream): number {
    const awaited = [...this.#present].filter(([, kind]) => kind !== 'watches' || !this.#isReported)
    return awaited.length === 0 ? 0 : Math.min(...awaited.map(([own]) => own[stream]))
  }
}
