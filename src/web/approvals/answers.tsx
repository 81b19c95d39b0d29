import { useRef, useState } from 'preact/hooks'
import type { ApprovalCard } from '../questions.ts'
import { Button } from '../parts/basics.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { AlwaysDialog } from './always-dialog.tsx'
import { Deliberate } from './deliberate.tsx'
import { useSettled } from './use-settled.ts'

type GiveAnswer = (decision: 'approve' | 'deny', scope?: 'once' | 'always') => void

/** Deny at any time; the two that approve only when the card has settled and the end of the script was seen. */
export function Answers({ question, isSeen }: { question: ApprovalCard; isSeen: boolean }) {
  const row = useRef<HTMLDivElement>(null)
  const isSettled = useSettled(row)
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  const [isAsking, setAsking] = useState(false)
  const isReady = isSettled && isSeen && !isBusy
  const isHigh = question.risk === 'high'
  const say: GiveAnswer = (decision, scope = 'once') => {
    setBusy(true)
    setTrouble('')
    setAsking(false)
    ask((phone) => phone.answer(question.id, decision, scope), question.phone).catch((error) => {
      setTrouble(messageOf(error))
      setBusy(false)
    })
  }
  return (
    <div class="answers" ref={row}>
      <div class="buttons">
        <Button kind="danger" disabled={isBusy} onClick={() => say('deny')}>
          {words.approvals.deny}
        </Button>
        {!isHigh && question.always && (
          <Button disabled={!isReady} onClick={() => setAsking(true)}>
            {words.approvals.always}
          </Button>
        )}
        {isHigh ? (
          <Deliberate command={question.command} isReady={isReady} done={() => say('approve')} />
        ) : (
          <Button kind="main" disabled={!isReady} onClick={() => say('approve')}>
            {words.approvals.once}
          </Button>
        )}
      </div>
      <p class={trouble === '' ? 'hint' : 'trouble'} role={trouble === '' ? undefined : 'alert'}>
        {trouble !== '' ? trouble : isSeen ? '' : words.approvals.unseen}
      </p>
      {isAsking && question.always && (
        <AlwaysDialog
          question={question}
          always={question.always}
          close={() => setAsking(false)}
          done={() => say('approve', 'always')}
        />
      )}
    </div>
  )
}
