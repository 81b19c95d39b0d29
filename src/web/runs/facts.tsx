import type { ComponentChildren } from 'preact'
import { visible } from '../../shared/schema/index.ts'
import type { RunRecord } from '../../sdk/index.ts'
import { isCutOff } from '../live.ts'
import { toDayAndTime, toSize, toSpan } from '../parts/format.ts'
import { VerdictTag } from '../parts/verdict-tag.tsx'
import { words } from '../words.ts'
import { recordWords } from '../words/record-words.ts'
import { requestedAt } from './days.ts'
import { rareWords } from '../words/rare-words.ts'
import { dialectOf } from './dialect-of-run.ts'
import { SessionFacts } from './session-facts.tsx'

const outcomes: Record<string, string> = words.approvals.outcome

/** The fields of a record, row by row; empty fields are left out. */
export function factsOf(record: RunRecord): [name: string, value: ComponentChildren][] {
  const { facts } = recordWords
  const when = (time: string | null) => time && toDayAndTime(time)
  return [
    [facts.id, <code key="id">{record.id}</code>],
    [facts.decision, <Decision key="decision" {...record.decision} />],
    [facts.rules, record.decision.rules && <Rules rules={record.decision.rules} />],
    [facts.approval, record.approval && <Approval {...record.approval} />],
    [facts.token, visible(record.token ?? '')],
    [words.runs.dialect, dialectOf(record)],
    [facts.exit, record.signal ?? (record.exit_code >= 0 ? String(record.exit_code) : '')],
    [facts.requested, !record.started_at && when(requestedAt(record.id))],
    [facts.started, when(record.started_at)],
    [
      facts.ended,
      record.ended_at && (isCutOff(record) ? recordWords.endNoticed : String)(toDayAndTime(record.ended_at)),
    ],
    [facts.queued, record.queued_ms > 0 && toSpan(record.queued_ms)],
    [facts.duration, record.ended_at && record.started_at && toSpan(record.duration_ms)],
    [facts.timeout, toSpan(record.timeout_seconds * 1000)],
    [facts.sandbox, record.sandbox],
    [facts.terminal, record.tty && `${record.tty.columns} × ${record.tty.rows}`],
    [rareWords.sessions.fact, record.session && <SessionFacts {...record.session} />],
    [facts.output, `stdout ${toSize(record.stdout_bytes)}, stderr ${toSize(record.stderr_bytes)}`],
    [facts.sha256, record.stdout_sha256 && <code key="sha">{record.stdout_sha256}</code>],
    [facts.left, leftBehind(record)],
    [facts.artifacts, record.artifacts.length > 0 && <Artifacts artifacts={record.artifacts} />],
    [facts.scratchpad, record.scratchpad && visible(record.scratchpad)],
  ]
}

const Decision = ({ verdict, risk, rule, reason }: RunRecord['decision']) => (
  <>
    <VerdictTag verdict={verdict}>{recordWords.verdict[verdict]}</VerdictTag> {risk && words.approvals.risk[risk]}
    {rule && (
      <>
        {' · '}
        <code>{visible(rule)}</code>
      </>
    )}
    {reason && <p class="dim">{visible(reason)}</p>}
  </>
)

/** Every rule that matched, if there were several. */
const Rules = ({ rules }: { rules: NonNullable<RunRecord['decision']['rules']> }) => (
  <>
    {rules.map(({ guard, verdict, rule, reason }) => (
      <p key={`${guard} ${rule} ${reason}`}>
        <VerdictTag verdict={verdict}>{words.runs.says[verdict]}</VerdictTag> <code>{visible(`${guard}/${rule}`)}</code>
        {reason && <span class="dim"> {visible(reason)}</span>}
      </p>
    ))}
  </>
)

const Approval = ({ outcome, by, how, at, scope, saved_rule }: NonNullable<RunRecord['approval']>) => (
  <>
    {outcomes[outcome] ?? outcome}
    {by && ` ${words.approvals.by(visible(by), how ?? '')}`}, {toDayAndTime(at)}
    {scope === 'always' && `, ${words.runs.always}`}
    {saved_rule && (
      <p class="dim">
        {recordWords.savedRule} <code>{saved_rule}</code>
      </p>
    )}
  </>
)

function leftBehind({ left_behind: { ended, survivors } }: RunRecord): string {
  if (ended === 0 && survivors.length === 0) return ''
  return recordWords.left(String(ended), survivors.join(', '))
}

const Artifacts = ({ artifacts }: Pick<RunRecord, 'artifacts'>) => (
  <>
    {artifacts.map(({ path, bytes, sha256, error }) => (
      <p key={path}>
        <code>{visible(path)}</code>{' '}
        <span class="dim">{error ?? `${toSize(bytes ?? 0)}, sha256 ${sha256?.slice(0, 12)}…`}</span>
      </p>
    ))}
  </>
)
