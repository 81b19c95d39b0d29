import { Title } from '../parts/basics.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { hrefOf, type ViewProps } from '../route.ts'
import { live } from '../wire.ts'
import { words } from '../words.ts'
import { terminalWords as texts } from '../words/terminal-words.ts'
import { NewTerminal } from './new-terminal.tsx'
import { Terminal } from './terminal.tsx'

/** `#/terminal` lists the open terminals and opens new ones; `#/terminal/ID` shows one. */
export const OpenTerminal = ({ rest: [id] }: ViewProps) =>
  id === undefined ? <Terminals /> : <Terminal key={id} id={id} />

function Terminals() {
  const open = live.runs.value.filter(({ tty }) => tty !== undefined)
  return (
    <>
      <Title>{words.views.terminal}</Title>
      <p class="dim">{texts.about}</p>
      <NewTerminal />
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
