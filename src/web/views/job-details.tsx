import { useEffect, useState } from 'preact/hooks'
import type { RunStatus } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { get, send } from '../api.ts'
import { originPhone } from '../fleet-phones.ts'
import { Button, Card, ErrorText, Facts, Tag, Title } from '../parts/basics.tsx'
import { toDayAndTime, toSpan } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Status } from '../parts/run-row.tsx'
import { Failed, type Loadable, Loading, useAnswer } from '../parts/states.tsx'
import { hrefOf } from '../route.ts'
import { approvals, ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { jobs: texts } = rareWords

const POLL_MS = 2_000

/** What became of a job on one phone, as its control plane reports it. */
interface PhoneResult {
  state: Exclude<keyof typeof texts.state, 'waiting'>
  run_id?: string
  status?: RunStatus
  exit_code?: number
  duration_ms?: number
  output?: string
  /** the output is only its beginning */
  truncated?: boolean
  reason?: string
}

/** A state as the page shows it: a run that waits for approval has a state of its own, if this browser can see the approval. */
type ShownState = PhoneResult['state'] | 'waiting'

interface Job {
  job: string
  by: string
  request: { command: string }
  submitted_at: string
  expires_at: string
  phones: Record<string, PhoneResult>
}

const stateStyles: Record<ShownState, [kind: string, icon: IconName]> = {
  queued: ['info', 'clock'],
  sent: ['info', 'clock'],
  accepted: ['info', 'clock'],
  waiting: ['warn', 'approvals'],
  running: ['info', 'run'],
  ended: ['good', 'ok'],
  refused: ['bad', 'close'],
  unknown: ['bad', 'warn'],
  withdrawn: ['dim', 'stop'],
  expired: ['dim', 'clock'],
}
const liveStates = ['queued', 'sent', 'accepted', 'running']
const isLive = ({ phones }: Job): boolean => Object.values(phones).some(({ state }) => liveStates.includes(state))

function shownState(name: string, { state, run_id: run }: PhoneResult): ShownState {
  if (state !== 'sent' && state !== 'accepted') return state
  const isPending = approvals.pending.value.some(
    ({ approval }) => approval.phone === name && run !== undefined && approval.run_id === run,
  )
  return isPending ? 'waiting' : state
}

/** The number of phones in each shown state. */
export function shownCounts({ phones }: Job): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [name, result] of Object.entries(phones)) {
    const state = shownState(name, result)
    counts[state] = (counts[state] ?? 0) + 1
  }
  return counts
}

/** A job, loaded again until it has ended on every phone. */
export function useJob(id: string): Loadable<Job> {
  const job = useAnswer(() => get<Job>(`/jobs/${encodeURIComponent(id)}`)(originPhone.value!), [id])
  const isOver = job.error !== '' || (job.value !== null && !isLive(job.value))
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => document.visibilityState === 'visible' && job.again(), POLL_MS)
    return () => clearInterval(timer)
  }, [id, isOver])
  return job
}

/** What a job does on each of its phones. */
export function JobDetails({ id }: { id: string }) {
  const job = useJob(id)
  const { value, error } = job
  return (
    <>
      <a class="back" href={hrefOf('jobs')}>
        <Icon name="left" />
        {words.views.jobs}
      </a>
      <Title>{texts.one}</Title>
      {value === null && (error === '' ? <Loading /> : <Failed message={error} again={job.again} />)}
      {value && (
        <>
          <Card>
            <code class="block-code">{visible(value.request.command)}</code>
            <Facts
              rows={[
                [texts.by, visible(value.by)],
                [texts.submitted, toDayAndTime(value.submitted_at)],
                [texts.expires, isLive(value) && toDayAndTime(value.expires_at)],
                [words.runs.status, <span role="status">{texts.counts(shownCounts(value))}</span>],
              ]}
            />
            {isLive(value) && <Cancel id={id} done={job.again} />}
          </Card>
          <ul class="card lines">
            {Object.entries(value.phones).map(([name, result]) => (
              <PhoneLine key={name} name={name} result={result} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function Cancel({ id, done }: { id: string; done(): void }) {
  const [errorText, setErrorText] = useState('')
  const cancel = () =>
    ask(() => send('DELETE', `/jobs/${encodeURIComponent(id)}`)(originPhone.value!)).then(done, (error) =>
      setErrorText(messageOf(error)),
    )
  return (
    <div class="buttons">
      <Button kind="danger" icon="stop" onClick={cancel}>
        {texts.cancel}
      </Button>
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}

/** The output without the line about the exit code, which the page shows beside the name. */
const shownOutput = (output: string): string =>
  output
    .replace(/^\[Exit Code: -?\d+\]\n/, '')
    .replace(/\n$/, '')
    .split('\n')
    .map(visible)
    .join('\n')

function PhoneLine({ name, result }: { name: string; result: PhoneResult }) {
  const { run_id: run, status, exit_code: code = -1, duration_ms: ms, output = '', truncated, reason } = result
  const state = shownState(name, result)
  const [kind, icon] = stateStyles[state]
  return (
    <li>
      <p class="spread">
        <a data-row href={run ? hrefOf('runs', [run], {}, name) : hrefOf('run', [], {}, name)}>
          {name}
        </a>
        {ms !== undefined && <span class="dim">{toSpan(ms)}</span>}
        {code > 0 && <span class="dim">{words.run.code(String(code))}</span>}
        {state === 'waiting' && <a href={hrefOf('approvals')}>{words.frame.review}</a>}
        {status && state !== 'waiting' ? (
          <Status status={status} />
        ) : (
          <Tag kind={kind} icon={icon}>
            {texts.state[state]}
          </Tag>
        )}
      </p>
      {reason && <p class="dim">{visible(reason)}</p>}
      {output !== '' && (
        <pre class="job-output mono" tabIndex={0} aria-label={texts.outputOf(name)}>
          {shownOutput(output)}
        </pre>
      )}
      {truncated && run && (
        <p class="hint">
          <a href={hrefOf('runs', [run], {}, name)}>{texts.truncated}</a>
        </p>
      )}
    </li>
  )
}
