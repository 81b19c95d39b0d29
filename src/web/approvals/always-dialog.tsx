import { useEffect, useRef } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import type { PhoneApproval } from '../approval-cards.ts'
import { Button, Facts } from '../parts/basics.tsx'
import { toDayAndTime } from '../parts/format.ts'
import { words } from '../words.ts'
import { alwaysWords } from '../words/always-words.ts'
import { Script } from './script.tsx'
import { useSettled } from './use-settled.ts'

interface Props {
  approval: PhoneApproval
  always: NonNullable<PhoneApproval['always']>
  close: () => void
  done: () => void
}

/** Shows exactly what will be saved and until when, and asks for confirmation. */
export function AlwaysDialog({ approval, always, close, done }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const row = useRef<HTMLDivElement>(null)
  const isSettled = useSettled(row)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={close} aria-label={alwaysWords.title}>
      <h2>{alwaysWords.title}</h2>
      <p>{visible(always.covers)}</p>
      <Script text={approval.command} />
      <Facts
        rows={[
          [words.approvals.facts.directory, <code key="cwd">{visible(approval.working_directory)}</code>],
          [alwaysWords.until, toDayAndTime(always.expires_at)],
        ]}
      />
      <div class="buttons" ref={row}>
        <Button onClick={close}>{words.cancel}</Button>
        <Button kind="main" disabled={!isSettled} onClick={done}>
          {alwaysWords.save}
        </Button>
      </div>
    </dialog>
  )
}
