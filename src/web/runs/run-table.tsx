import { useState } from 'preact/hooks'
import type { RunSummary } from '../../sdk/index.ts'
import { isLive } from '../live.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toCount, toSize, toSpan } from '../parts/format.ts'
import { Ago, commandLine, howEnded, Status } from '../parts/run-row.tsx'
import { type Sort, SortedTable, sortRows } from '../parts/sorted-table.tsx'
import { hrefOf } from '../route.ts'
import { shownStatus } from '../waiting.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { requestedAt } from './days.ts'

const { columns, select, cancelAll, canceled } = words.runs
const startOf = ({ id, started_at }: RunSummary) => started_at ?? requestedAt(id)
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

/** The order in the address: a column, with a minus for the opposite order; null: newest first. */
export function sortIn(query: URLSearchParams): Sort | null {
  const text = query.get('sort') ?? ''
  const by = text.replace('-', '')
  return by in keys ? { by, sign: text === by ? 1 : -1 } : null
}

interface Props {
  runs: RunSummary[]
  sort: Sort | null
  setSort(sort: Sort | null): void
  /** whether there are runs that are not loaded */
  isPart: boolean
}

/** The runs as a table, for wide screens: click a header to sort the runs that are loaded, select live runs to cancel them. */
export function RunTable({ runs, sort, setSort, isPart }: Props) {
  const sorted = sortRows(runs, keys, sort)
  const canSelect = runs.some(isLive)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  /** what the last cancel did; stays until something else is selected, although the canceled runs end meanwhile */
  const [message, setMessage] = useState('')
  const [errorText, setErrorText] = useState('')
  const chosen = runs.filter((run) => isLive(run) && selected.has(run.id))
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
    setMessage('')
    setErrorText('')
  }
  const cancel = () =>
    Promise.all(chosen.map(({ id }) => ask((phone) => phone.cancel(id)))).then(
      () => setMessage(canceled(chosen.length)),
      (error) => setErrorText(messageOf(error)),
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
      {message !== '' && (
        <p class="hint" role="status">
          {message}
        </p>
      )}
      <ErrorText>{errorText}</ErrorText>
      {sort && (
        <p class="hint">
          {isPart && words.runs.sortedPart(toCount(runs.length))}{' '}
          <Button kind="quiet" onClick={() => setSort(null)}>
            {words.runs.unsort}
          </Button>
        </p>
      )}
      <SortedTable
        kind={`run-table ${canSelect ? 'selectable' : ''}`}
        names={columns}
        first={canSelect && <td />}
        {...{ sort, setSort }}
      >
        {sorted.map((run) => (
          <Row key={run.id} {...{ run, canSelect }} isSelected={selected.has(run.id)} toggle={() => toggle(run.id)} />
        ))}
      </SortedTable>
    </>
  )
}

type RowProps = { run: RunSummary; canSelect: boolean; isSelected: boolean; toggle(): void }

function Row({ run, canSelect, isSelected, toggle }: RowProps) {
  const command = commandLine(run.command)
  return (
    <tr class="run-row">
      {canSelect && (
        <td>
          {isLive(run) && <input type="checkbox" aria-label={select(command)} checked={isSelected} onChange={toggle} />}
        </td>
      )}
      <td>
        <Status status={shownStatus(run)} /> <span class="dim">{howEnded(run)}</span>
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
