import { signal } from '@preact/signals'
import type { RunSummary } from '../sdk/index.ts'
import { createSnapshots } from './snapshots.ts'

/** Has it not ended? */
export const isLive = ({ ended_at }: Pick<RunSummary, 'ended_at'>): boolean => ended_at === null

/** What runs now, the newest first, as far as it was told. */
export function createLive() {
  const runs = signal<RunSummary[]>([])
  /** the newest that ended, for lists that show it */
  const ended = signal<RunSummary | null>(null)
  const snapshots = createSnapshots()
  return {
    runs,
    ended,
    /** These and no others run, except where an event says something newer. */
    load: (ask: () => Promise<RunSummary[]>): Promise<void> =>
      snapshots.load(ask, (all, changed) => {
        const listed = all.filter((run) => isLive(run) && !changed.has(run.id))
        const newer = runs.value.filter(({ id }) => changed.has(id))
        runs.value = [...newer, ...listed].sort((a, b) => (a.id < b.id ? 1 : -1))
      }),
    /** A step of one of them. */
    is(run: RunSummary): void {
      snapshots.note(run.id)
      const at = runs.value.findIndex(({ id }) => id === run.id)
      if (!isLive(run)) {
        runs.value = runs.value.filter(({ id }) => id !== run.id)
        ended.value = run
      } else if (at < 0) runs.value = [run, ...runs.value]
      else runs.value = runs.value.with(at, run)
    },
    forget(): void {
      snapshots.forget()
      runs.value = []
    },
  }
}
