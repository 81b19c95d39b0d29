import type { DoctorReport } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { Button, Card, Tag, Title } from '../parts/basics.tsx'
import type { IconName } from '../parts/icon.tsx'
import { Loaded, useAnswer } from '../parts/states.tsx'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

type ReportedCheck = DoctorReport['checks'][number]

const statusStyles: Record<ReportedCheck['status'], [kind: string, icon: IconName]> = {
  error: ['bad', 'close'],
  warning: ['warn', 'warn'],
  ok: ['good', 'ok'],
  skipped: ['dim', 'more'],
}

const { doctor: texts } = rareWords

/** The problems on this phone, worst first, each with its fix. */
export function Doctor() {
  const report = useAnswer(get<DoctorReport>('/doctor'))
  return (
    <>
      <Title aside={<Button kind="quiet" icon="again" label={texts.again} onClick={() => report.again()} />}>
        {words.views.doctor}
      </Title>
      <p class="dim">{texts.about}</p>
      <Loaded from={report}>
        {({ checks }) => (
          <Card>
            <Checks all={checks} />
          </Card>
        )}
      </Loaded>
    </>
  )
}

function Checks({ all }: { all: ReportedCheck[] }) {
  const of = (status: ReportedCheck['status']) =>
    all.filter((one) => one.status === status).map((check) => <Row key={check.name} check={check} />)
  const [problems, passed, skipped] = [[...of('error'), ...of('warning')], of('ok'), of('skipped')]
  return (
    <>
      {problems.length > 0 ? <ul class="checks">{problems}</ul> : <p>{texts.noProblems}</p>}
      <details>
        <summary>{texts.passed(passed.length)}</summary>
        <ul class="checks">{passed}</ul>
      </details>
      {skipped.length > 0 && (
        <details>
          <summary>{texts.skipped(skipped.length)}</summary>
          <ul class="checks">{skipped}</ul>
        </details>
      )}
    </>
  )
}

const Row = ({ check: { name, status, found, why, fix } }: { check: ReportedCheck }) => (
  <li>
    <p class="spread">
      <strong>{name}</strong>
      <Tag kind={statusStyles[status][0]} icon={statusStyles[status][1]}>
        {texts.status[status]}
      </Tag>
    </p>
    <p>{found}</p>
    {status !== 'ok' && status !== 'skipped' && <p class="hint">{why}</p>}
    {fix && status !== 'skipped' && (
      <p class="fix">
        <strong>{status === 'ok' ? texts.also : texts.fix}</strong> {fix}
      </p>
    )}
  </li>
)
