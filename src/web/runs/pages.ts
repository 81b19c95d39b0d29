import { signal } from '@preact/signals'
import type { HistoryQuery, RunSummary } from '../../sdk/index.ts'
import { access } from '../access.ts'
import { ask, messageOf } from '../wire.ts'
import { daySpan, lowestIdAt } from './days.ts'

const PAGE_RUNS = 50
/** The page itself filters by some fields, so a batch may contain no match. It searches this many batches before it stops and shows a button. */
const MAX_PAGES = 10

/** What to search for; an empty field matches everything. */
export interface Filter {
  q: string
  status: string
  token: string
  dialect: string
  /** in the form 2026-11-22 */
  day: string
  /** `shown`: also the file operations of this browser */
  files: string
}

/** Whether the view Files of this browser started the run. */
export const isOwnFileOperation = ({ dialect, token }: RunSummary): boolean =>
  dialect === 'files' && token !== undefined && token === access.value?.name

/** The history in pages, newest first. The service filters by text and status, this page by token, dialect and day. */
export function createPages({ q, status, day, files, ...exact }: Filter) {
  const runs = signal<RunSummary[]>([])
  const state = signal<'loading' | 'more' | 'all' | 'failed'>('loading')
  const error = signal('')
  const span = day === '' ? null : daySpan(day)
  let before = span ? lowestIdAt(span.to) : undefined
  let isLeft = false

  const page = async (): Promise<boolean> => {
    const query = {
      limit: PAGE_RUNS,
      q: q || undefined,
      status: (status === 'waiting' ? 'live' : status) || undefined,
      before,
    } as HistoryQuery
    const found = await ask((phone) => phone.history(query))
    before = found.at(-1)?.id ?? before
    const fits = (run: RunSummary) =>
      (['token', 'dialect'] as const).every((field) => exact[field] === '' || run[field] === exact[field]) &&
      (!span || run.id >= lowestIdAt(span.from)) &&
      (files === 'shown' || exact.dialect !== '' || !isOwnFileOperation(run))
    runs.value = [...runs.value, ...found.filter(fits).filter(({ id }) => !runs.value.some((known) => known.id === id))]
    return found.length < PAGE_RUNS || (span !== null && found.at(-1)!.id < lowestIdAt(span.from))
  }
  const load = async (): Promise<void> => {
    state.value = 'loading'
    const wanted = runs.value.length + PAGE_RUNS / 2
    for (let pages = 0; pages < MAX_PAGES && !isLeft; pages++) {
      if (await page()) return void (state.value = 'all')
      if (runs.value.length >= wanted) break
    }
    state.value = 'more'
  }
  return {
    runs,
    state,
    error,
    /** Loads the next page. */
    async more(): Promise<void> {
      try {
        await load()
      } catch (failure) {
        error.value = messageOf(failure)
        state.value = 'failed'
      }
    },
    /** Handles an event: the state of a run changed. Ignores runs that are not in the list. */
    update(run: RunSummary): void {
      const at = runs.value.findIndex(({ id }) => id === run.id)
      if (at >= 0) runs.value = runs.value.with(at, run)
    },
    leave(): void {
      isLeft = true
    },
  }
}

export type Pages = ReturnType<typeof createPages>
