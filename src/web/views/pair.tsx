import { useEffect, useState } from 'preact/hooks'
import { NAME } from '../../shared/schema/index.ts'
import { connectRuns, pair, PhoneError, type RunPhone } from '../../sdk/index.ts'
import { access, type BrowserAccess, signIn, signOutReason } from '../access.ts'
import { linkPairing } from '../fragment.ts'
import { literalInput, Button, ErrorText, Facts, Field, Title } from '../parts/basics.tsx'
import { Logo } from '../parts/icon.tsx'
import { messageOf } from '../wire.ts'
import { pairWords } from '../words/pair-words.ts'

const { again: texts } = pairWords

const KEY_CHARACTERS = 8
/** A pairing code in the format of `shellphone pair`. */
const CODE = /^[0-9a-z]{4}[\s-]?[0-9a-z]{4}$/i

/** Whether a control plane issued the token. Throws PhoneError if the token is not valid. */
async function isFleetToken(phone: RunPhone): Promise<boolean> {
  try {
    await phone.history({ limit: 1 })
    return false
  } catch (error) {
    if (!(error instanceof PhoneError && error.type === 'not_found')) throw error
    await phone.request('/phones?select=name=none')
    return true
  }
}

/** Exchanges a code for a token, or signs in with a valid token. Throws PhoneError. */
async function submitCode(entered: string, name: string): Promise<void> {
  const url = location.origin
  if (CODE.test(entered)) {
    const paired = await pair({ url, code: entered, name })
    return signIn({ token: paired.token, name: paired.name })
  }
  if (!/^[\x21-\x7e]+$/.test(entered)) throw new PhoneError('unauthorized', pairWords.wrongToken)
  signIn({ token: entered, name: null, isFleet: await isFleetToken(connectRuns({ url, token: entered })) })
}

/** Why pairing failed. The message of the service for a wrong token is written for programs. */
const whyNot = (error: unknown, wrong: string): string =>
  error instanceof PhoneError && error.type === 'unauthorized' ? wrong : messageOf(error)

/** The default name of this browser, such as chrome-android-7f3a. */
function ownName(): string {
  const { userAgent } = navigator
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0] ?? 'browser'
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(userAgent)?.[0] ?? 'unknown'
  const [number] = crypto.getRandomValues(new Uint16Array(1))
  return `${browser}-${system}-${number!.toString(16).padStart(4, '0')}`.toLowerCase()
}

/** The form for a browser without a token. A pairing link submits it automatically. */
export function Pair() {
  const [entered, setEntered] = useState('')
  const [name, setName] = useState(ownName)
  const [errorText, setErrorText] = useState('')
  const [isBusy, setBusy] = useState(false)
  /** the key of the phone in the link */
  const [key, setKey] = useState('')
  const attempt = (code: string) => {
    setBusy(true)
    setErrorText('')
    submitCode(code.trim(), name)
      .catch((error) => setErrorText(whyNot(error, pairWords.wrongToken)))
      .finally(() => setBusy(false))
  }
  useEffect(() => {
    const link = linkPairing.value
    if (!link) return
    linkPairing.value = null // it works once
    setKey(link.key)
    attempt(link.code)
  }, [linkPairing.value])
  const submit = (event: Event) => {
    event.preventDefault()
    attempt(entered)
  }
  return (
    <main class="pair">
      <Logo />
      <Title>{pairWords.title}</Title>
      {signOutReason.value !== '' && (
        <p class="notice" role="alert">
          {signOutReason.value}
        </p>
      )}
      <p class="dim">{pairWords.text}</p>
      <form class="card" onSubmit={submit}>
        <Facts
          rows={[
            [pairWords.phone, location.host],
            [pairWords.key, key.slice(0, KEY_CHARACTERS)],
          ]}
        />
        <Field label={pairWords.code} hint={pairWords.codeHint} error={errorText}>
          {(inputProps) => (
            <input
              {...inputProps}
              value={entered}
              onInput={({ currentTarget }) => setEntered(currentTarget.value)}
              class="mono"
              {...literalInput}
              required
            />
          )}
        </Field>
        <Field label={pairWords.name} hint={pairWords.nameHint}>
          {(inputProps) => (
            <input
              {...inputProps}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
              pattern={NAME.source}
              title={pairWords.nameFormat}
              autocomplete="off"
              required
            />
          )}
        </Field>
        <Button type="submit" kind="main" disabled={isBusy}>
          {isBusy ? pairWords.pairing : pairWords.pair}
        </Button>
      </form>
    </main>
  )
}

/** Asks whether the token of a pairing link replaces the one that this browser has. */
export function PairAgain() {
  const [errorText, setErrorText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const before = access.value!
  const { code } = linkPairing.value!
  const leave = () => (linkPairing.value = null)
  const isSame = code === before.token
  useEffect(() => {
    if (isSame) leave()
  }, [isSame])
  const replace = () => {
    setBusy(true)
    setErrorText('')
    submitCode(code.trim(), ownName()).then(
      () => {
        leave()
        revoke(before)
      },
      (error) => {
        setBusy(false)
        setErrorText(whyNot(error, texts.wrong))
      },
    )
  }
  if (isSame) return null
  return (
    <section class="notice">
      <p>
        {before.name === null ? texts.pasted : texts.named(before.name)} {texts.text}
      </p>
      <ErrorText>{errorText}</ErrorText>
      <div class="buttons">
        <Button disabled={isBusy} onClick={replace}>
          {isBusy ? pairWords.pairing : texts.replace}
        </Button>
        <Button disabled={isBusy} onClick={leave}>
          {texts.keep}
        </Button>
      </div>
    </section>
  )
}

/** Revokes a token that this browser no longer uses, if the token may do that. A pasted one, without a name, may be in use elsewhere. */
function revoke({ token, name }: BrowserAccess): void {
  if (name === null) return
  const phone = connectRuns({ url: location.origin, token })
  phone.request(`/tokens/${encodeURIComponent(name)}`, { method: 'DELETE' }).catch(() => {}) // it expires if nobody uses it
}
