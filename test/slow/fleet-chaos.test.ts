import t from 'tap'
import { chaos } from '../support/chaos.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { wants } from '../support/helper.ts'

wants(t, noBroker)

const SECONDS = 20
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

t.test(`jobs through ${SECONDS} s of kill -9 and broken links`, async (t) => {
  const broker = await startBroker()
  t.teardown(() => broker.stop())
  const { details, ...report } = await chaos({ brokers: [broker], seconds: SECONDS, seed })
  t.comment(JSON.stringify(report))
  t.same(details, [], `CHAOS_SEED=${seed} plays it again`)
  const none = { ranTwice: 0, lost: 0, expiredButRan: 0, endedNeverRan: 0, canceledButRanOn: 0 }
  t.match(report, none)
  t.ok(report.canceling > 0, `${report.canceling} cancels`)
  t.ok(report.jobs > 20, `${report.jobs} jobs`)
  t.ok(Object.values(report.faults).reduce((sum, count) => sum + count, 0) > 10, 'faults')
})
