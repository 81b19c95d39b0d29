import { useEffect, useRef, useState } from 'preact/hooks'
import { asTyped, Button, Field } from '../parts/basics.tsx'
import { words } from '../words.ts'

const HOLD_MS = 1000
/** What is typed where the program's name cannot be. */
const WORD = 'approve'

type Props = { command: string; isReady: boolean; done: () => void }

/** More than a tap: held for a second, or the program's name typed. */
export function Deliberate({ command, isReady, done }: Props) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [isHeld, setHeld] = useState(false)
  const [typed, setTyped] = useState('')
  const name = programIn(command)
  const release = () => {
    clearTimeout(timer.current)
    setHeld(false)
  }
  useEffect(() => release, [])
  const hold = () => {
    if (!isReady) return
    setHeld(true)
    timer.current = setTimeout(done, HOLD_MS)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (isReady && typed === name) done()
  }
  return (
    <>
      <Button
        kind="main"
        class={isHeld ? 'held' : ''}
        disabled={!isReady}
        onPointerDown={hold}
        onPointerUp={release}
        onPointerLeave={release}
        onPointerCancel={release}
        onContextMenu={(event: Event) => event.preventDefault()}
      >
        {words.approvals.hold}
      </Button>
      <form class="typed" onSubmit={submit}>
        <Field label={words.approvals.type(name)}>
          {(tied) => (
            <input
              {...tied}
              class="mono"
              value={typed}
              disabled={!isReady}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              {...asTyped}
            />
          )}
        </Field>
        <Button type="submit" disabled={!isReady || typed !== name}>
          {words.approvals.once}
        </Button>
      </form>
    </>
  )
}

/** `rm` of `sudo /bin/rm -rf x`; where that is nothing that one can type, a word. */
function programIn(command: string): string {
  const name = /^\s*(?:\w+=\S*\s+|sudo\s+|su\s+-c\s+)*(?:\S*\/)?([\w.+-]{1,40})(?=\s|$|[;|&])/.exec(command)?.[1]
  return name ?? WORD
}
