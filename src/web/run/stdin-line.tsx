import { useState } from 'preact/hooks'
import type { RunFollower } from '../output/run-follower.ts'
import { literalInput, Button, ErrorText } from '../parts/basics.tsx'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { takesFocus } from './draft.ts'

/** The lines that are not sent yet, by the ids of their runs, while the page shows another run. */
const unsent = new Map<string, string>()
const MAX_UNSENT = 100

/** A field for the stdin of a run; hidden unless stdin is open. */
export function StdinLine({ follower }: { follower: RunFollower }) {
  const [line, setLine] = useState(unsent.get(follower.id) ?? '')
  const [isClosed, setClosed] = useState(false)
  const [errorText, setErrorText] = useState('')
  if (!follower.isStdinOpen.value || isClosed) return null
  const type = (next: string) => {
    if (unsent.size > MAX_UNSENT) unsent.clear()
    unsent.set(follower.id, next)
    setLine(next)
  }
  const send = (event: Event) => {
    event.preventDefault()
    follower
      .run()
      ?.write(`${line}\n`)
      .then(() => unsent.get(follower.id) === line && type(''))
      .catch((error) => setErrorText(messageOf(error)))
  }
  const end = () => {
    follower.run()?.end()
    setClosed(true)
  }
  return (
    <form class="stdin" onSubmit={send}>
      <input
        ref={(input) => void (input && takesFocus(follower.id) && input.focus())}
        class="mono"
        aria-label={words.run.stdin}
        placeholder={words.run.stdin}
        value={line}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        {...literalInput}
      />
      <Button type="submit">{words.run.send}</Button>
      <Button onClick={end}>{words.run.end}</Button>
      <ErrorText>{errorText}</ErrorText>
    </form>
  )
}
