import { useRef, useState } from 'preact/hooks'
import type { PhoneApproval } from '../approval-cards.ts'
import { Button } from '../parts/basics.tsx'
import { onDemand } from '../parts/on-demand.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { ConfirmHighRisk } from './confirm-high-risk.tsx'
import { useSettled } from './use-settled.ts'

const AlwaysDialog = onDemand(() => import('./always-dialog.tsx'))((module) => module.AlwaysDialog)

interface Props {
  approval: PhoneApproval
  isSeen: boolean
  /** the simple commands that are a high risk; null: not known yet */
  risky: string[] | null
}

type Decide = (decision: 'approve' | 'deny', scope?: 'once' | 'always') => void

/** Deny is always enabled. Approving is enabled only once the card has settled and the end of the script has been visible. */
export function AnswerButtons({ approval, isSeen, risky }: Props) {
  const row = useRef<HTMLDivElement>(null)
  const isSettled = useSettled(row)
  const [isBusy, setBusy] = useState(false)
  const [errorText, setErrorText] = useState('')
  const [isConfirming, setConfirming] = useState(false)
  const isReady = isSettled && isSeen && !isBusy
  const isHigh = approval.risk === 'high'
  const { high, once, onceOrAlways } = words.approvals.about
  const about = isHigh ? high : approval.always ? onceOrAlways : once
  const decide: Decide = (decision, scope = 'once') => {
    setBusy(true)
    setErrorText('')
    setConfirming(false)
    ask((phone) => phone.answer(approval.id, decision, scope), approval.phone).catch((error) => {
      setErrorText(messageOf(error))
      setBusy(false)
    })
  }
  return (
    <div class="answers" ref={row}>
      <div class="buttons">
        <Button kind="danger" disabled={isBusy} onClick={() => decide('deny')}>
          {words.approvals.deny}
        </Button>
        {!isHigh && approval.always && (
          <Button disabled={!isReady} onClick={() => setConfirming(true)}>
            {words.approvals.always}
          </Button>
        )}
        {isHigh ? (
          <ConfirmHighRisk
            command={risky && (risky[0] ?? approval.command)}
            isReady={isReady}
            done={() => decide('approve')}
          />
        ) : (
          <Button kind="main" disabled={!isReady} onClick={() => decide('approve')}>
            {words.approvals.once}
          </Button>
        )}
      </div>
      <p class={errorText === '' ? 'hint' : 'error-text'} role={errorText === '' ? undefined : 'alert'}>
        {errorText || (isSeen ? about : words.approvals.unseen)}
      </p>
      {isConfirming && approval.always && (
        <AlwaysDialog
          approval={approval}
          always={approval.always}
          close={() => setConfirming(false)}
          done={() => decide('approve', 'always')}
        />
      )}
    </div>
  )
}
