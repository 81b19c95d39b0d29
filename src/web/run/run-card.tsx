import type { RunRecord } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { RunApproval } from '../approvals/run-approval.tsx'
import { isLive } from '../live.ts'
import { OutputPanel } from '../output/output-panel.tsx'
import { useRun } from '../output/use-run.ts'
import { Button } from '../parts/basics.tsx'
import { toSpan } from '../parts/format.ts'
import { Elapsed } from '../parts/elapsed.tsx'
import { commandLine, Status } from '../parts/run-row.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { go, hrefOf } from '../route.ts'
import { requestedAt } from '../runs/days.ts'
import { words } from '../words.ts'
import { Controls } from './controls.tsx'
import { draft, emptyDraft } from './draft.ts'
import { StdinLine } from './stdin-line.tsx'

/** A run with its status, live output and controls. */
export function RunCard({ id }: { id: string }) {
  const follower = useRun(id)
  const record = follower.record.value
  const status = follower.result.value?.status ?? follower.status.value
  const isWaiting = follower.isWaiting()
  const hasEnded = record !== null && !isLive(record)
  return (
    <article class="run-card card">
      <header>
        {status && <Status status={isWaiting ? 'waiting' : status} />}
        <a class="clip grow mono" href={hrefOf('runs', [id])}>
          {record && commandLine(record.command)}
        </a>
        {record && <Elapsed record={record} />}
        {hasEnded && <Button kind="quiet" icon="again" label={words.run.again} onClick={() => runAgain(record)} />}
      </header>
      {isWaiting && <RunApproval id={id} />}
      {hasEnded ? <Ended record={record} /> : record && <Controls id={id} isRunning={status === 'running'} />}
      {!record && (follower.error.value === '' ? <Loading /> : <Failed message={follower.error.value} />)}
      <OutputPanel id={id} follower={follower} />
      {!hasEnded && record && <StdinLine follower={follower} />}
    </article>
  )
}

function unansweredFor({ id, approval }: RunRecord): string {
  const seconds = Math.round((Date.parse(approval!.at) - Date.parse(requestedAt(id))) / 1000)
  return words.runs.unanswered(toSpan(seconds * 1000))
}

export const deniedBy = ({ by }: NonNullable<RunRecord['approval']>): string =>
  `${words.approvals.outcome.denied} ${by ? words.approvals.by(visible(by), '') : ''}`.trim()

/** How the run ended, in a sentence that screen readers announce, and the notes of its record. */
export function Ended({ record }: { record: RunRecord }) {
  const { status, exit_code, signal, decision, approval, notes } = record
  const how = signal ? words.run.bySignal(signal) : exit_code >= 0 ? words.run.code(String(exit_code)) : ''
  const unanswered = approval?.outcome === 'timeout' && unansweredFor(record)
  const person = approval?.outcome === 'denied' && deniedBy(approval)
  const why =
    status === 'denied'
      ? [unanswered || person, decision.reason ?? (unanswered || person ? '' : approval?.outcome)]
      : []
  return (
    <div class="run-end">
      <p role="status">{[how, ...why].filter(Boolean).join(' · ') || words.status[status]}</p>
      {notes.map(({ text }) => (
        <p key={text} class="dim" dir="auto">
          {text}
        </p>
      ))}
    </div>
  )
}

/** Puts the command into the command field, so that the user can review it before it runs again. */
export function runAgain({ command, working_directory, sandbox, session }: RunRecord): void {
  draft.value = { ...emptyDraft, command, directory: working_directory, sandbox, session: session?.name ?? '' }
  go(hrefOf('run'))
}
