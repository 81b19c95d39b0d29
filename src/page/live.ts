import { signal } from '@preact/signals'
import type { RunSummary } from '../sdk/index.ts'

/** Has it not ended? */
export const isLive = ({ ended_at }: Pick<RunSummary, 'ended_at'>): boolean => ended_at === null

const MAX_GONE = 1000

/** What runs now, the newest first, as far as it was told. */
export function createLive() {
  const runs = signal<RunSummary[]>([])
  /** the newest that ended, for lists that show it */
  const ended = signal<RunSummary | null>(null)
  /** told to have ended since all of them were told */
  const gone = new Set<string>()
  return {
    runs,
    ended,
    /** These, and no others. */
    are(all: RunSummary[]): void {
      runs.value = all.filter((run) => isLive(run) && !gone.has(run.id))
      gone.clear()
    },
    /** A step of one of them. */
    is(run: RunSummary): void {
      const at = runs.value.findIndex(({ id }) => id === run.id)
      if (!isLive(run)) {
        runs.value = runs.value.filter(({ id }) => id !== run.id)
        ended.value = run
        if (gone.size < MAX_GONE) gone.add(run.id)
      } else if (at < 0) runs.value = [run, ...runs.value]
      else runs.value = runs.value.with(at, run)
    },
  }
}
