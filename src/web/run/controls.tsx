import { useState } from 'preact/hooks'
import { Button, ErrorText } from '../parts/basics.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const SIGINT = 'SIGINT'
const signals = ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGSTOP', 'SIGCONT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL']

/** Controls of a live run: cancel it, interrupt it, or send any signal. A sentence says what was sent and what follows. */
export function Controls({ id, isRunning }: { id: string; isRunning: boolean }) {
  const [sent, setSent] = useState('')
  const [isCanceling, setCanceling] = useState(false)
  const [errorText, setErrorText] = useState('')
  const act = (what: Promise<unknown>, done: string) => {
    setErrorText('')
    return what.then(
      () => setSent(done),
      (error) => setErrorText(messageOf(error)),
    )
  }
  const { interrupt, interrupted, canceling, signaled } = words.run
  const signal = (name: string) =>
    act(
      ask((phone) => phone.signal(id, name)),
      name === SIGINT ? interrupted : signaled(name),
    )
  const cancel = () => {
    setCanceling(true)
    const request = ask((phone) => phone.cancel(id))
    request.catch(() => setCanceling(false))
    return act(request, isRunning ? canceling : '')
  }
  return (
    <div class="run-controls">
      <div class="buttons">
        <Button kind="danger" icon="stop" disabled={isCanceling} title={words.run.cancelHint} onClick={cancel}>
          {words.cancel}
        </Button>
        {isRunning && (
          <>
            <Button title={words.run.interruptHint} onClick={() => signal(SIGINT)}>
              {interrupt}
            </Button>
            <select
              aria-label={words.run.signal}
              value=""
              onChange={({ currentTarget }) => {
                const name = currentTarget.value
                currentTarget.value = ''
                void signal(name)
              }}
            >
              <option value="">{words.run.signal}</option>
              {signals.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </>
        )}
      </div>
      {sent !== '' && (
        <p class="hint" role="status">
          {sent}
        </p>
      )}
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}
