import { useEffect, useState } from 'preact/hooks'
import { encode } from 'uqr'
import { send } from '../api.ts'
import { Button, Card, Choice, ErrorText } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { toTime } from '../parts/format.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const { access: texts } = words

interface PairingCode {
  code: string
  expires_at: string
  links: string[]
}

/** A device that approves everything belongs to the user and gets the rights of this browser. */
const rightsOf = (approves: string) => (approves === 'all' ? { approves, read: 'all', shell: true } : { approves })

/** A pairing code for another device, with a QR code for its camera. */
export function PairAnother({ done }: { done(): void }) {
  const [offer, setOffer] = useState<PairingCode | null>(null)
  const [errorText, setErrorText] = useState('')
  const [approves, setApproves] = useState('none')
  const open = () =>
    ask(send<PairingCode>('POST', '/pairing', rightsOf(approves))).then(
      (made) => {
        setOffer(made)
        setErrorText('')
      },
      (error) => setErrorText(messageOf(error)),
    )
  useEffect(() => {
    if (!offer) return
    const close = () => {
      setOffer(null)
      done()
    }
    const timer = setTimeout(close, Date.parse(offer.expires_at) - Date.now())
    return () => clearTimeout(timer)
  }, [offer])
  return (
    <Card title={texts.pairAnother}>
      <p class="hint">{texts.pairHint}</p>
      <Choice
        label={texts.approvesLabel}
        names={texts.approves}
        value={approves}
        set={setApproves}
        hint={texts.approvesHint}
      />
      {offer && <OfferedCode offer={offer} />}
      <div class="buttons">
        <Button kind="main" icon="plus" onClick={open}>
          {offer ? texts.anotherCode : texts.showCode}
        </Button>
      </div>
      <ErrorText>{errorText}</ErrorText>
    </Card>
  )
}

const OfferedCode = ({ offer: { code, expires_at, links } }: { offer: PairingCode }) => (
  <div class="offer" role="status">
    <QrCode text={links[0]!} />
    <div>
      <p>{texts.scan}</p>
      <p class="code mono">{code}</p>
      <p class="hint">{texts.once(toTime(expires_at))}</p>
      <ul class="lines">
        {links.map((link) => (
          <li key={link} class="spread">
            <code class="breaks">{link}</code>
            <CopyButton text={link} label={texts.copyLink} />
          </li>
        ))}
      </ul>
    </div>
  </div>
)

/** The quiet zone around a QR code, in modules. */
const MARGIN = 4

/** Draws black on white in either theme, because cameras need that. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 0 })
  const whole = size + 2 * MARGIN
  const squares = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : '')),
  )
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${whole} ${whole}`}
      role="img"
      aria-label={texts.picture}
      shape-rendering="crispEdges"
    >
      <rect width={whole} height={whole} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}
