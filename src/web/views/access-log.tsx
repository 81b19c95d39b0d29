import { useMemo, useState } from 'preact/hooks'
import type { AccessEvent, RunPhone, RunRecord, RunSummary } from '../../sdk/index.ts'
import { MAX_ACCESS_EVENTS, visible } from '../../shared/schema/index.ts'
import { get } from '../api.ts'
import { Button, Tag, Title } from '../parts/basics.tsx'
import { Choice } from '../parts/choice.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { toCount } from '../parts/format.ts'
import type { IconName } from '../parts/icon.tsx'
import { usePolled } from '../parts/poll.tsx'
import { RunLink } from '../parts/run-link.tsx'
import { Ago, commandLine } from '../parts/run-row.tsx'
import { ShortTime } from '../parts/short-time.tsx'
import { isWide, SortedTable, useSort } from '../parts/sorted-table.tsx'
import { Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { isUnreachable } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { accessLog: texts } = rareWords

const styles: Record<AccessEvent['what'], [kind: string, icon: IconName]> = {
  code_created: ['info', 'plus'],
  paired: ['good', 'link'],
  token_created: ['info', 'plus'],
  token_rotated: ['info', 'again'],
  token_revoked: ['bad', 'trash'],
  token_expired: ['dim', 'clock'],
  token_edited: ['warn', 'warn'],
  approved: ['good', 'ok'],
  denied: ['bad', 'close'],
  rule_revoked: ['bad', 'trash'],
  wrong_token: ['bad', 'warn'],
  wrong_code: ['bad', 'warn'],
}

const answers: AccessEvent['what'][] = ['approved', 'denied', 'rule_revoked']
const failures: AccessEvent['what'][] = ['wrong_token', 'wrong_code']
const kindOf = ({ what }: AccessEvent): string =>
  answers.includes(what) ? 'answers' : failures.includes(what) ? 'failures' : 'access'

/** The service lists at most this many runs. */
const MAX_RUNS = 1000
/** Older runs are requested one by one, at most this many, those of the newest events first. */
const MAX_OLDER_RUNS = 50
const MAX_COMMAND_CHARACTERS = 60
/** How often to request the log, because no event reports a change. */
const POLL_MS = 5_000
const NO_EVENTS: AccessEvent[] = []

/** What runs did, by the id of the run. */
type RunLabels = ReadonlyMap<string, string>

/** What the runs of these events did, as far as this token can read them. The log itself has only their ids. */
function useRunLabels(events: AccessEvent[]): RunLabels {
  const { value: newest } = useAnswer((phone) => phone.history({ limit: MAX_RUNS }))
  const older = useMemo(() => {
    if (!newest) return []
    const listed = new Set(newest.map(({ id }) => id))
    const ids = new Set(events.map(({ run_id }) => run_id ?? '').filter((id) => id !== '' && !listed.has(id)))
    return [...ids].slice(0, MAX_OLDER_RUNS)
  }, [newest, events])
  const { value: found } = useAnswer((phone) => recordsOf(phone, older), [older.join()])
  return useMemo(
    () => new Map([...(newest ?? []), ...(found ?? [])].map((run) => [run.id, labelOf(run)])),
    [newest, found],
  )
}

/** The records that still exist. Throws PhoneError without a connection. */
async function recordsOf(phone: RunPhone, ids: string[]): Promise<RunRecord[]> {
  const answers = await Promise.all(
    ids.map((id) =>
      phone.record(id).catch((error) => {
        if (isUnreachable(error)) throw error
        return null
      }),
    ),
  )
  return answers.filter((record) => record !== null)
}

function labelOf({ tty, command }: Pick<RunSummary, 'tty' | 'command'>): string {
  if (tty !== undefined) return texts.terminal
  const start = command.slice(0, MAX_COMMAND_CHARACTERS)
  return commandLine(start) + (start === command ? '' : '…')
}

/** Who paired, who failed to sign in, who lost access, and who answered approval requests. */
export function AccessLog() {
  const log = usePolled(get<{ events: AccessEvent[] }>(`/access-log?limit=${MAX_ACCESS_EVENTS}`), POLL_MS)
  const labels = useRunLabels(log.value?.events ?? NO_EVENTS)
  const [kind, setKind] = useState('')
  const [search, setSearch] = useState('')
  const text = search.trim().toLowerCase()
  const fits = (event: AccessEvent) =>
    (kind === '' || kindOf(event) === kind) && searchText(event, labels).toLowerCase().includes(text)
  return (
    <>
      <Title aside={<Button kind="quiet" icon="again" label={texts.again} onClick={() => log.again()} />}>
        {words.views['access-log']}
      </Title>
      <p class="dim">{texts.about}</p>
      <Choice label={texts.show} names={texts.kinds} value={kind} set={setKind} />
      <SearchField label={texts.search} value={search} set={setSearch} />
      <Loaded from={log}>
        {({ events }) => {
          const shown = events.filter(fits)
          if (shown.length === 0) return <Empty icon="clock">{events.length === 0 ? texts.none : texts.noMatch}</Empty>
          return isWide.value ? (
            <EventTable events={shown} labels={labels} />
          ) : (
            <EventRows events={shown} labels={labels} />
          )
        }}
      </Loaded>
    </>
  )
}

const What = ({ event: { what, is_saved, attempts } }: { event: AccessEvent }) => (
  <Tag kind={styles[what][0]} icon={styles[what][1]}>
    {texts.what[what]}
    {is_saved && `, ${words.runs.always}`}
    {(attempts ?? 1) > 1 && texts.times(toCount(attempts!))}
  </Tag>
)

/** What a token or a pairing code allows; older services do not say. */
function rightsOf({ rights }: AccessEvent): string {
  if (!rights) return ''
  const { approves, read, shell, files, policy } = rights
  const { access } = rareWords
  return [
    ...[access.approves[approves], access.reads[read], shell && access.shell],
    ...[files !== 'write' && access.files[files], policy && access.policy(policy)],
  ]
    .filter(Boolean)
    .join(', ')
}

const byOf = ({ by, how }: AccessEvent): string => `${visible(by ?? '')}${how ? ` (${how})` : ''}`

/** What each column sorts by. */
const keysWith = (labels: RunLabels): Record<keyof typeof texts.columns, (event: AccessEvent) => string> => ({
  at: ({ at }) => at,
  what: ({ what }) => texts.what[what],
  token: ({ token }) => token ?? '',
  rights: rightsOf,
  by: byOf,
  from: ({ from }) => from ?? '',
  run: ({ run_id }) => labels.get(run_id ?? '') ?? run_id ?? '',
})

/** What the search field searches: the columns except the time. */
function searchText(event: AccessEvent, labels: RunLabels): string {
  const columns = Object.entries(keysWith(labels)).filter(([column]) => column !== 'at')
  return columns.map(([, textOf]) => textOf(event)).join('\n')
}

interface Props {
  events: AccessEvent[]
  labels: RunLabels
}

function EventTable({ events, labels }: Props) {
  const { sorted, ...sorting } = useSort(events, keysWith(labels))
  return (
    <SortedTable kind="access-log" names={texts.columns} {...sorting}>
      {sorted.map((event, index) => (
        <tr key={`${event.at} ${index}`}>
          <td>
            <ShortTime when={event.at} />
          </td>
          <td>
            <What event={event} />
          </td>
          <td dir="auto">{event.token}</td>
          <td>{rightsOf(event)}</td>
          <td dir="auto">{byOf(event)}</td>
          <td class="mono">{event.from}</td>
          <td>{event.run_id && <RunLink id={event.run_id} text={labels.get(event.run_id)} />}</td>
        </tr>
      ))}
    </SortedTable>
  )
}

const EventRows = ({ events, labels }: Props) => (
  <ul class="card lines">
    {events.map((event, index) => (
      <li key={`${event.at} ${index}`}>
        <p class="spread">
          <What event={event} />
          <span class="dim">
            <Ago when={event.at} />
          </span>
        </p>
        {event.token && (
          <strong class="breaks" dir="auto">
            {event.token}
          </strong>
        )}
        <p class="hint breaks">
          {[rightsOf(event), event.by && texts.by(byOf(event)), event.from && texts.from(event.from)]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {event.run_id && (
          <p class="breaks">
            <RunLink id={event.run_id} text={labels.get(event.run_id)} />
          </p>
        )}
      </li>
    ))}
  </ul>
)
