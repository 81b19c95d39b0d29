import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button, Title } from '../parts/basics.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { Failed, Loaded, Loading, useAnswer } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { ask, live, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const { terminal: texts } = words

/** Used until xterm has fitted the terminal to the window. */
const FIRST_SIZE = { rows: 24, columns: 80 }

/** `#/terminal` lists the open terminals and opens new ones; `#/terminal/ID` shows one and loads xterm on demand. */
export const OpenTerminal = ({ rest: [id] }: ViewProps) => (id === undefined ? <Terminals /> : <LazyTerminal id={id} />)

type TerminalView = ComponentType<{ id: string }>

function LazyTerminal({ id }: { id: string }) {
  const [View, setView] = useState<TerminalView | null>(null)
  const [errorText, setErrorText] = useState('')
  useEffect(() => {
    import('./terminal.tsx').then(
      ({ Terminal }) => setView(() => Terminal),
      (error) => setErrorText(messageOf(error)),
    )
  }, [])
  if (View) return <View id={id} />
  return (
    <>
      <Title>{words.views.terminal}</Title>
      {errorText === '' ? <Loading /> : <Failed message={errorText} />}
    </>
  )
}

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
