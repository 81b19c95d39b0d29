import { useState } from 'preact/hooks'
import { Button, ErrorText } from '../parts/basics.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGSTOP', 'SIGCONT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL']

/** Controls of a live run. The cancel button sends SIGINT first, and then kills the process tree. The list sends any signal. */
export function Controls({ id, isRunning }: { id: string; isRunning: boolean }) {
  const [isInterrupted, setInterrupted] = useState(false)
  const [errorText, setErrorText] = useState('')
  const act = (what: Promise<unknown>) => what.catch((error) => setErrorText(messageOf(error)))
  const signal = (name: string) => act(ask((phone) => phone.signal(id, name)))
  const end = () => {
    setInterrupted(true)
    return isInterrupted || !isRunning ? act(ask((phone) => phone.cancel(id))) : signal('SIGINT').then(() => {})
  }
  return (
    <div class="buttons">
      <Button kind="danger" icon="stop" onClick={end}>
        {isInterrupted ? words.run.kill : words.cancel}
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
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}
