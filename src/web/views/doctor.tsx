import type { DoctorReport } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { Button, Card, Tag } from '../parts/basics.tsx'
import type { IconName } from '../parts/icon.tsx'
import { Loaded, useAnswer } from '../parts/states.tsx'
import { words } from '../words.ts'

type ReportedCheck = DoctorReport['checks'][number]

const looks: Record<ReportedCheck['status'], [kind: string, icon: IconName]> = {
  error: ['bad', 'close'],
  warning: ['warn', 'warn'],
  ok: ['good', 'ok'],
  skipped: ['dim', 'more'],
}

const { doctor: texts } = words

/** What is wrong here, and the one thing to do, the worst first. */
export function Doctor() {
  const report = useAnswer(get<DoctorReport>('/doctor'))
  return (
    <Card
      title={
        <span class="spread">
          {texts.title}
          <Button kind="quiet" icon="again" label={texts.again} onClick={() => report.again()} />
        </span>
      }
    >
      <p class="hint">{texts.takes}</p>
      <Loaded from={report}>{({ checks }) => <Checks all={checks} />}</Loaded>
    </Card>
  )
}

function Checks({ all }: { all: ReportedCheck[] }) {
  const of = (status: ReportedCheck['status']) =>
    all.filter((one) => one.status === status).map((check) => <Row key={check.name} check={check} />)
  const [troubles, well, skipped] = [[...of('error'), ...of('warning')], of('ok'), of('skipped')]
  return (
    <>
      {troubles.length > 0 ? <ul class="checks">{troubles}</ul> : <p>{texts.allWell}</p>}
      <details>
        <summary>{texts.well(well.length)}</summary>
        <ul class="checks">{well}</ul>
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

const Row = ({ check: { name, status, found, why, mend } }: { check: ReportedCheck }) => (
  <li>
    <p class="spread">
      <strong>{name}</strong>
      <Tag kind={looks[status][0]} icon={looks[status][1]}>
        {texts.status[status]}
      </Tag>
    </p>
    <p>{found}</p>
    {status !== 'ok' && status !== 'skipped' && <p class="hint">{why}</p>}
    {mend && status !== 'skipped' && (
      <p class="mend">
        <strong>{status === 'ok' ? texts.also : texts.mend}</strong> {mend}
      </p>
    )}
  </li>
)
