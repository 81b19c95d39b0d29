import { useEffect, useState } from 'preact/hooks'
import { connectRuns, pair, PhoneError } from '../../sdk/index.ts'
import { adopt, whyOut } from '../access.ts'
import { isOfFleet } from '../fleet-phones.ts'
import { offer } from '../fragment.ts'
import { asTyped, Button, Facts, Field, Title } from '../parts/basics.tsx'
import { Mark } from '../parts/icon.tsx'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'

const KEY_SHOWN = 8
/** A pairing code as `shellphone pair` shows it. */
const CODE = /^[0-9a-z]{4}[\s-]?[0-9a-z]{4}$/i

/** Trades a code for a token, or takes one that holds. Throws PhoneError. */
async function enter(given: string, name: string): Promise<void> {
  const url = location.origin
  if (CODE.test(given)) {
    const made = await pair({ url, code: given, name })
    return adopt({ token: made.token, name: made.name })
  }
  if (!/^[\x21-\x7e]+$/.test(given)) throw new PhoneError('unauthorized', words.pair.wrongToken)
  adopt({ token: given, name: null, isFleet: await isOfFleet(connectRuns({ url, token: given })) })
}

/** What this browser is called until a person says otherwise: chrome-android-7f3a. */
function ownName(): string {
  const { userAgent } = navigator
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0] ?? 'browser'
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(userAgent)?.[0] ?? 'unknown'
  const [number] = crypto.getRandomValues(new Uint16Array(1))
  return `${browser}-${system}-${number!.toString(16).padStart(4, '0')}`.toLowerCase()
}

/** Where a browser without a token comes: by a link, which pairs at once, or by hand. */
export function Pair() {
  const [given, setGiven] = useState('')
  const [name, setName] = useState(ownName)
  const [trouble, setTrouble] = useState('')
  const [isBusy, setBusy] = useState(false)
  const tryIt = (code: string) => {
    setBusy(true)
    setTrouble('')
    enter(code.trim(), name)
      .then(() => (offer.value = null))
      .catch((error) => setTrouble(messageOf(error)))
      .finally(() => setBusy(false))
  }
  const { code, key } = offer.value ?? { code: '', key: '' }
  useEffect(() => {
    if (code !== '') tryIt(code)
  }, [code])
  const submit = (event: Event) => {
    event.preventDefault()
    tryIt(given)
  }
  return (
    <main class="pair">
      <Mark />
      <Title>{words.pair.title}</Title>
      {whyOut.value !== '' && (
        <p class="notice" role="alert">
          {whyOut.value}
        </p>
      )}
      <p class="dim">{words.pair.text}</p>
      <form class="card" onSubmit={submit}>
        <Facts
          rows={[
            [words.pair.phone, location.host],
            [words.pair.key, key.slice(0, KEY_SHOWN)],
          ]}
        />
        <Field label={words.pair.code} hint={words.pair.codeHint} trouble={trouble}>
          {(tied) => (
            <input
              {...tied}
              value={given}
              onInput={({ currentTarget }) => setGiven(currentTarget.value)}
              class="mono"
              {...asTyped}
              required
            />
          )}
        </Field>
        <Field label={words.pair.name} hint={words.pair.nameHint}>
          {(tied) => (
            <input
              {...tied}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
              pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,62}"
              autocomplete="off"
              required
            />
          )}
        </Field>
        <Button type="submit" kind="main" disabled={isBusy}>
          {isBusy ? words.pair.pairing : words.pair.pair}
        </Button>
      </form>
    </main>
  )
}
