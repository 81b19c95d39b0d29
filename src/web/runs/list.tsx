import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Button, Title } from '../parts/basics.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { live } from '../wire.ts'
import { words } from '../words.ts'
import { Filters, filterIn } from './filters.tsx'
import { createPages, type Pages } from './pages.ts'

/** What runs, then what ran, the newest first, without an end. */
export function List({ query }: { query: URLSearchParams }) {
  const filter = filterIn(query)
  const address = query.toString()
  const pages = useMemo(() => createPages(filter), [address])
  useEffect(() => {
    void pages.more()
    return () => pages.leave()
  }, [pages])
  const ended = live.ended.value
  useEffect(() => {
    if (ended) pages.is(ended)
  }, [ended])
  const isWhole = address === '' || address === 'status=live'
  const running = isWhole ? live.runs.value : []
  const past = pages.runs.value.filter(({ id }) => !running.some((run) => run.id === id))
  const fresh = isWhole && ended && !past.some(({ id }) => id === ended.id) && address === '' ? [ended] : []
  const all = [...running, ...fresh, ...past.filter((run) => address !== 'status=live' || run.ended_at === null)]
  return (
    <>
      <Title>{words.views.runs}</Title>
      <Filters filter={filter} seen={all} />
      {all.length > 0 && (
        <ul class="rows">
          {all.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
      <End pages={pages} isEmpty={all.length === 0} isFiltered={address !== ''} />
    </>
  )
}

/** What stands below the list: more comes when it is scrolled to. */
function End({ pages, isEmpty, isFiltered }: { pages: Pages; isEmpty: boolean; isFiltered: boolean }) {
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
  if (state === 'failed') return <Failed message={pages.error.value} again={() => void pages.more()} />
  if (state === 'loading') return <Loading />
  if (state === 'all' && isEmpty) return <Empty icon="runs">{isFiltered ? words.runs.noneFits : words.runs.none}</Empty>
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
