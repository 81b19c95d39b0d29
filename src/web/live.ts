import { signal } from '@preact/signals'
import type { RunSummary } from '../sdk/index.ts'
import { createSnapshots } from './snapshots.ts'

export const isLive = ({ ended_at }: Pick<RunSummary, 'ended_at'>): boolean => ended_at === null

/** Sorts runs in place; their ids begin with the time of the request. */
export const newestFirst = (runs: RunSummary[]): RunSummary[] => runs.sort((a, b) => (a.id < b.id ? 1 : -1))

/** Whether the service stopped during a run. Its record then has no start, and its end is when the service noticed that. */
export const isCutOff = ({ notes }: Pick<RunSummary, 'notes'>): boolean =>
  notes.some(({ code }) => code === 'SERVICE_STOPPED')

/** The live runs, newest first, as far as this page has received them. */
export function createLiveRuns() {
  const runs = signal<RunSummary[]>([])
  /** the run that ended last, for lists that also show ended runs */
  const ended = signal<RunSummary | null>(null)
  const snapshots = createSnapshots()
  return {
    runs,
    ended,
    /** Replaces the live runs with a list, except those for which a newer event arrived. */
    load: (ask: () => Promise<RunSummary[]>): Promise<void> =>
      snapshots.load(ask, (all, changed) => {
        const listed = all.filter((run) => isLive(run) && !changed.has(run.id))
        const newer = runs.value.filter(({ id }) => changed.has(id))
        runs.value = newestFirst([...newer, ...listed])
      }),
    /** Handles an event: the state of a run changed. */
    update(run: RunSummary): void {
      snapshots.note(run.id)
      const index = runs.value.findIndex(({ id }) => id === run.id)
      if (!isLive(run)) {
        runs.value = runs.value.filter(({ id }) => id !== run.id)
        ended.value = run
      } else if (index < 0) runs.value = [run, ...runs.value]
      else runs.value = runs.value.with(index, run)
    },
    clear(): void {
      snapshots.discard()
      runs.value = []
      ended.value = null
    },
  }
}
