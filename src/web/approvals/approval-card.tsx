import { useRef, useState } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import type { PhoneApproval, CardState } from '../approval-cards.ts'
import { Facts } from '../parts/basics.tsx'
import { toDayAndTime, toSize, toSpan } from '../parts/format.ts'
import { AsOf } from '../parts/lost.tsx'
import { RiskTag, riskStyles } from '../parts/risk-tag.tsx'
import { useNow } from '../parts/use-now.ts'
import { hrefOf } from '../route.ts'
import { dialectOf } from '../runs/dialect-of-run.ts'
import { approvals, mayAnswer } from '../wire.ts'
import { words } from '../words.ts'
import { AnswerButtons } from './answer-buttons.tsx'
import { useRiskyParts } from './risky-parts.ts'
import { Script } from './script.tsx'

const outcomes: Record<string, string> = words.approvals.outcome

/** An approval with everything that the answer covers. The card keeps its position and size when the approval is decided. */
export function ApprovalCard({ card: { approval, ending } }: { card: CardState }) {
  const { expires_at, changes = [] } = approval
  const risk = approval.risk ?? 'low'
  const parts = [approval.command, ...changes.map(({ diff }) => diff)]
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set())
  const see = (part: number) => setSeen((before) => (before.has(part) ? before : new Set([...before, part])))
  const risky = useRiskyParts(approval)
  const card = useRef<HTMLElement>(null)
  const height = useRef<number | undefined>(undefined)
  if (!ending) height.current = undefined
  else height.current ??= card.current?.getBoundingClientRect().height // still drawn as pending
  const toRun = <a href={hrefOf('runs', [approval.run_id], {}, approval.phone)}>{words.approvals.run}</a>
  return (
    <article
      ref={card}
      style={ending ? { minHeight: `${height.current ?? 0}px` } : {}}
      class={`card approval-card ${riskStyles[risk][0]} ${ending ? 'ended' : ''}`}
      data-row
      tabIndex={-1}
      aria-label={visible(approval.command)}
    >
      <header>
        <RiskTag risk={risk} />
        <span class="dim grow">{visible(approval.token)}</span>
        {ending ? <span class="dim time-left">{toDayAndTime(ending.at)}</span> : <TimeLeft until={expires_at} />}
      </header>
      {parts.map((text, part) => (
        <Script
          key={part}
          text={text}
          isDiff={part > 0}
          risky={part > 0 ? [] : (risky ?? [])}
          onEnd={() => see(part)}
        />
      ))}
      <Facts rows={factsOf(approval)} />
      {ending ? (
        <div class="answers notice-text">
          <p role="status">
            <strong>{outcomes[ending.outcome] ?? ending.outcome}</strong>{' '}
            {ending.by && words.approvals.by(visible(ending.by), ending.how ?? '')}
          </p>
          <p class="after">
            {toRun}
            <button type="button" onClick={approvals.removeEnded}>
              {words.approvals.hide}
            </button>
          </p>
        </div>
      ) : mayAnswer.value ? (
        <AnswerButtons approval={approval} isSeen={seen.size === parts.length} risky={risky} />
      ) : (
        <div class="answers notice-text">
          <p>{words.run.waits}</p>
          <p class="after">{toRun}</p>
        </div>
      )}
    </article>
  )
}

function TimeLeft({ until }: { until: string }) {
  const now = useNow(1000)
  const left = Math.max(0, Date.parse(until) - now)
  return (
    <span class="dim time-left" title={toDayAndTime(until)}>
      {words.approvals.left(toSpan(Math.ceil(left / 1000) * 1000))}
      <AsOf />
    </span>
  )
}

/** What the answer covers besides the command. Callers choose these texts, so they are untrusted. */
function factsOf({
  phone,
  rule,
  reason,
  working_directory,
  dialect,
  sandbox,
  network,
  writable,
  env,
  stdin,
  files,
  changes = [],
}: PhoneApproval) {
  const { facts } = words.approvals
  const sandboxFacts = [sandbox, network ? '' : facts.offline, ...writable.map((path) => facts.writable(visible(path)))]
  return [
    [words.views.phone, phone && <strong>{phone}</strong>],
    [facts.why, reason && visible(reason)],
    [facts.rule, rule && <code>{visible(rule)}</code>],
    [facts.directory, <code key="cwd">{visible(working_directory)}</code>],
    [facts.dialect, dialectOf({ dialect })],
    [facts.sandbox, sandboxFacts.filter(Boolean).join(' · ')],
    [
      facts.env,
      Object.entries(env).length > 0 && (
        <Lines texts={Object.entries(env).map(([name, value]) => `${name}=${value}`)} />
      ),
    ],
    [facts.stdin, stdin && (stdin === 'open' ? facts.stdinOpen : <Stdin {...stdin} />)],
    [facts.partial, changes.some(({ complete }) => !complete) && facts.partialText],
    [
      facts.files,
      files.length > 0 && <Lines texts={files.map(({ path, sha256 }) => `${path} (sha256 ${sha256.slice(0, 12)}…)`)} />,
    ],
  ].filter(([, value]) => value) as Parameters<typeof Facts>[0]['rows']
}

const Lines = ({ texts }: { texts: string[] }) => (
  <>
    {texts.map((text) => (
      <code key={text} class="block-code">
        {visible(text)}
      </code>
    ))}
  </>
)

const Stdin = ({ text, bytes, sha256 }: { text: string; bytes: number; sha256: string }) => (
  <>
    <code class="block-code">{visible(text)}</code>
    <span class="hint">
      {toSize(bytes)}, sha256 {sha256.slice(0, 12)}…
    </span>
  </>
)
