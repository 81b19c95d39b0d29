import { useEffect } from 'preact/hooks'
import { AskBar } from './ask-bar.tsx'
import { chosen, isFleet } from './fleet-phones.ts'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { More } from './more.tsx'
import { Empty } from './parts/states.tsx'
import { Icon } from './parts/icon.tsx'
import { hrefOf, route } from './route.ts'
import { type View, views } from './views.ts'
import { questions } from './wire.ts'
import { words } from './words.ts'

const MORE = { name: 'more', icon: 'more' } as const

/** Around every view: the header, the bar, and what waits. */
export function Frame() {
  const { view } = route.value
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {words.skip}
      </a>
      <Header />
      <nav class="bar" aria-label={words.frame.navigation}>
        {views.map((one) => (
          <Place key={one.name} name={one.name} icon={one.icon} isFirst={one.isFirst} now={view} />
        ))}
        <Place {...MORE} isFirst now={view} />
      </nav>
      <main id="main">
        <Content />
      </main>
      <AskBar />
      <Help />
    </>
  )
}

function skip(event: Event): void {
  event.preventDefault() // the address is the view's
  document.querySelector<HTMLElement>('main h1')?.focus()
}

type PlaceProps = Pick<View, 'icon' | 'isFirst'> & { name: View['name'] | 'more'; now: string }

function Place({ name, icon, isFirst, now }: PlaceProps) {
  const waiting = name === 'approvals' ? questions.waiting.value.length : 0
  const isHere = name === (now || views[0]!.name) || (name === 'more' && isBehindMore(now))
  return (
    <a
      href={hrefOf(name)}
      class={`place ${isFirst ? 'first' : 'later'} ${name === 'more' ? 'more' : ''}`}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span>{words.views[name]}</span>
      {waiting > 0 && <b class="count">{waiting}</b>}
    </a>
  )
}

const isBehindMore = (now: string): boolean => views.some(({ name, isFirst }) => name === now && !isFirst)

function Content() {
  const { view, rest, query } = route.value
  const row = view === '' ? views[0] : views.find(({ name }) => name === view)
  useEffect(() => scrollTo(0, 0), [view, rest.join('/')])
  if (view === 'more') return <More />
  if (isFleet.value && chosen.value === null && view !== 'approvals') {
    return <Empty icon="phone">{words.frame.noPhone}</Empty>
  }
  if (!row) return <Empty icon="search">{words.nothingHere}</Empty>
  return <row.Component key={`${row.name} ${chosen.value}`} rest={rest} query={query} />
}
