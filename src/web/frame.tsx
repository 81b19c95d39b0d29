import { useLayoutEffect, useRef } from 'preact/hooks'
import { ApprovalBar } from './approval-bar.tsx'
import { arePhonesLoaded, isFleet, phones } from './fleet-phones.ts'
import { linkPairing } from './fragment.ts'
import { Header } from './header.tsx'
import { More } from './more.tsx'
import { isHelpShown } from './page-keys.ts'
import { Title } from './parts/basics.tsx'
import { Empty, Loading } from './parts/states.tsx'
import { Icon } from './parts/icon.tsx'
import { LostBanner } from './parts/lost.tsx'
import { onDemand } from './parts/on-demand.tsx'
import { hrefOf, isOfOnePhone, route, selectedPhone } from './route.ts'
import { followScroll } from './scroll.ts'
import { shownViews, type View, views } from './views.ts'
import { approvals, connection } from './wire.ts'
import { words } from './words.ts'

const PairAgain = onDemand(() => import('./views/pair.tsx'))((module) => module.PairAgain)
const Help = onDemand(() => import('./help.tsx'))((module) => module.Help)

const MORE = { name: 'more', icon: 'more' } as const

/** The header, the navigation bar and the pending approvals, around every view. */
export function Frame() {
  const { view } = route.value
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {words.skip}
      </a>
      <Header />
      <nav class="bar" aria-label={words.frame.navigation}>
        {shownViews().map((one) => (
          <NavLink key={one.name} name={one.name} icon={one.icon} isInBar={one.isInBar} now={view} />
        ))}
        <NavLink {...MORE} isInBar now={view} />
      </nav>
      <main id="main">
        {(!connection.value.isOffline || isOfOnePhone(view)) && <LostBanner />}
        {linkPairing.value && <PairAgain />}
        <Content />
      </main>
      <ApprovalBar />
      <HelpOnceOpened />
    </>
  )
}

/** The list of keys loads when it is opened first, and stays: a dialog that closes returns the focus. */
function HelpOnceOpened() {
  const wasOpened = useRef(false)
  wasOpened.current ||= isHelpShown.value
  return wasOpened.current ? <Help /> : null
}

function skip(event: Event): void {
  event.preventDefault() // the fragment of the address names the view
  document.querySelector<HTMLElement>('main h1')?.focus()
}

type NavLinkProps = Pick<View, 'icon' | 'isInBar'> & { name: View['name'] | 'more'; now: string }

function NavLink({ name, icon, isInBar, now }: NavLinkProps) {
  const pending = name === 'approvals' ? approvals.pending.value.length : 0
  const isCurrent = name === (now || views[0]!.name) || (name === 'more' && isUnderMore(now))
  return (
    <a
      href={hrefOf(name)}
      class={`nav-link ${isInBar ? 'first' : 'later'} ${name === 'more' ? 'more' : ''}`}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span>{words.views[name]}</span>
      {pending > 0 && <b class="count">{pending}</b>}
    </a>
  )
}

const isUnderMore = (now: string): boolean => views.some(({ name, isInBar }) => name === now && !isInBar)

const NoPhone = () => (
  <>
    <Title>{words.views.phone}</Title>
    <Empty icon="phone">{selectedPhone.value ? words.frame.unknownPhone : words.frame.noPhone}</Empty>
  </>
)

function Content() {
  const { view, rest, query } = route.value
  const row = view === '' ? views[0] : shownViews().find(({ name }) => name === view)
  useLayoutEffect(followScroll, [view, rest.join('/')])
  if (view === 'more') return <More />
  if (isFleet.value && isOfOnePhone(view)) {
    const isKnown = phones.value.some(({ name }) => name === selectedPhone.value)
    if (!arePhonesLoaded.value) return <Loading />
    if (!isKnown) return <NoPhone />
  }
  if (!row) return <Empty icon="search">{words.nothingHere}</Empty>
  return <row.Component key={`${row.name} ${selectedPhone.value}`} rest={rest} query={query} />
}
