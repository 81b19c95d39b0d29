import type { ComponentChildren } from 'preact'
import type { RunSummary } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { hrefOf } from '../route.ts'
import { requestedAt } from '../runs/days.ts'
import { shownStatus, type ShownStatus } from '../waiting.ts'
import { words } from '../words.ts'
import { Tag } from './basics.tsx'
import { Elapsed } from './elapsed.tsx'
import { toAgo, toDayAndTime, toSize } from './format.ts'
import type { IconName } from './icon.tsx'
import { useNow } from './use-now.ts'

const statusStyles: Record<ShownStatus, [kind: string, icon: IconName]> = {
  queued: ['info', 'clock'],
  starting: ['info', 'clock'],
  running: ['info', 'run'],
  completed: ['good', 'ok'],
  failed: ['bad', 'close'],
  timed_out: ['bad', 'clock'],
  canceled: ['dim', 'stop'],
  denied: ['warn', 'close'],
  waiting: ['warn', 'approvals'],
}

/** The status of a run, shown as a word, a shape and a colour. */
export const Status = ({ status }: { status: ShownStatus }) => (
  <Tag kind={statusStyles[status][0]} icon={statusStyles[status][1]}>
    {words.status[status]}
  </Tag>
)

/** Limit in characters: more would not fit on a line. */
const MAX_COMMAND_CHARACTERS = 300

/** The start of a command, for one line. */
export const commandLine = (command: string): string => visible(command.slice(0, MAX_COMMAND_CHARACTERS))

/** How often a distance from now is drawn again: each second at first. */
const AGO_MS = 10_000
/** More than a minute, so that the slower clock is never behind it. */
const FRESH_MS = 75_000

/** A past time as a distance from now; renders nothing without a time. */
export function Ago({ when }: { when: string | null }) {
  const isFresh = when !== null && Date.now() - Date.parse(when) < FRESH_MS
  const now = useNow(when === null ? null : isFresh ? 1000 : AGO_MS)
  return (
    when && (
      <time dateTime={when} title={toDayAndTime(when)}>
        {toAgo(when, Math.max(now, Date.parse(when)))}
      </time>
    )
  )
}

/** When a run started; before that, since when it has been queued. */
export const Started = ({ run: { id, started_at, status } }: { run: RunSummary }) => (
  <span>
    {status === 'queued' && words.status.queued} <Ago when={started_at ?? requestedAt(id)} />
  </span>
)

/** The signal or exit code of a run that failed, or who denied it; empty for any other. */
export function howEnded({
  signal,
  exit_code,
  status,
  approval,
}: Pick<RunSummary, 'signal' | 'exit_code' | 'status' | 'approval'>): string {
  if (status === 'denied') {
    const { byPolicy, byPerson, byNobody } = words.runs
    return approval ? (approval.outcome === 'denied' ? byPerson : byNobody) : byPolicy
  }
  return signal ?? (exit_code > 0 ? words.runs.exit(String(exit_code)) : '')
}

interface RunRowProps {
  run: RunSummary
  /** the link target (default: the run's own page) */
  href?: string
  /** a control before the link */
  before?: ComponentChildren
}

/** A run in a list. */
export function RunRow({ run, href = hrefOf('runs', [run.id]), before }: RunRowProps) {
  const { command, token, ended_at, stdout_bytes, stderr_bytes } = run
  return (
    <li class={before ? 'selectable' : undefined}>
      {before}
      <a class="row run-row" data-row href={href}>
        <code class="clip grow">{commandLine(command)}</code>
        <Status status={shownStatus(run)} />
        <span class="about">
          <Started run={run} />
          {howEnded(run) && <span>{howEnded(run)}</span>}
          <Elapsed record={run} />
          {ended_at && <span>{toSize(stdout_bytes + stderr_bytes)}</span>}
          <span dir="auto">{token}</span>
        </span>
      </a>
    </li>
  )
}
