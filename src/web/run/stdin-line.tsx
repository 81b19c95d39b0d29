import { useState } from 'preact/hooks'
import type { RunFollower } from '../output/run-follower.ts'
import { asTyped, Button, ErrorText } from '../parts/basics.tsx'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'

/** A line for the stdin of a run where that is open; else nothing. */
export function StdinLine({ follower }: { follower: RunFollower }) {
  const [line, setLine] = useState('')
  const [isOver, setOver] = useState(false)
  const [trouble, setTrouble] = useState('')
  if (!follower.isStdinOpen.value || isOver) return null
  const send = (event: Event) => {
    event.preventDefault()
    follower
      .run()
      ?.write(`${line}\n`)
      .then(() => setLine(''))
      .catch((error) => setTrouble(messageOf(error)))
  }
  const end = () => {
    follower.run()?.end()
    setOver(true)
  }
  return (
    <form class="stdin" onSubmit={send}>
      <input
        class="mono"
        aria-label={words.run.stdin}
        placeholder={words.run.stdin}
        value={line}
        onInput={({ currentTarget }) => setLine(currentTarget.value)}
        {...asTyped}
      />
      <Button type="submit">{words.run.send}</Button>
      <Button onClick={end}>{words.run.end}</Button>
      <ErrorText>{trouble}</ErrorText>
    </form>
  )
}
