import { useLayoutEffect, useState } from 'preact/hooks'
import { literalInput, Button, Field } from '../parts/basics.tsx'
import { words } from '../words.ts'

const HOLD_MS = 1000
/** The word to type when the command does not start with a program name that can be typed. */
const FALLBACK_WORD = 'approve'

/** `command`: the part that is a high risk; null: not known yet. */
type Props = { command: string | null; isReady: boolean; done: () => void }

/** Approving takes more than a tap: holding the button for a second or typing the name of the program that makes it risky. */
export function ConfirmHighRisk({ command, isReady, done }: Props) {
  const [isPressed, setPressed] = useState(false)
  const [typed, setTyped] = useState('')
  const name = command === null ? null : programIn(command)
  const isHeld = isPressed && isReady // a press that began while the card settled counts from the moment it has settled
  // an ordinary effect would end the timer only after the next frame, which can be too late
  useLayoutEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(done, HOLD_MS)
    return () => clearTimeout(timer)
  }, [isHeld])
  const press = ({ currentTarget, pointerId }: PointerEvent) => {
    ;(currentTarget as Element).setPointerCapture(pointerId) // the button may move under the pointer, for example below a banner that appears
    setPressed(true)
  }
  const release = () => setPressed(false)
  const submit = (event: Event) => {
    event.preventDefault()
    if (isReady && typed === name) done()
  }
  return (
    <>
      <Button
        kind="main"
        class={isHeld ? 'held' : isPressed ? 'settling' : ''}
        aria-disabled={!isReady}
        onPointerDown={press}
        onPointerUp={release}
        onPointerLeave={release}
        onPointerCancel={release}
        onContextMenu={(event: Event) => event.preventDefault()}
      >
        {isPressed ? words.approvals.holding : words.approvals.hold}
      </Button>
      <form class="typed" onSubmit={submit}>
        <Field label={words.approvals.type(name ?? '…')}>
          {(inputProps) => (
            <input
              {...inputProps}
              class="mono"
              value={typed}
              disabled={!isReady || name === null}
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
