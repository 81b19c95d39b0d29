import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { RunSummary } from '../../sdk/index.ts'
import { isLive } from '../live.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { Elapsed } from '../parts/elapsed.tsx'
import { toCount, toSize } from '../parts/format.ts'
import { commandLine, howEnded, RunRow, Started, Status } from '../parts/run-row.tsx'
import { isWide, type Sort, SortedTable, type SortKey, sortRows } from '../parts/sorted-table.tsx'
import { hrefOf } from '../route.ts'
import { isWaiting, shownStatus } from '../waiting.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { requestedAt } from './days.ts'

const { columns, select, selectAll, cancelAll, canceled } = words.runs
const startOf = ({ id, started_at }: RunSummary) => started_at ?? requestedAt(id)
const bytesOf = ({ stdout_bytes, stderr_bytes }: RunSummary) => stdout_bytes + stderr_bytes

/** What each column sorts by. */
const keys: Record<keyof typeof columns, SortKey<RunSummary>> = {
  status: (run) => words.status[shownStatus(run)],
  command: ({ command }) => command,
  token: ({ token = '' }) => token,
  started: startOf,
  took: ({ started_at, ended_at, duration_ms }) =>
    started_at && (ended_at === null ? Date.now() - Date.parse(started_at) : duration_ms),
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

/** The runs, of which the live ones can be selected and canceled. On wide screens, they are a table: click a header to sort those that are loaded. */
export function RunTable({ runs, sort, setSort, isPart }: Props) {
  const sorted = sortRows(runs, keys, sort)
  const live = runs.filter(isLive)
  const canSelect = live.length > 0
  /** what “all” selects: nobody means to end an open terminal or to deny an approval with it */
  const plain = live.filter((run) => run.tty === undefined && !isWaiting(run))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  /** what the last cancel did; stays until something else is selected, although the canceled runs end meanwhile */
  const [message, setMessage] = useState('')
  const [errorText, setErrorText] = useState('')
  /** the run that was clicked last, where a range starts */
  const last = useRef('')
  const chosen = live.filter(({ id }) => selected.has(id))
  const choose = (ids: Iterable<string>) => {
    setSelected(new Set(ids))
    setMessage('')
    setErrorText('')
  }
  const toggle = (id: string, isRange: boolean) => {
    const next = new Set(selected)
    const ids = sorted.filter(isLive).map((run) => run.id)
    const [from = 0, to = 0] = [ids.indexOf(last.current), ids.indexOf(id)].toSorted((one, other) => one - other)
    if (isRange && from >= 0) for (const one of ids.slice(from, to + 1)) next.add(one)
    else if (!next.delete(id)) next.add(id)
    last.current = id
    choose(next)
  }
  const checkbox = (run: RunSummary) =>
    isLive(run) && (
      <input
        type="checkbox"
        aria-label={select(commandLine(run.command))}
        checked={selected.has(run.id)}
        onMouseDown={(event) => event.shiftKey && event.preventDefault()} // would select text
        onClick={({ shiftKey }) => toggle(run.id, shiftKey)}
      />
    )
  const cancel = () =>
    Promise.all(chosen.map(({ id }) => ask((phone) => phone.cancel(id)))).then(
      () => setMessage(canceled(chosen.length)),
      (error) => setErrorText(messageOf(error)),
    )
  const isEmpty = runs.length === 0 // what was canceled may have left the filter
  return (
    <>
      {(canSelect || message !== '') && (
        <div class="selection">
          {canSelect && (
            <>
              {plain.length > 0 && (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={plain.every(({ id }) => selected.has(id))}
                    onChange={({ currentTarget }) => choose(currentTarget.checked ? plain.map(({ id }) => id) : [])}
                  />
                  {selectAll(plain.length, plain.length < live.length)}
                </label>
              )}
              <Button kind="danger" icon="stop" disabled={chosen.length === 0} onClick={cancel}>
                {cancelAll(chosen.length)}
              </Button>
            </>
          )}
          <span class="hint" role="status">
            {message}
          </span>
        </div>
      )}
      <ErrorText>{errorText}</ErrorText>
      {sort && !isEmpty && (
        <p class="hint">
          {words.runs.sorted(columns[sort.by as keyof typeof columns])}{' '}
          {isPart && words.runs.sortedPart(toCount(runs.length))}{' '}
          <Button kind="quiet" onClick={() => setSort(null)}>
            {words.runs.unsort}
          </Button>
        </p>
      )}
      {isEmpty ? null : isWide.value ? (
        <SortedTable
          kind={`run-table ${canSelect ? 'selectable' : ''}`}
          names={columns}
          first={canSelect && <td />}
          {...{ sort, setSort }}
        >
          {sorted.map((run) => (
            <Row key={run.id} run={run} first={canSelect && <td>{checkbox(run)}</td>} />
          ))}
        </SortedTable>
      ) : (
        <ul class="rows">
          {sorted.map((run) => (
            <RunRow key={run.id} run={run} before={isLive(run) && <label>{checkbox(run)}</label>} />
          ))}
        </ul>
      )}
    </>
  )
}

/** A run in the table; `first`: a cell before those of the columns. */
function Row({ run, first }: { run: RunSummary; first: ComponentChildren }) {
  return (
    <tr class="run-row">
      {first}
      <td>
        <Status status={shownStatus(run)} /> <span class="dim">{howEnded(run)}</span>
      </td>
      <td class="clip">
        <a class="mono" data-row href={hrefOf('runs', [run.id])}>
          {commandLine(run.command)}
        </a>
      </td>
      <td class="clip" dir="auto">
        {run.token}
      </td>
      <td>
        <Started run={run} />
      </td>
      <td>
        <Elapsed record={run} />
      </td>
      <td>{run.ended_at && toSize(bytesOf(run))}</td>
    </tr>
  )
}
