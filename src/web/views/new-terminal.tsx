import { useState } from 'preact/hooks'
import { Button } from '../parts/basics.tsx'
import { Failed, Loaded, useAnswer } from '../parts/states.tsx'
import { go, hrefOf } from '../route.ts'
import { noteOpened } from '../terminal/opened.ts'
import { ask, messageOf } from '../wire.ts'
import { terminalWords as texts } from '../words/terminal-words.ts'

/** Used until xterm has fitted the terminal to the window. */
const FIRST_SIZE = { rows: 24, columns: 80 }

/** A button that opens a terminal, or the reason why this page cannot open one. */
export function NewTerminal() {
  const health = useAnswer((phone) => phone.health())
  return (
    <Loaded from={health}>
      {({ terminal }) =>
        terminal?.available ? (
          <OpenButton shell={terminal.shell} />
        ) : (
          <p class="notice">{texts.missing(terminal?.reason ?? '')}</p>
        )
      }
    </Loaded>
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
