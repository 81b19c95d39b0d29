import { signal } from '@preact/signals'
import type { HistoryQuery, RunPhone, RunSummary } from '../../sdk/index.ts'
import { newestFirst } from '../live.ts'
import { route } from '../route.ts'
import { ask, live, messageOf, phone } from '../wire.ts'
import { daySpan, lowestIdAt } from './days.ts'

const PAGE_RUNS = 50
/** The page itself filters by some fields, so a batch may contain no match. It searches this many batches before it stops and shows a button. */
const MAX_PAGES = 10
/** A longer list is dropped while another view is open. */
const MAX_STORED_RUNS = 2000

/** What to search for; an empty field matches everything. */
export interface Filter {
  q: string
  status: string
  token: string
  dialect: string
  /** the name of a session */
  session: string
  /** in the form 2026-11-22 */
  day: string
  /** `shown`: also file operations */
  files: string
}

/** Whether a run is hidden because it is a file operation: opening a directory in a browser is one, so they would fill the list. */
export const isHidden = ({ dialect, files }: Filter, run: RunSummary): boolean =>
  run.dialect === 'files' && dialect === '' && files === ''

/** Returns a function that says whether a run matches the fields by which the service cannot filter. */
const matcherOf =
  (filter: Filter, span: ReturnType<typeof daySpan> | null) =>
  (run: RunSummary): boolean => {
    const { token, dialect, session } = filter
    return (
      !isHidden(filter, run) &&
      (token === '' || run.token === token) &&
      (dialect === '' || run.dialect === dialect) &&
      (session === '' || run.session?.name === session) &&
      (!span || run.id >= lowestIdAt(span.from))
    )
  }

/** A page of the runs that fit the text and status of a filter, newest first. */
function list({ q, status }: Filter, before?: string): Promise<RunSummary[]> {
  const wanted = { q: q || undefined, status: (status === 'waiting' ? 'live' : status) || undefined }
  return ask((phone) => phone.history({ limit: PAGE_RUNS, before, ...wanted } as HistoryQuery))
}

/** The history in pages, newest first. The service filters by text and status, this page by token, dialect and day. */
function createPages(filter: Filter) {
  const { day } = filter
  const runs = signal<RunSummary[]>([])
  const state = signal<'loading' | 'more' | 'all' | 'failed'>('loading')
  const error = signal('')
  const span = day === '' ? null : daySpan(day)
  const fits = matcherOf(filter, span)
  const isUnfiltered = Object.entries(filter).every(([field, value]) => value === '' || field === 'files')
  /** the runs that ended while a page was requested, which may list them as live */
  const endedMeanwhile = new Map<string, RunSummary>()
  let before = span ? lowestIdAt(span.to) : undefined
  let isLeft = false

  const page = async (): Promise<boolean> => {
    endedMeanwhile.clear()
    const found = (await list(filter, before)).map((run) => endedMeanwhile.get(run.id) ?? run)
    before = found.at(-1)?.id ?? before
    const added = found.filter((run) => fits(run) && !runs.value.some(({ id }) => id === run.id))
    runs.value = newestFirst([...runs.value, ...added])
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
  const end = (run: RunSummary): void => {
    if (state.value === 'loading') endedMeanwhile.set(run.id, run)
    const others = runs.value.filter(({ id }) => id !== run.id)
    if (isUnfiltered || others.length < runs.value.length) runs.value = newestFirst([...others, run])
  }
  return {
    runs,
    state,
    error,
    /** Handles an event: a run ended. Adds it if it is new and there is no filter. */
    end,
    /** Handles the ends among the newest runs that had no event, because the connection was lost. */
    async catchUp(): Promise<void> {
      for (const run of await list(filter)) if (run.ended_at !== null) end(run)
    },
    /** Loads the next page. */
    async more(): Promise<void> {
      try {
        await load()
      } catch (failure) {
        error.value = messageOf(failure)
        state.value = 'failed'
      }
    },
    leave(): void {
      isLeft = true
    },
  }
}

export type Pages = ReturnType<typeof createPages>

/** The list that was shown last, with its filter and its phone. */
let last: { key: string; of: RunPhone; pages: Pages } | null = null

/** The history for a filter; the one before, with all that it has loaded, if it is the same. */
export function pagesOf(filter: Filter): Pages {
  const key = JSON.stringify(filter)
  if (last?.key === key && last.of === phone()) return last.pages
  last?.pages.leave()
  const pages = createPages(filter)
  last = { key, of: phone(), pages }
  void pages.more()
  return pages
}

// a signal that is read while drawing shows only the last of several runs that end at once
live.ended.subscribe((run) => {
  if (!run || last?.of !== phone()) return
  last.pages.end(run)
  if (route.peek().view !== 'runs' && last.pages.runs.value.length > MAX_STORED_RUNS) last = null
})
