import { setTimeout as pause } from 'node:timers/promises'
import { type LoadSample, toIso } from '../../shared/schema/index.ts'
import { giveMemoryBack } from './collector.ts'

const SAMPLE_MS = 5_000
const KEPT_MS = 600_000
/** For who asks: a timer of so long is late by what holds up the event loop. */
const PROBE_MS = 10
/** Fewer leave little memory behind. */
const MIN_RUNS = 500

/** What runs, and what waits for a slot. */
interface Load {
  running: number
  queued: number
  /** whether there is so much to see that it is looked at again soon */
  isBusy: boolean
}

interface LoadMeter {
  /** a run has begun */
  note(): void
  /** the last ten minutes, the newest sample of now */
  read(): Promise<LoadSample[]>
}

/**
 * The last ten minutes in samples of five seconds. It looks while the service is busy, and when somebody asks: an idle service has no
 * timer of it, and the gap that this leaves was quiet. After many runs, when nothing has begun for a whole sample, memory is given back.
 * @fastify/under-pressure would wake an idle service every second.
 */
export function createLoadMeter(look: () => Load, now: () => number = Date.now): LoadMeter {
  const samples: { atMs: number; sample: LoadSample }[] = []
  let begun = 0
  let runs = 0 // since memory was given back
  let timer: NodeJS.Timeout | null = null
  let dueAt = 0

  const take = (lagMs: number) => {
    const { running, queued } = look()
    const atMs = now()
    const memory_bytes = process.memoryUsage.rss()
    const sample = { at: toIso(atMs), running, queued, begun, memory_bytes, lag_ms: Math.round(lagMs * 10) / 10 }
    const isDue = atMs - (samples.at(-1)?.atMs ?? 0) >= SAMPLE_MS * 0.9
    if (isDue) {
      begun = 0
      samples.push({ atMs, sample })
    }
    while (samples.length > 0 && atMs - samples[0]!.atMs > KEPT_MS) samples.shift()
    return isDue ? [] : [sample]
  }
  const wait = () => {
    dueAt = performance.now() + SAMPLE_MS
    timer = setTimeout(tick, SAMPLE_MS).unref()
  }
  const tick = () => {
    timer = null
    const [isQuiet, isMuch] = [begun === 0, runs >= MIN_RUNS]
    take(Math.max(0, performance.now() - dueAt))
    if (look().isBusy || (isMuch && !isQuiet)) return wait()
    if (!isMuch) return
    runs = 0
    void giveMemoryBack()
  }

  return {
    note() {
      begun += 1
      runs += 1
      if (timer === null) wait()
    },
    async read() {
      const startedAt = performance.now()
      await pause(PROBE_MS)
      const latest = take(Math.max(0, performance.now() - startedAt - PROBE_MS))
      return [...samples.map(({ sample }) => sample), ...latest]
    },
  }
}
