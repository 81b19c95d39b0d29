import { visible } from '../../shared/schema/index.ts'
import type { RunRecord } from '../../sdk/index.ts'
import { RunApproval } from '../approvals/run-approval.tsx'
import { Script } from '../approvals/script.tsx'
import { isLive } from '../live.ts'
import { OutputPanel } from '../output/output-panel.tsx'
import { useRun } from '../output/use-run.ts'
import { Button, Card, Facts, Title } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Elapsed } from '../parts/elapsed.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, Status } from '../parts/run-row.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { Controls } from '../run/controls.tsx'
import { Ended, runAgain } from '../run/run-card.tsx'
import { StdinLine } from '../run/stdin-line.tsx'
import type { ShownStatus } from '../waiting.ts'
import { words } from '../words.ts'
import { recordWords } from '../words/record-words.ts'
import { requestedAt } from './days.ts'
import { factsOf } from './facts.tsx'

/** The list from which a run was opened: its filters, and the number of its entry in the history. */
export interface OpenedFrom {
  query: URLSearchParams
  entry: number
}

/** The run at `#/runs/ID`; `list`: null if the run was not opened from a list. */
export const OneRun = ({ rest: [id = ''], list }: ViewProps & { list: OpenedFrom | null }) => (
  <RunDetails key={id} id={id} list={list} />
)

/** Leads to the list as it was left. */
function BackToList({ list }: { list: OpenedFrom | null }) {
  const href = hrefOf('runs', [], Object.fromEntries(list?.query ?? []))
  const open = (event: MouseEvent) => {
    if (!list || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    go(href, 'push', list.entry)
  }
  return (
    <a class="back" href={href} onClick={open}>
      <Icon name="left" />
      {words.views.runs}
    </a>
  )
}

/** A run with its command, its output and its whole record. */
function RunDetails({ id, list }: { id: string; list: OpenedFrom | null }) {
  const follower = useRun(id)
  const record = follower.record.value
  const isWaiting = follower.isWaiting()
  const status = follower.result.value?.status ?? follower.status.value ?? record?.status
  return (
    <>
      <div class="run-details">
        <BackToList list={list} />
        <Title>{words.runs.one}</Title>
        {!record && (follower.error.value === '' ? <Loading /> : <Failed message={follower.error.value} />)}
        {record && <CommandCard record={record} status={isWaiting ? 'waiting' : (status ?? record.status)} />}
        <article class="run-card card">
          {isWaiting && <RunApproval id={id} />}
          {record && isLive(record) && <Controls id={id} isRunning={status === 'running'} />}
          <OutputPanel id={id} follower={follower} />
          {record && isLive(record) && <StdinLine follower={follower} />}
        </article>
      </div>
      {record && (
        <Card title={recordWords.details}>
          <Facts rows={factsOf(record)} />
        </Card>
      )}
    </>
  )
}

/** What a reader wants to know first: how the run ended and how long it took, what it was, where, when, and whose it is. */
const CommandCard = ({ record, status }: { record: RunRecord; status: ShownStatus }) => (
  <Card>
    <div class="run-summary">
      <Status status={status} />
      {!isLive(record) && <Ended record={record} />}
      <Elapsed record={record} />
      <Button kind="quiet" icon="again" label={words.run.again} onClick={() => runAgain(record)}>
        <span class="wide">{words.run.again}</span>
      </Button>
    </div>
    <Script text={record.command} />
    <div class="run-about">
      <p class="about">
        <span class="mono breaks">{visible(record.working_directory)}</span>
        <Ago when={record.started_at ?? requestedAt(record.id)} />
        <span dir="auto">{visible(record.token ?? '')}</span>
        {record.session && <span dir="auto">{words.runs.session(record.session.name)}</span>}
      </p>
      <CopyButton text={record.command} label={recordWords.copy} />
    </div>
  </Card>
)
