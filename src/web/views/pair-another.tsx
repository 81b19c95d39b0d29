import { useEffect, useState } from 'preact/hooks'
import { isLoopback } from '../../shared/schema/index.ts'
import { send } from '../api.ts'
import { Button, Card, ErrorText } from '../parts/basics.tsx'
import { Choice } from '../parts/choice.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { toTime } from '../parts/format.ts'
import { ask, messageOf } from '../wire.ts'
import { rareWords } from '../words/rare-words.ts'

const { access: texts } = rareWords

interface PairingCode {
  code: string
  expires_at: string
  links: string[]
}

/** A device that approves everything belongs to the user, so it also reads everything and opens terminals if this browser may. */
const rightsOf = (approves: string, shell: boolean) =>
  approves === 'all' ? { approves, read: 'all', shell } : { approves }

/** A pairing code for another device, with a QR code for its camera. */
export function PairAnother({ mayShell, done }: { mayShell: boolean; done(): void }) {
  const [offer, setOffer] = useState<PairingCode | null>(null)
  const [errorText, setErrorText] = useState('')
  const [approves, setApproves] = useState('none')
  const open = () =>
    ask(send<PairingCode>('POST', '/pairing', rightsOf(approves, mayShell))).then(
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
    {!isLocal(links) && <QrCode text={links[0]!} />}
    <div>
      <p class={isLocal(links) ? 'notice' : ''}>{isLocal(links) ? texts.localOnly : texts.scan}</p>
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

/** Whether no other device can open the links, because the service listens only on loopback. */
export const isLocal = (links: string[]): boolean =>
  links.every((link) => isLoopback(new URL(link).hostname.replace(/[[\]]/g, '')))

/** Draws black on white in either theme, because cameras need that. */
function QrCode({ text }: { text: string }) {
  const [drawn, setDrawn] = useState<{ path: string; side: number } | null>(null)
  useEffect(() => {
    let isOver = false
    const draw = async () => {
      const { drawQrCode } = await import('./qr-code.ts')
      if (!isOver) setDrawn(drawQrCode(text))
    }
    draw().catch(() => {}) // the links are enough
    return () => void (isOver = true)
  }, [text])
  if (!drawn) return null
  const { path, side } = drawn
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={texts.picture} shape-rendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
