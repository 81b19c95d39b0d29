import { toCount } from './parts/format.ts'
import { Button } from './parts/basics.tsx'
import { Icon, Logo } from './parts/icon.tsx'
import { isHelpShown } from './page-keys.ts'
import { preferences } from './local.ts'
import { selectPhone, selectedPhone, isFleet, MAX_LISTED, phones } from './fleet-phones.ts'
import { go, hrefOf, route } from './route.ts'
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

/** Selects a phone of the fleet. */
const PhonePicker = () => (
  <>
    <input
      key={selectedPhone.value}
      class="phone-picker"
      list="phones"
      aria-label={words.frame.phone}
      defaultValue={selectedPhone.value ?? ''}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget
        if (!phones.value.some(({ name }) => name === value))
          return void (currentTarget.value = selectedPhone.value ?? '')
        selectPhone(value)
        go(hrefOf(route.value.view || 'run'))
      }}
    />
    <datalist id="phones">
      {phones.value.slice(0, MAX_LISTED).map(({ name, online }) => (
        <option key={name} value={name}>
          {online ? words.frame.online : words.frame.offline}
        </option>
      ))}
    </datalist>
  </>
)

function Counts() {
  const running = live.runs.value.filter((run) => !isWaiting(run)).length
  const pending = approvals.pending.value.length
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
  const { state } = connection.value
  return (
    <span class={`connection ${state}`} role="status" title={words.frame[state]}>
      <i aria-hidden="true" />
      <span>{words.frame[state]}</span>
    </span>
  )
}

const themes = ['system', 'dark', 'light'] as const

function nextTheme(): void {
  const { theme } = preferences
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!
}
