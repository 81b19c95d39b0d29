import { useEffect, useState } from 'preact/hooks'
import { type ListedPhone, loadPhones, MAX_LISTED } from '../fleet-phones.ts'
import { Button, ErrorText, Tag, Title } from '../parts/basics.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Ago } from '../parts/run-row.tsx'
import { isWide, SortedTable, useSort } from '../parts/sorted-table.tsx'
import { Empty } from '../parts/states.tsx'
import { hrefOf, selectedPhone } from '../route.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { labelsOf, searchPhones } from './phone-labels.ts'

const { phones: texts } = rareWords

type PhoneState = keyof typeof texts.state
const stateOf = ({ online, conflict_since }: ListedPhone): PhoneState =>
  conflict_since !== null ? 'conflict' : online ? 'online' : 'offline'

const labelText = (phone: ListedPhone): string => labelsOf(phone).join(', ')

/** What each column sorts by. */
const keys: Record<keyof typeof texts.columns, (phone: ListedPhone) => string | number> = {
  name: ({ name }) => name,
  state: (phone) => texts.state[stateOf(phone)],
  labels: labelText,
  seen: ({ online, last_seen }) => (online ? '~' : (last_seen ?? '')), // connected phones are the newest
  version: ({ version }) => version ?? '',
  battery: ({ battery }) => battery ?? -1,
  running: ({ running }) => running,
  queued: ({ queued }) => queued,
  approvals: ({ pending_approvals }) => pending_approvals,
}

/** The phones of a control plane. */
export function Phones() {
  const [search, setSearch] = useState('')
  const [errorText, setErrorText] = useState('')
  const load = () => {
    setErrorText('')
    ask(() => loadPhones()).catch((error) => setErrorText(messageOf(error)))
  }
  useEffect(load, [])
  const found = searchPhones(search)
  const { sorted, ...sorting } = useSort(found, keys)
  const shown = sorted.slice(0, MAX_LISTED)
  return (
    <>
      <Title aside={<Button kind="quiet" icon="again" label={texts.again} onClick={load} />}>
        {words.views.phones}
      </Title>
      <p class="dim">
        {texts.about} <a href={hrefOf('jobs')}>{rareWords.jobs.link}</a>
      </p>
      <ErrorText>{errorText}</ErrorText>
      <SearchField label={texts.search} value={search} set={setSearch} />
      {shown.length === 0 && <Empty icon="phone">{search.trim() === '' ? words.frame.noPhone : texts.noMatch}</Empty>}
      {shown.length > 0 && !isWide.value && <PhoneRows all={shown} />}
      {shown.length > 0 && isWide.value && (
        <SortedTable kind="phone-table" names={texts.columns} {...sorting}>
          {shown.map((phone) => (
            <Row key={phone.name} phone={phone} />
          ))}
        </SortedTable>
      )}
      {shown.length < found.length && <p class="hint">{texts.cut(shown.length, found.length)}</p>}
    </>
  )
}

const stateStyles = {
  online: ['good', 'ok'],
  offline: ['dim', 'close'],
  conflict: ['bad', 'warn'],
} as const

function State({ phone }: { phone: ListedPhone }) {
  const state = stateOf(phone)
  const [kind, icon] = stateStyles[state]
  return (
    <Tag kind={kind} icon={icon}>
      {texts.state[state]}
    </Tag>
  )
}

/** Opens the first view of the phone. */
const PhoneLink = ({ name, class: className }: { name: string; class?: string }) => (
  <a
    class={className}
    data-row
    dir="auto"
    href={hrefOf('run', [], {}, name)}
    aria-current={name === selectedPhone.value ? 'true' : undefined}
  >
    {name}
  </a>
)

/** Since when a phone is gone. A connected phone sends a message each minute, whose age says nothing. */
const LastContact = ({ phone: { online, last_seen } }: { phone: ListedPhone }) =>
  online ? <>{texts.connected}</> : <Ago when={last_seen} />

const Row = ({ phone }: { phone: ListedPhone }) => (
  <tr>
    <td class="clip">
      <PhoneLink name={phone.name} />
    </td>
    <td>
      <State phone={phone} />
    </td>
    <td class="clip" title={labelText(phone)}>
      {labelText(phone)}
    </td>
    <td>
      <LastContact phone={phone} />
    </td>
    <td class="clip">{phone.version}</td>
    <td>{phone.battery !== null && `${phone.battery} %`}</td>
    <td>{phone.running}</td>
    <td>{phone.queued}</td>
    <td>{phone.pending_approvals}</td>
  </tr>
)

const PhoneRows = ({ all }: { all: ListedPhone[] }) => (
  <ul class="card lines">
    {all.map((phone) => (
      <li key={phone.name}>
        <p class="spread">
          <PhoneLink name={phone.name} class="big" />
          <State phone={phone} />
        </p>
        <p class="hint breaks">
          {[labelText(phone), phone.version, texts.runs(phone.running, phone.pending_approvals)]
            .filter(Boolean)
            .join(' · ')}{' '}
          · <LastContact phone={phone} />
        </p>
      </li>
    ))}
  </ul>
)
