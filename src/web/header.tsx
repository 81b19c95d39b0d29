import { toCount } from './parts/format.ts'
import { Button } from './parts/basics.tsx'
import { Icon, Logo } from './parts/icon.tsx'
import { isHelpShown } from './page-keys.ts'
import { preferences } from './local.ts'
import { isFleet, MAX_LISTED, phones } from './fleet-phones.ts'
import { go, hrefOf, isOfOnePhone, route, selectedPhone } from './route.ts'
import { isWaiting } from './waiting.ts'
import { connection, live, phoneName, approvals } from './wire.ts'
import { words } from './words.ts'

/** Shows the phone, the live runs, the pending approvals and the state of the connection. */
export const Header = () => (
  <header class="top">
    <a class="brand" href={hrefOf('run')} aria-label={isFleet.value ? words.name : undefined}>
      <Logo />
      <span class="brand-name">
        {words.name}
        {!isFleet.value && <small title={location.host}>{phoneName.value}</small>}
      </span>
    </a>
    {isFleet.value && <PhonePicker />}
    <Counts />
    <Connection />
    <Button kind="quiet" icon="theme" label={words.frame.theme[preferences.theme.value]} onClick={nextTheme} />
    <span class="wide">
      <Button kind="quiet" label={words.frame.keys} onClick={() => (isHelpShown.value = true)}>
        ?
      </Button>
    </span>
  </header>
)

/** Selects a phone of the fleet, and shows the same view of it. */
function PhonePicker() {
  const selected = selectedPhone.value ?? ''
  const listed = phones.value.slice(0, MAX_LISTED)
  const { view } = route.value
  return (
    <label class="phone-picker">
      <Icon name="phone" />
      <select
        aria-label={words.frame.phone}
        value={selected}
        onChange={({ currentTarget }) =>
          go(hrefOf(view !== '' && isOfOnePhone(view) ? view : 'run', [], {}, currentTarget.value))
        }
      >
        {!listed.some(({ name }) => name === selected) && (
          <option value={selected}>{selected || words.frame.choosePhone}</option>
        )}
        {listed.map(({ name, online }) => (
          <option key={name} value={name}>
            {online ? name : words.frame.offlinePhone(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

function Counts() {
  const running = live.runs.value.filter((run) => !isWaiting(run)).length
  const pending = approvals.pending.value.length
  return (
    <span class="counts">
      <a
        class={`pill ${running > 0 ? 'busy' : ''}`}
        href={hrefOf('runs', [], { status: 'live', files: 'shown' })}
        aria-label={words.frame.running(toCount(running))}
      >
        <Icon name="run" />
        {toCount(running)}
      </a>
      <a
        class={`pill ${pending > 0 ? 'asking' : ''}`}
        href={hrefOf('approvals')}
        aria-label={words.frame.waiting(toCount(pending))}
      >
        <Icon name="approvals" />
        {toCount(pending)}
      </a>
    </span>
  )
}

function Connection() {
  const { state, isOffline } = connection.value
  if (isFleet.value && selectedPhone.value === null) return null
  const text = isOffline ? words.frame.offline : words.frame[state]
  return (
    <span class={`connection ${state}`} role="status" title={text}>
      <i aria-hidden="true" />
      <span>{text}</span>
    </span>
  )
}

const themes = ['system', 'dark', 'light'] as const

function nextTheme(): void {
  const { theme } = preferences
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!
}
