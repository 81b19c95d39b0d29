import { useEffect, useRef, useState } from 'preact/hooks'
import { literalInput, Button, Field } from '../parts/basics.tsx'
import { words } from '../words.ts'

const HOLD_MS = 1000
/** The word to type when the command does not start with a program name that can be typed. */
const FALLBACK_WORD = 'approve'

type Props = { command: string; isReady: boolean; done: () => void }

/** Approving takes more than a tap: holding the button for a second or typing the name of the program. */
export function ConfirmHighRisk({ command, isReady, done }: Props) {
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
          {(inputProps) => (
            <input
              {...inputProps}
              class="mono"
              value={typed}
              disabled={!isReady}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              {...literalInput}
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

/** The program that a command starts, such as `rm` in `sudo /bin/rm -rf x`; otherwise the fallback word. */
function programIn(command: string): string {
  const name = /^\s*(?:\w+=\S*\s+|sudo\s+|su\s+-c\s+)*(?:\S*\/)?([\w.+-]{1,40})(?=\s|$|[;|&])/.exec(command)?.[1]
  return name ?? FALLBACK_WORD
}
