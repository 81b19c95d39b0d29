import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button, Title } from '../parts/basics.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { Failed, Loaded, Loading, useAnswer } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { ask, live, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const { terminal: texts } = words

/** Until the real one is known: xterm fits it to the window then. */
const FIRST_SIZE = { rows: 24, columns: 80 }

/** `#/terminal`: those that are open, and the way to another; `#/terminal/ID` one of them, whose program is loaded now. */
export const OpenTerminal = ({ rest: [id] }: ViewProps) => (id === undefined ? <Terminals /> : <Late id={id} />)

type TerminalView = ComponentType<{ id: string }>

function Late({ id }: { id: string }) {
  const [View, setView] = useState<TerminalView | null>(null)
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    import('./terminal.tsx').then(
      ({ Terminal }) => setView(() => Terminal),
      (error) => setTrouble(messageOf(error)),
    )
  }, [])
  if (View) return <View id={id} />
  return (
    <>
      <Title>{words.views.terminal}</Title>
      {trouble === '' ? <Loading /> : <Failed message={trouble} />}
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
            <Open shell={terminal.shell} />
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

function Open({ shell }: { shell: string }) {
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  const open = async () => {
    setBusy(true)
    try {
      const run = await ask((phone) => phone.run(`exec ${shell} -l`, { tty: FIRST_SIZE, background: true }))
      run.leave()
      go(hrefOf('terminal', [run.id]))
    } catch (error) {
      setTrouble(messageOf(error))
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
      {trouble !== '' && <Failed message={trouble} />}
    </>
  )
}
