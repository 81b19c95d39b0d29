import { toAgo, toCount, toTime } from './parts/format.ts'
import { Button } from './parts/basics.tsx'
import { Icon, Mark } from './parts/icon.tsx'
import { helpShown } from './page-keys.ts'
import { prefers } from './local.ts'
import { choose, chosen, isFleet, MAX_OFFERED, phones } from './fleet-phones.ts'
import { go, hrefOf, route } from './route.ts'
import { connection, live, phoneName, questions } from './wire.ts'
import { words } from './words.ts'

/** Which phone it is, what runs, what waits, and whether it is there. */
export const Header = () => (
  <header class="top">
    <a class="brand" href={hrefOf('run')} aria-label={isFleet.value ? words.name : undefined}>
      <Mark />
      <span class="brand-name">
        {words.name}
        {!isFleet.value && <small title={location.host}>{phoneName.value}</small>}
      </span>
    </a>
    {isFleet.value && <Chooser />}
    <Counts />
    <Connection />
    <Button kind="quiet" icon="theme" label={words.frame.theme[prefers.theme.value]} onClick={nextTheme} />
    <span class="wide">
      <Button kind="quiet" label={words.frame.keys} onClick={() => (helpShown.value = true)}>
        ?
      </Button>
    </span>
  </header>
)

/** Which phone of the fleet is looked at. */
const Chooser = () => (
  <>
    <input
      key={chosen.value}
      class="chooser"
      list="phones"
      aria-label={words.frame.phone}
      defaultValue={chosen.value ?? ''}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget
        if (!phones.value.some(({ name }) => name === value)) return void (currentTarget.value = chosen.value ?? '')
        choose(value)
        go(hrefOf(route.value.view || 'run'))
      }}
    />
    <datalist id="phones">
      {phones.value.slice(0, MAX_OFFERED).map(({ name, online }) => (
        <option key={name} value={name}>
          {online ? words.frame.online : words.frame.offline}
        </option>
      ))}
    </datalist>
  </>
)

function Counts() {
  const running = live.runs.value.length
  const waiting = questions.waiting.value.length
  return (
    <span class="counts">
      <a
        class={`pill ${running > 0 ? 'busy' : ''}`}
        href={hrefOf('runs', [], { status: 'live' })}
        aria-label={words.frame.running(toCount(running))}
      >
        <Icon name="run" />
        {toCount(running)}
      </a>
      <a
        class={`pill ${waiting > 0 ? 'asking' : ''}`}
        href={hrefOf('approvals')}
        aria-label={words.frame.waiting(toCount(waiting))}
      >
        <Icon name="approvals" />
        {toCount(waiting)}
      </a>
    </span>
  )
}

function Connection() {
  const { state, since } = connection.value
  const text = state === 'lost' ? whenLost(since) : words.frame[state]
  return (
    <span class={`connection ${state}`} role="status" title={state === 'lost' ? words.frame.lostHint : text}>
      <i aria-hidden="true" />
      <span>{text}</span>
    </span>
  )
}

function whenLost(since: number): string {
  if (since === 0) return words.frame.lost
  const isToday = new Date(since).toDateString() === new Date().toDateString()
  return words.frame.lostSince(isToday ? toTime(since) : toAgo(since))
}

const themes = ['system', 'dark', 'light'] as const

function nextTheme(): void {
  const { theme } = prefers
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!
}
