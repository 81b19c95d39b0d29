import { setTimeout as pause } from 'node:timers/promises'
import { type LoadSample, MIN_LOAD_MINUTES, toIso } from '../../shared/schema/index.ts'
import { releaseMemory } from './collector.ts'
import { LoadHistory } from './load-history.ts'

const SAMPLE_MS = 5_000
/** Interval while only runs are left that may last for days: background runs and terminals. */
const LONG_RUN_SAMPLE_MS = 60_000
/** Length of a timer that starts at each read. Its delay shows how long the event loop is blocked. */
const PROBE_MS = 10
/** Minimum number of runs before memory is returned, because fewer runs leave little memory to return. */
const MIN_RUNS = 500

/** The numbers of running and waiting runs. */
interface Load {
  running: number
  queued: number
  /** whether to take another sample soon, because not all of these runs are background runs and terminals */
  isBusy: boolean
}

interface LoadMeter {
  /** counts a run that has begun */
  note(): void
  /** takes a sample soon, because a run has ended or was approved */
  changed(): void
  /**
   * Resolves with the samples of that many minutes and the newest one before them; the last one is current. For more than ten minutes, the
   * other samples are summaries of one minute each.
   */
  read(minutes?: number): Promise<LoadSample[]>
}

/**
 * Measures the load in samples of five seconds. It takes one at its start, others while the service is busy, within five seconds after each
 * run that began or ended, and when somebody reads them, and one a minute while only background runs and terminals run. Between two samples,
 * no run began and the numbers of runs did not change. An idle service runs no timer. After many runs, and after a whole sample without a new
 * run, the meter returns memory to the system.
 * @fastify/under-pressure would wake an idle service every second.
 */
export function createLoadMeter(currentLoad: () => Load, now: () => number = Date.now): LoadMeter {
  const history = new LoadHistory()
  let begun = 0
  let runs = 0 // since memory was returned
  let timer: NodeJS.Timeout | null = null
  let dueAt = 0

  const sampleNow = (lagMs: number) => {
    const atMs = now()
    const sample = toSample(currentLoad(), begun, atMs, lagMs)
    const isDue = atMs - history.latestMs >= SAMPLE_MS * 0.9
    if (isDue) {
      begun = 0
      history.add({ atMs, sample })
    }
    return { atMs, sample, isDue }
  }
  const wait = (ms: number) => {
    if (timer !== null) clearTimeout(timer)
    dueAt = performance.now() + ms
    timer = setTimeout(tick, ms).unref()
  }
  const tick = () => {
    timer = null
    const [isQuiet, isWorthwhile] = [begun === 0, runs >= MIN_RUNS]
    sampleNow(Math.max(0, performance.now() - dueAt))
    const { isBusy, running } = currentLoad()
    if (isBusy || (isWorthwhile && !isQuiet)) return wait(SAMPLE_MS)
    if (running > 0) wait(LONG_RUN_SAMPLE_MS)
    if (!isWorthwhile) return
    runs = 0
    void releaseMemory()
  }

  const changed = () => {
    if (timer === null || dueAt - performance.now() > SAMPLE_MS) wait(SAMPLE_MS)
  }
  sampleNow(0)

  return {
    changed,
    note() {
      begun += 1
      runs += 1
      changed()
    },
    async read(minutes = MIN_LOAD_MINUTES) {
      const startedAt = performance.now()
      await pause(PROBE_MS)
      const { atMs, sample, isDue } = sampleNow(Math.max(0, performance.now() - startedAt - PROBE_MS))
      const stored = history.read(minutes, atMs)
      return isDue && minutes === MIN_LOAD_MINUTES ? stored : [...stored, { ...sample, begun }]
    },
  }
}

const toSample = ({ running, queued }: Load, begun: number, atMs: number, lagMs: number): LoadSample => ({
  at: toIso(atMs),
  running,
  queued,
  begun,
  memory_bytes: process.memoryUsage.rss(),
  lag_ms: Math.round(lagMs * 10) / 10,
})
