import { useEffect, useRef } from 'preact/hooks'
import type { RunSummary } from '../../sdk/index.ts'
import { Button, Title } from '../parts/basics.tsx'
import { isLive } from '../live.ts'
import type { Sort } from '../parts/sorted-table.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useReconnect } from '../parts/use-reconnect.ts'
import { go, hrefOf } from '../route.ts'
import { isWaiting } from '../waiting.ts'
import { connection, live, mayAnswer } from '../wire.ts'
import { words } from '../words.ts'
import { Filters, filterIn } from './filters.tsx'
import { isHidden, type Pages, pagesOf } from './pages.ts'
import { RunTable, sortIn } from './run-table.tsx'

/** Live runs, then ended runs, newest first, loaded as the user scrolls. */
export function RunList({ query }: { query: URLSearchParams }) {
  const filter = filterIn(query)
  const sort = sortIn(query)
  const address = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString()
  const setSort = (next: Sort | null) => go(hrefOf('runs', [], { ...filter, sort: toText(next) }), 'replace')
  const pages = pagesOf(filter)
  useReconnect(() => {
    if (pages.state.value === 'failed') void pages.more()
    else if (pages.state.value !== 'loading') pages.catchUp().catch(() => {}) // the next connection tries again
  })
  const { status, files, ...others } = filter
  const showsLiveRuns = ['', 'live', 'waiting'].includes(status) && Object.values(others).every((value) => value === '')
  const fits = (run: RunSummary) =>
    !isHidden(filter, run) && (!showsLiveRuns || status === '' || (status === 'waiting' ? isWaiting(run) : isLive(run)))
  const running = showsLiveRuns ? live.runs.value : []
  const past = pages.runs.value.filter(({ id }) => !running.some((run) => run.id === id))
  const all = [...running, ...past].filter(fits)
  return (
    <>
      <Title>{words.views.runs}</Title>
      <Filters filter={filter} seen={all} />
      <RunTable runs={all} {...{ sort, setSort }} isPart={pages.state.value === 'more'} />
      <ListEnd pages={pages} isEmpty={all.length === 0} isFiltered={address !== ''} />
    </>
  )
}

const toText = (sort: Sort | null): string => (sort ? `${sort.sign < 0 ? '-' : ''}${sort.by}` : '')

/** The end of the list; scrolling to it loads more. */
function ListEnd({ pages, isEmpty, isFiltered }: { pages: Pages; isEmpty: boolean; isFiltered: boolean }) {
  const below = useRef<HTMLDivElement>(null)
  const state = pages.state.value
  useEffect(() => {
    if (state !== 'more') return
    const seen = new IntersectionObserver((entries) => entries.at(-1)!.isIntersecting && void pages.more(), {
      rootMargin: '400px',
    })
    seen.observe(below.current!)
    return () => seen.disconnect()
  }, [state, pages])
  if (state === 'loading' || (state === 'failed' && connection.value.state === 'lost')) return <Loading />
  if (state === 'failed') return <Failed message={pages.error.value} again={() => void pages.more()} />
  if (state === 'all' && isEmpty) {
    if (!isFiltered) return <Empty icon="runs">{mayAnswer.value ? words.runs.none : words.runs.noneLimited}</Empty>
    return (
      <Empty icon="runs">
        {words.runs.noMatch} <a href={hrefOf('runs')}>{words.runs.clear}</a>
      </Empty>
    )
  }
  return (
    <div ref={below} class="list-end">
      {state === 'all' ? (
        <p class="hint">{words.runs.all}</p>
      ) : (
        <Button onClick={() => void pages.more()}>{words.runs.more}</Button>
      )}
    </div>
  )
}
