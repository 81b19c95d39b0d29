import { useEffect, useRef, useState } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import type { PolicyCheck } from '../../sdk/index.ts'
import { send, get } from '../api.ts'
import { literalInput, Button, Card, Field, Title } from '../parts/basics.tsx'
import { Choice } from '../parts/choice.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { RiskTag } from '../parts/risk-tag.tsx'
import { Failed, Loaded, useAnswer } from '../parts/states.tsx'
import { VerdictTag } from '../parts/verdict-tag.tsx'
import { go, hrefOf, route, type ViewProps } from '../route.ts'
import { parseTrialSettings } from '../trial-settings.ts'
import { change } from '../run/draft.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { policy: texts } = rareWords

/** Delay between the last change and the request. */
const DEBOUNCE_MS = 300
const PRESETS = { ...rareWords.access.policies, '': texts.inForce }

interface ListedDialect {
  name: string
  parameters: { properties?: Record<string, unknown> }
}

const commandIn = (query: URLSearchParams): string => query.get('command') ?? ''

/** Shows what every guard decides about a command, and why, without running it. */
export function Policy({ query: search }: ViewProps) {
  const linked = commandIn(search)
  const [command, setCommand] = useState(linked)
  const [dialect, setDialect] = useState('')
  const [preset, setPreset] = useState('')
  const [more, setMore] = useState('')
  const { policy, error } = parseTrialSettings(preset, more)
  const query = useDebounced({ command, dialect, policy: error === '' ? policy : {} })
  const written = useRef(linked)
  useEffect(() => {
    if (linked !== written.current) setCommand(linked) // a link changed the address
    written.current = linked
  }, [linked])
  useEffect(() => {
    go(hrefOf('policy', [], { command: query.command }), 'replace')
    written.current = commandIn(route.peek().query)
  }, [query.command])
  return (
    <>
      <Title>{words.views.policy}</Title>
      <p class="dim">{texts.about}</p>
      <Card>
        <Field label={texts.command}>
          {(inputProps) => (
            <textarea
              {...inputProps}
              class="mono"
              rows={2}
              {...literalInput}
              value={command}
              onInput={({ currentTarget }) => setCommand(currentTarget.value)}
            />
          )}
        </Field>
      </Card>
      {query.command.trim() === '' ? <p class="dim">{texts.nothing}</p> : <Verdict {...query} />}
      <Card>
        <div class="buttons" role="group" aria-label={texts.examples}>
          {texts.samples.map((one) => (
            <button key={one} type="button" class="chip mono" onClick={() => setCommand(one)}>
              {one}
            </button>
          ))}
        </div>
        <div class="two">
          <Choice label={texts.preset} value={preset} set={setPreset} names={PRESETS} />
          <Dialects value={dialect} set={setDialect} />
        </div>
        <details>
          <summary>{texts.trial}</summary>
          <Field label={texts.lines} hint={texts.linesHint} error={error}>
            {(inputProps) => (
              <textarea
                {...inputProps}
                class="mono"
                rows={3}
                {...literalInput}
                value={more}
                onInput={({ currentTarget }) => setMore(currentTarget.value)}
              />
            )}
          </Field>
        </details>
        <Lines policy={policy} />
      </Card>
    </>
  )
}

interface PolicyQuery {
  command: string
  /** empty for no dialect */
  dialect: string
  policy: Record<string, unknown>
}

/** The query, once the user has stopped typing. */
function useDebounced(query: PolicyQuery): PolicyQuery {
  const [settled, setSettled] = useState(query)
  const key = JSON.stringify(query)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}

/** The dialects whose tool takes a command. */
function Dialects(props: { value: string; set(value: string): void }) {
  const { value } = useAnswer(get<{ dialects: ListedDialect[] }>('/dialects'))
  const names = (value?.dialects ?? []).flatMap(({ name, parameters }) =>
    parameters.properties?.command ? [[name, name]] : [],
  )
  return <Choice {...props} label={texts.dialect} names={{ '': texts.noDialect, ...Object.fromEntries(names) }} />
}

/** The lines for config.yaml that have the same effect. */
function Lines({ policy }: { policy: Record<string, unknown> }) {
  const lines = Object.entries(policy).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  if (lines.length === 0) return null
  return (
    <div class="yaml">
      <pre>{lines.join('\n')}</pre>
      <CopyButton text={`${lines.join('\n')}\n`} label={texts.copyLines}>
        {words.copy}
      </CopyButton>
    </div>
  )
}

/** The verdict on a command. The one before stays until the next arrives, so that the fields below do not move. */
function Verdict({ command, dialect, policy }: PolicyQuery) {
  const own = dialect === '' ? { command } : { dialect, arguments: { command } }
  const body = { ...own, ...(Object.keys(policy).length > 0 && { policy }) }
  const key = JSON.stringify(body)
  const check = send<PolicyCheck>('POST', '/policy/check', body)
  const answer = useAnswer(async (phone) => ({ ...(await check(phone)), key }), [key])
  if (answer.error !== '') return <Failed message={answer.error} />
  return (
    <Loaded from={answer}>
      {({ verdict, risk, opaque, syntax_error: error, guards, key: answered }) => (
        <Card kind={`judged ${verdict} ${answered === key ? '' : 'outdated'}`}>
          <p class="spread" role="status">
            <strong class="big">{texts.verdict[verdict]}</strong>
            <RiskTag risk={risk} />
          </p>
          {error !== null && <p class="notice">{texts.syntaxError(error)}</p>}
          {error === null && opaque && <p class="notice">{texts.opaque}</p>}
          <Guards guards={guards} />
          <div class="buttons">
            <Button icon="run" onClick={() => (change({ command }), go(hrefOf('run')))}>
              {texts.toRun}
            </Button>
          </div>
        </Card>
      )}
    </Loaded>
  )
}

type CheckedGuard = PolicyCheck['guards'][number]
const saysNothing = ({ verdict, rule }: CheckedGuard) => verdict === 'allow' && rule === null

const Guards = ({ guards }: Pick<PolicyCheck, 'guards'>) => (
  <ul class="guards">
    {guards
      .filter((one) => !saysNothing(one))
      .map(({ guard, verdict, risk, rule, command, reason }, index) => (
        <li key={index}>
          <p class="spread">
            <strong>{guard}</strong>
            <span class="tags">
              {rule && <code class="breaks">{rule}</code>}
              <VerdictTag verdict={verdict}>{words.runs.says[verdict]}</VerdictTag>
            </span>
          </p>
          {command !== null && <code class="breaks isolated">{visible(command)}</code>}
          <p class="hint">{reason ?? words.approvals.risk[risk]}</p>
        </li>
      ))}
    {guards.some(saysNothing) && <li class="hint">{texts.nothingAgainst(namesOf(guards.filter(saysNothing)))}</li>}
  </ul>
)

const namesOf = (guards: CheckedGuard[]) => [...new Set(guards.map(({ guard }) => guard))].join(', ')
