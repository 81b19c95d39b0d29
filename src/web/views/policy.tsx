import { useEffect, useState } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import type { PolicyCheck } from '../../sdk/index.ts'
import { send, get } from '../api.ts'
import { asTyped, Button, Card, Choice, Field, Title } from '../parts/basics.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Failed, Loaded, useAnswer } from '../parts/states.tsx'
import { VerdictTag } from '../parts/verdict-tag.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { toSupposed } from '../supposed.ts'
import { words } from '../words.ts'

const { policy: texts } = words

/** From the last key to the question. */
const PAUSE_MS = 300
const PRESETS = { ...words.access.policies, '': texts.inForce }

interface ListedDialect {
  name: string
  parameters: { properties?: Record<string, unknown> }
}

/** What every guard would say of a command, and why; nothing runs. */
export function Policy({ query }: ViewProps) {
  const [command, setCommand] = useState(query.get('command') ?? '')
  const [dialect, setDialect] = useState('')
  const [preset, setPreset] = useState('')
  const [more, setMore] = useState('')
  const { policy, trouble } = toSupposed(preset, more)
  const asked = useSettled({ command, dialect, policy: trouble === '' ? policy : {} })
  useEffect(() => go(hrefOf('policy', [], { command: asked.command }), 'replace'), [asked.command])
  return (
    <>
      <Title>{words.views.policy}</Title>
      <p class="dim">{texts.about}</p>
      <Card>
        <Field label={texts.command}>
          {(tied) => (
            <textarea
              {...tied}
              class="mono"
              rows={2}
              {...asTyped}
              value={command}
              onInput={({ currentTarget }) => setCommand(currentTarget.value)}
            />
          )}
        </Field>
        <div class="buttons" role="group" aria-label={texts.examples}>
          {texts.tries.map((one) => (
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
          <summary>{texts.suppose}</summary>
          <Field label={texts.lines} hint={texts.linesHint} trouble={trouble}>
            {(tied) => (
              <textarea
                {...tied}
                class="mono"
                rows={3}
                {...asTyped}
                value={more}
                onInput={({ currentTarget }) => setMore(currentTarget.value)}
              />
            )}
          </Field>
        </details>
        <Lines policy={policy} />
      </Card>
      {asked.command.trim() === '' ? (
        <p class="dim">{texts.nothing}</p>
      ) : (
        <Verdict key={JSON.stringify(asked)} {...asked} />
      )}
    </>
  )
}

interface PolicyQuery {
  command: string
  /** empty: the service's own tool */
  dialect: string
  policy: Record<string, unknown>
}

/** The same, when nobody has typed for a while. */
function useSettled(question: PolicyQuery): PolicyQuery {
  const [settled, setSettled] = useState(question)
  const key = JSON.stringify(question)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(question), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}

/** Those whose tool takes a command. */
function Dialects(props: { value: string; set(value: string): void }) {
  const { value } = useAnswer(get<{ dialects: ListedDialect[] }>('/dialects'))
  const names = (value?.dialects ?? []).flatMap(({ name, parameters }) =>
    parameters.properties?.command ? [[name, name]] : [],
  )
  return <Choice {...props} label={texts.dialect} names={{ '': texts.noDialect, ...Object.fromEntries(names) }} />
}

/** What config.yaml would have to say for it. */
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

function Verdict({ command, dialect, policy }: PolicyQuery) {
  const own = dialect === '' ? { command } : { dialect, arguments: { command } }
  const answer = useAnswer(
    send<PolicyCheck>('POST', '/policy/check', { ...own, ...(Object.keys(policy).length > 0 && { policy }) }),
  )
  if (answer.error !== '') return <Failed message={answer.error} />
  return (
    <Loaded from={answer}>
      {({ verdict, risk, opaque, guards }) => (
        <Card kind={`judged ${verdict}`}>
          <p class="spread" role="status">
            <strong class="big">{texts.verdict[verdict]}</strong>
            <VerdictTag verdict={verdict}>{texts.risk[risk]}</VerdictTag>
          </p>
          {opaque && <p class="notice">{texts.opaque}</p>}
          <Guards guards={guards} />
          <div class="buttons">
            <Button icon="run" onClick={() => go(hrefOf('run', [], { command }))}>
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
              <VerdictTag verdict={verdict}>{texts.says[verdict]}</VerdictTag>
            </span>
          </p>
          {command !== null && <code class="breaks isolated">{visible(command)}</code>}
          <p class="hint">{reason ?? texts.risk[risk]}</p>
        </li>
      ))}
    {guards.some(saysNothing) && <li class="hint">{texts.nothingAgainst(namesOf(guards.filter(saysNothing)))}</li>}
  </ul>
)

const namesOf = (guards: CheckedGuard[]) => [...new Set(guards.map(({ guard }) => guard))].join(', ')
