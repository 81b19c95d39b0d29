import { useState } from 'preact/hooks'
import { Button, ErrorText } from '../parts/basics.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGSTOP', 'SIGCONT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL']

/** What can be done to a run that lives: first it is asked to end, then its tree is ended; any signal. */
export function Controls({ id, isRunning }: { id: string; isRunning: boolean }) {
  const [isAsked, setAsked] = useState(false)
  const [trouble, setTrouble] = useState('')
  const act = (what: Promise<unknown>) => what.catch((error) => setTrouble(messageOf(error)))
  const signal = (name: string) => act(ask((phone) => phone.signal(id, name)))
  const end = () => {
    setAsked(true)
    return isAsked || !isRunning ? act(ask((phone) => phone.cancel(id))) : signal('SIGINT').then(() => {})
  }
  return (
    <div class="buttons">
      <Button kind="danger" icon="stop" onClick={end}>
        {isAsked ? words.run.kill : words.cancel}
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
      <ErrorText>{trouble}</ErrorText>
    </div>
  )
}
