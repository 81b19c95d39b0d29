import { useState } from 'preact/hooks'
import type { RunFollower } from '../output/run-follower.ts'
import { literalInput, Button, ErrorText } from '../parts/basics.tsx'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { keepLine, lineFor, takesFocus } from './draft.ts'

/** A field for the stdin of a run; hidden unless stdin is open. */
export function StdinLine({ follower }: { follower: RunFollower }) {
  const [line, setLine] = useState(() => lineFor(follower.id))
  const [isClosed, setClosed] = useState(false)
  const [errorText, setErrorText] = useState('')
  if (!follower.isStdinOpen.value || isClosed) return null
  const type = (next: string) => {
    keepLine(follower.id, next)
    setLine(next)
  }
  const send = (event: Event) => {
    event.preventDefault()
    follower
      .run()
      ?.write(`${line}\n`)
      .then(() => lineFor(follower.id) === line && type(''))
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
