import { useState } from 'preact/hooks'
import { Button, Title } from '../parts/basics.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { Failed, Loaded, useAnswer } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { noteOpened } from '../terminal/opened.ts'
import { ask, live, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { terminalWords as texts } from '../words/terminal-words.ts'
import { Terminal } from './terminal.tsx'

/** Used until xterm has fitted the terminal to the window. */
const FIRST_SIZE = { rows: 24, columns: 80 }

/** `#/terminal` lists the open terminals and opens new ones; `#/terminal/ID` shows one. */
export const OpenTerminal = ({ rest: [id] }: ViewProps) =>
  id === undefined ? <Terminals /> : <Terminal key={id} id={id} />

function Terminals() {
  const health = useAnswer((phone) => phone.health())
  const open = live.runs.value.filter(({ tty }) => tty !== undefined)
  return (
    <>
      <Title>{words.views.terminal}</Title>
      <p class="dim">{texts.about}</p>
      <Loaded from={health}>
        {({ terminal }) =>
          terminal?.available ? (
            <OpenButton shell={terminal.shell} />
          ) : (
            <p class="notice">{texts.missing(terminal?.reason ?? '')}</p>
          )
        }
      </Loaded>
      {open.length > 0 && (
        <>
          <h2>{texts.left}</h2>
          <ul class="rows">
            {open.map((run) => (
              <RunRow key={run.id} run={run} href={hrefOf('terminal', [run.id])} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function OpenButton({ shell }: { shell: string }) {
  const [isBusy, setBusy] = useState(false)
  const [errorText, setErrorText] = useState('')
  const open = async () => {
    setBusy(true)
    try {
      const run = await ask((phone) => phone.run(`exec ${shell} -l`, { tty: FIRST_SIZE, background: true }))
      run.leave()
      noteOpened(run.id)
      go(hrefOf('terminal', [run.id]))
    } catch (error) {
      setErrorText(messageOf(error))
    }
    setBusy(false)
  }
  return (
    <>
      <div class="buttons">
        <Button kind="main" icon="terminal" disabled={isBusy} onClick={open}>
          {isBusy ? texts.opening : texts.open}
        </Button>
      </div>
      {errorText !== '' && <Failed message={errorText} />}
    </>
  )
}
