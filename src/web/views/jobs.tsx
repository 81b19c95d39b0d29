import { useRef, useState } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import { get } from '../api.ts'
import { type ListedPhone, MAX_LISTED, originPhone, phones } from '../fleet-phones.ts'
import { Button, ErrorText, Field, literalInput, Title } from '../parts/basics.tsx'
import { Choice } from '../parts/choice.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, commandLine } from '../parts/run-row.tsx'
import { Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { newKey } from '../run/draft.ts'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { JobDetails, shownCounts, useJob } from './job-details.tsx'
import { labelsOf, searchPhones } from './phone-labels.ts'

const { jobs: texts } = rareWords

/** More distinct labels would not fit in a list. */
const MAX_LABELS = 50
const ALL = '*'
const CHOSEN = 'chosen'

/** `#/jobs` starts a command on several phones; `#/jobs/ID` shows what became of it. */
export const Jobs = ({ rest: [id] }: ViewProps) => (id ? <JobDetails key={id} id={id} /> : <NewJob />)

/** All phones, each label, and a choice of names. */
function targetNames(): Record<string, string> {
  const all = phones.value
  const labels = [...new Set(all.flatMap(labelsOf))].sort().slice(0, MAX_LABELS)
  const withLabel = labels.map((label) => [label, texts.withLabel(label)] as const)
  return { [ALL]: texts.all, ...Object.fromEntries(withLabel), [CHOSEN]: texts.chosen }
}

function targetsOf(target: string, chosen: ReadonlySet<string>): ListedPhone[] {
  if (target === ALL) return phones.value
  return phones.value.filter((phone) => (target === CHOSEN ? chosen.has(phone.name) : labelsOf(phone).includes(target)))
}

const selectorOf = (target: string, chosen: ReadonlySet<string>): string =>
  target === CHOSEN ? `name=${[...chosen].join('|')}` : target

function NewJob() {
  const [command, setCommand] = useState('')
  const [target, setTarget] = useState(ALL)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [seconds, setSeconds] = useState('60')
  const [errorText, setErrorText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const targets = targetsOf(target, chosen)
  const body = { command, phones: selectorOf(target, chosen), queue_seconds: Number(seconds) }
  const key = useRef({ for: '', text: '' })
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const content = JSON.stringify(body)
    if (key.current.for !== content) key.current = { for: content, text: newKey() }
    try {
      const headers = { 'idempotency-key': key.current.text }
      const response = await ask(() => originPhone.value!.request('/exec', { method: 'POST', body, headers }))
      const { job } = (await response.json()) as { job: string }
      go(hrefOf('jobs', [job]))
    } catch (error) {
      setErrorText(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <>
      <Title>{words.views.jobs}</Title>
      <p class="dim">{texts.about}</p>
      <form class="card" onSubmit={submit}>
        <Field label={words.run.command}>
          {(inputProps) => (
            <textarea
              {...inputProps}
              class="mono"
              rows={2}
              required
              value={command}
              onInput={({ currentTarget }) => setCommand(currentTarget.value)}
              {...literalInput}
            />
          )}
        </Field>
        <div class="two">
          <Choice label={words.views.phones} names={targetNames()} value={target} set={setTarget} />
          <Choice label={texts.wait} names={texts.waits} value={seconds} set={setSeconds} hint={texts.waitHint} />
        </div>
        {target === CHOSEN && <PhoneChoice chosen={chosen} set={setChosen} />}
        <p class="hint" role="status">
          {texts.targets(targets.length, targets.filter(({ online }) => !online).length)}
        </p>
        <div class="buttons">
          <Button
            type="submit"
            kind="main"
            icon="run"
            disabled={isBusy || command.trim() === '' || targets.length === 0}
          >
            {texts.run(targets.length)}
          </Button>
        </div>
        <ErrorText>{errorText}</ErrorText>
      </form>
      <h2>{texts.recent}</h2>
      <AllJobs />
    </>
  )
}

function PhoneChoice({ chosen, set }: { chosen: ReadonlySet<string>; set(next: ReadonlySet<string>): void }) {
  const [search, setSearch] = useState('')
  const found = searchPhones(search)
  const toggle = (name: string) => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    set(next)
  }
  return (
    <fieldset class="phone-choice">
      <legend>{texts.chosen}</legend>
      {phones.value.length > 8 && <SearchField label={rareWords.phones.search} value={search} set={setSearch} />}
      {found.slice(0, MAX_LISTED).map(({ name, online }) => (
        <label key={name} class="check">
          <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
          {online ? name : words.frame.offlinePhone(name)}
        </label>
      ))}
    </fieldset>
  )
}

/** The newest jobs that this token can see. */
function AllJobs() {
  const listed = useAnswer(() => get<{ jobs: { job: string }[] }>('/jobs')(originPhone.value!))
  return (
    <Loaded from={listed}>
      {({ jobs }) =>
        jobs.length === 0 ? (
          <Empty icon="jobs">{texts.none}</Empty>
        ) : (
          <ul class="rows">
            {jobs.map(({ job }) => (
              <JobRow key={job} id={job} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function JobRow({ id }: { id: string }) {
  const { value, error } = useJob(id)
  return (
    <li>
      <a class="row run-row" data-row href={hrefOf('jobs', [id])}>
        <code class="clip grow">{value ? commandLine(value.request.command) : error || words.loading}</code>
        <span class="about">
          {value && <span dir="auto">{visible(value.by)}</span>}
          {value && <Ago when={value.submitted_at} />}
          {value && <span>{texts.counts(shownCounts(value))}</span>}
        </span>
        <Icon name="right" />
      </a>
    </li>
  )
}
