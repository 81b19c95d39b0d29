import { useState } from 'preact/hooks'
import { Button, ErrorText } from '../parts/basics.tsx'
import { ask, messageOf } from '../wire.ts'
import { terminalWords as texts } from '../words/terminal-words.ts'

/** A button that ends a terminal; `of` names it for screen readers, where there are several. */
export function EndButton({ id, of }: { id: string; of?: string }) {
  const [isEnding, setEnding] = useState(false)
  const [errorText, setErrorText] = useState('')
  const end = async () => {
    setEnding(true)
    setErrorText('')
    try {
      await ask((phone) => phone.cancel(id))
    } catch (error) {
      setErrorText(messageOf(error))
      setEnding(false)
    }
  }
  return (
    <>
      <Button kind="danger" icon="stop" disabled={isEnding} onClick={end}>
        {texts.end}
        {of && <span class="unseen"> {of}</span>}
      </Button>
      <ErrorText>{errorText}</ErrorText>
    </>
  )
}
