import { useState } from 'preact/hooks'
import type { RunSummary } from '../../sdk/index.ts'
import { isLive } from '../live.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toSize, toSpan } from '../parts/format.ts'
import { Ago, commandLine, Status } from '../parts/run-row.tsx'
import { SortedTable, useSort } from '../parts/sorted-table.tsx'
import { hrefOf } from '../route.ts'
import { shownStatus } from '../waiting.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'

const { columns, select, cancelAll } = words.runs
const startOf = ({ started_at, ended_at }: RunSummary) => started_at ?? ended_at ?? ''
const bytesOf = ({ stdout_bytes, stderr_bytes }: RunSummary) => stdout_bytes + stderr_bytes

/** What each column sorts by. */
const keys: Record<keyof typeof columns, (run: RunSummary) => string | number> = {
  status: (run) => words.status[shownStatus(run)],
  command: ({ command }) => command,
  token: ({ token = '' }) => token,
  started: startOf,
  took: ({ duration_ms }) => duration_ms,
  output: bytesOf,
}

/** The runs as a table, for wide screens: click a header to sort the runs that are loaded, select live runs to cancel them. */
export function RunTable({ runs }: { runs: RunSummary[] }) {
  const { sorted, ...sorting } = useSort(runs, keys)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [errorText, setErrorText] = useState('')
  const chosen = runs.filter((run) => isLive(run) && selected.has(run.id))
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }
  const cancel = () =>
    Promise.all(chosen.map(({ id }) => ask((phone) => phone.cancel(id)))).catch((error) =>
      setErrorText(messageOf(error)),
    )
  return (
    <>
      {chosen.length > 0 && (
        <div class="buttons">
          <Button kind="danger" icon="stop" onClick={cancel}>
            {cancelAll(chosen.length)}
          </Button>
        </div>
      )}
      <ErrorText>{errorText}</ErrorText>
      <SortedTable kind="run-table" names={columns} first={<td />} {...sorting}>
        {sorted.map((run) => (
          <Row key={run.id} run={run} isSelected={selected.has(run.id)} toggle={() => toggle(run.id)} />
        ))}
      </SortedTable>
    </>
  )
}

function Row({ run, isSelected, toggle }: { run: RunSummary; isSelected: boolean; toggle(): void }) {
  const command = commandLine(run.command)
  return (
    <tr class="run-row">
      <td>
        {isLive(run) && <input type="checkbox" aria-label={select(command)} checked={isSelected} onChange={toggle} />}
      </td>
      <td>
        <Status status={shownStatus(run)} />
      </td>
      <td class="clip">
        <a class="mono" data-row href={hrefOf('runs', [run.id])}>
          {command}
        </a>
      </td>
      <td class="clip" dir="auto">
        {run.token}
      </td>
      <td>
        <Ago when={startOf(run)} />
      </td>
      <td>{run.ended_at && run.started_at && toSpan(run.duration_ms)}</td>
      <td>{toSize(bytesOf(run))}</td>
    </tr>
  )
}
