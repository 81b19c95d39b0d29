import { useEffect } from 'preact/hooks'
import type { RunSummary } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Title } from '../parts/basics.tsx'
import { toDayAndTime, toSize } from '../parts/format.ts'
import { Ago, commandLine, Status } from '../parts/run-row.tsx'
import { hrefOf, type ViewProps } from '../route.ts'
import { titles } from '../terminal/opened.ts'
import { shownStatus } from '../waiting.ts'
import { live, loadRuns, phone } from '../wire.ts'
import { words } from '../words.ts'
import { terminalWords as texts } from '../words/terminal-words.ts'
import { EndButton } from './end-terminal.tsx'
import { NewTerminal } from './new-terminal.tsx'
import { Terminal } from './terminal.tsx'

/** `#/terminal` lists the open terminals and opens new ones; `#/terminal/ID` shows one. */
export const OpenTerminal = ({ rest: [id] }: ViewProps) =>
  id === undefined ? <Terminals /> : <Terminal key={id} id={id} />

function Terminals() {
  useEffect(() => void loadRuns(phone()).catch(() => {}), []) // without a response, the rows stay as they are
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
              <TerminalRow key={run.id} run={run} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** An open terminal, with the facts that distinguish it from others with the same shell. */
function TerminalRow({ run }: { run: RunSummary }) {
  const { id, command, working_directory, started_at, stdout_bytes, token } = run
  const started = started_at && texts.startedAt(toDayAndTime(started_at))
  return (
    <li class="spread">
      <a class="row run-row grow" data-row href={hrefOf('terminal', [id])}>
        <code class="clip grow">{commandLine(titles.value.get(id) || command)}</code>
        <Status status={shownStatus(run)} />
        <span class="about">
          {started && (
            <span>
              {started} (<Ago when={started_at} />)
            </span>
          )}
          <code>{visible(working_directory)}</code>
          <span>{texts.written(toSize(stdout_bytes))}</span>
          <span dir="auto">{token}</span>
        </span>
      </a>
      <EndButton id={id} of={started ?? ''} />
    </li>
  )
}
