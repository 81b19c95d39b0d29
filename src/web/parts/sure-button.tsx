import { useState } from 'preact/hooks'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { Button, ErrorText } from './basics.tsx'

interface Props {
  label: string
  /** the name of what it changes, for screen readers */
  of?: string
  /** the label of the button that confirms */
  sure: string
  /** shows the message of what it throws */
  act(): Promise<unknown>
}

/** A button for an action that cannot be undone; it asks for confirmation. */
export function SureButton({ label, of, sure, act }: Props) {
  const [isSure, setSure] = useState(false)
  const [errorText, setErrorText] = useState('')
  const confirm = () => act().catch((error) => setErrorText(messageOf(error)))
  return (
    <div class="buttons">
      {isSure ? (
        <>
          <Button kind="danger" icon="trash" onClick={confirm}>
            {sure}
          </Button>
          <Button onClick={() => setSure(false)}>{words.cancel}</Button>
        </>
      ) : (
        <Button kind="danger" onClick={() => setSure(true)}>
          {label}
          {of && <span class="unseen"> {of}</span>}
        </Button>
      )}
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}
