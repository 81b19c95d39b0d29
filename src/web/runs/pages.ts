import { signal } from '@preact/signals'
import type { HistoryQuery, RunSummary } from '../../sdk/index.ts'
import { ask, messageOf } from '../wire.ts'
import { daySpan, idAt } from './days.ts'

const PAGE = 50
/** A filter of ours may find nothing in a page: so many are looked through before a person is asked to go on. */
const MAX_PAGES = 10

/** What is looked for; each empty: all. */
export interface Filter {
  q: string
  status: string
  /** whose runs */
  token: string
  /** the tool that they came by */
  dialect: string
  /** 2026-11-22 */
  day: string
}

/** History page by page, the newest first. The service filters by text and status; whose, by what and when is looked at here. */
export function createPages({ q, status, day, ...exact }: Filter) {
  const runs = signal<RunSummary[]>([])
  const state = signal<'loading' | 'more' | 'all' | 'failed'>('loading')
  const error = signal('')
  const span = day === '' ? null : daySpan(day)
  let before = span ? idAt(span.to) : undefined
  let isLeft = false

  const page = async (): Promise<boolean> => {
    const query = { limit: PAGE, q: q || undefined, status: status || undefined, before } as HistoryQuery
    const found = await ask((phone) => phone.history(query))
    before = found.at(-1)?.id ?? before
    const fits = (run: RunSummary) =>
      (['token', 'dialect'] as const).every((field) => exact[field] === '' || run[field] === exact[field]) &&
      (!span || run.id >= idAt(span.from))
    runs.value = [...runs.value, ...found.filter(fits).filter(({ id }) => !runs.value.some((known) => known.id === id))]
    return found.length < PAGE || (span !== null && found.at(-1)!.id < idAt(span.from))
  }
  const load = async (): Promise<void> => {
    state.value = 'loading'
    const wanted = runs.value.length + PAGE / 2
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
    /** The next of them. */
    async more(): Promise<void> {
      try {
        await load()
      } catch (trouble) {
        error.value = messageOf(trouble)
        state.value = 'failed'
      }
    },
    /** One that went on, or is new. */
    is(run: RunSummary): void {
      const at = runs.value.findIndex(({ id }) => id === run.id)
      if (at >= 0) runs.value = runs.value.with(at, run)
    },
    leave(): void {
      isLeft = true
    },
  }
}

export type Pages = ReturnType<typeof createPages>
