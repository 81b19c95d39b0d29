import { type LoadSample, MAX_LOAD_MINUTES, MIN_LOAD_MINUTES } from '../../shared/schema/index.ts'

const MINUTE_MS = 60_000

interface TimedSample {
  atMs: number
  sample: LoadSample
}

/** Stores the samples of the last ten minutes, and a summary of each minute of the last 24 hours in which a sample was taken. */
export class LoadHistory {
  #samples: TimedSample[] = []
  #minutes: TimedSample[] = []

  get latestMs(): number {
    return this.#samples.at(-1)?.atMs ?? 0
  }

  add(next: TimedSample): void {
    this.#samples = since([...this.#samples, next], next.atMs - MIN_LOAD_MINUTES * MINUTE_MS)
    const last = this.#minutes.at(-1)
    if (last && minuteOf(last) === minuteOf(next)) {
      this.#minutes.splice(-1, 1, { ...next, sample: combine(last.sample, next.sample) })
      return
    }
    const minutes = since([...this.#minutes, next], next.atMs - MAX_LOAD_MINUTES * MINUTE_MS)
    this.#minutes = minutes.slice(-MAX_LOAD_MINUTES)
  }

  /** Returns the samples of a span that ends at `toMs`, and the newest one before it. A span of more than ten minutes has summaries. */
  read(minutes: number, toMs: number): LoadSample[] {
    const stored = minutes > MIN_LOAD_MINUTES ? this.#minutes : this.#samples
    return since(stored, toMs - minutes * MINUTE_MS).map(({ sample }) => sample)
  }
}

/** The samples since a time and the newest one before it, which shows the state at that time. */
function since(samples: TimedSample[], fromMs: number): TimedSample[] {
  const first = samples.findIndex(({ atMs }) => atMs >= fromMs)
  return samples.slice(first === -1 ? -1 : Math.max(0, first - 1))
}

const minuteOf = ({ atMs }: TimedSample) => Math.floor(atMs / MINUTE_MS)

const combine = (earlier: LoadSample, later: LoadSample): LoadSample => ({
  ...later,
  running: Math.max(earlier.running, later.running),
  queued: Math.max(earlier.queued, later.queued),
  begun: earlier.begun + later.begun,
  lag_ms: Math.max(earlier.lag_ms, later.lag_ms),
})
