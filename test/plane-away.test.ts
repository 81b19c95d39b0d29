import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { presenceSubject } from '../src/schema/index.ts'
import { soon, until, wants } from './helper.ts'
import { addPhone, becomes, enrol, json, startFleet, startPlane, stateIn, steppedClock, submit } from './plane.ts'
import { noBroker } from './nats.ts'

wants(t, noBroker)

/** a broker, services and what cuts them: on a busy machine longer than a file usually has */
t.setTimeout(240_000)

const step = steppedClock()
const { broker, plane } = await startFleet(t)

t.test('a phone that was away catches up, with three planes that serve it', async (t) => {
  const file = join(t.testdir(), 'caught-up')
  const home = mkdtempSync(join(tmpdir(), 'shellphone-away-'))
  const credentials = await enrol(plane, 'away')
  const given = { home, credentials, env: { SHELLPHONE_POLICY: 'open' } }
  const first = await addPhone(plane, broker, 'away', given)
  await first.kill('SIGTERM')
  t.ok(await until(async () => !(await plane.get('/phones/away')).online), 'it said that it goes')
  const job = await submit(plane, { command: `echo ran >> ${file}`, phones: 'name=away' })
  const others = await Promise.all([1, 2].map(() => startPlane(broker, { plane: plane.file })))
  const second = await addPhone(plane, broker, 'away', given)
  t.ok(await becomes(plane, job.job, 'ended', 'away'))
  const { stdout } = await json(await plane.post('/phones/pixel/exec', { command: `cat ${file}` }))
  t.equal(stdout, 'ran\n', 'three planes handed it over, and it ran once')
  await Promise.all(others.map((one) => one.close()))

  const lost = await submit(plane, { command: 'sleep 60', phones: 'name=away', timeout_seconds: 100 })
  t.ok(await becomes(plane, lost.job, 'running', 'away'))
  await second.kill('SIGKILL')
  rmSync(join(home, 'history'), { recursive: true })
  const third = await addPhone(plane, broker, 'away', given)
  t.ok(await becomes(plane, lost.job, 'unknown', 'away'), 'its home was wiped: it is never sent again')
  await third.kill('SIGTERM')
  rmSync(home, { recursive: true, force: true })
})

t.test("a control plane whose wall clock is stepped goes by the broker's", async (t) => {
  t.teardown(() => step(0))
  const nc = await broker.connectAs(await enrol(plane, 'teller'))
  const word = { version: '0', home: 'h', boot: 'b', labels: {}, battery: null, running: 0, queued: 0 }
  const say = (more: object) => nc.publish(presenceSubject('teller'), JSON.stringify({ ...word, ...more }))
  const teller = () => plane.get('/phones/teller')
  say({ pending_approvals: 0 })
  t.ok(await until(async () => (await teller()).online))
  step(-3_600_000)
  say({ pending_approvals: 1 })
  t.ok(await until(async () => (await teller()).pending_approvals === 1, 5_000), 'an hour back: a new word counts')
  say({ pending_approvals: 1, stopping: true })
  t.ok(await until(async () => !(await teller()).online, 5_000), 'an hour back: it said that it stops')
  step(7_200_000)
  say({ pending_approvals: 0 })
  t.ok(await until(async () => (await teller()).online, 5_000), 'two hours ahead: it was seen just now')
  const credentials = await enrol(plane, 'stepped')
  const { job } = await submit(plane, { command: 'true', phones: 'name=stepped' })
  t.match(await stateIn(plane, job, 'stepped'), { state: 'queued' }, 'two hours ahead: ten minutes are not over')
  step(0)
  const phone = await addPhone(plane, broker, 'stepped', { credentials })
  t.teardown(() => phone.stop())
  t.ok(await becomes(plane, job, 'ended', 'stepped', 20_000), 'it is sent')
})

/** What a service with another clock is started with. */
const clockAhead = (ms: number) => {
  const code = `const now = Date.now; Date.now = () => now() + ${ms}
    globalThis.Date = class extends Date { constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given) } }`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

t.test('the clock of a phone decides nothing', async (t) => {
  for (const [name, ms] of [
    ['early', -86_400_000],
    ['late', 86_400_000],
  ] as const) {
    const credentials = await enrol(plane, name)
    const { job } = await submit(plane, { command: 'true', phones: `name=${name}`, queue_seconds: 60 })
    const phone = await addPhone(plane, broker, name, { credentials, node: clockAhead(ms) })
    t.teardown(() => phone.stop())
    const { started_at } = await phone.exec({ command: 'true' })
    t.ok(Math.abs(Date.parse(started_at!) - Date.now() - ms) < 60_000, `its clock says ${started_at}`)
    t.ok(await becomes(plane, job, 'ended', name))
    const { online, last_seen } = await plane.get(`/phones/${name}`)
    t.ok(online && Math.abs(Date.parse(last_seen) - Date.now()) < 60_000, `seen at ${last_seen}`)
  }
})

t.test('a job is told of while its rows change', async (t) => {
  await enrol(plane, 'asleep')
  const { job } = await submit(plane, { command: 'true', phones: 'name=asleep' })
  const nc = await broker.connect('plane', 'plane')
  const write = async (times: number) => {
    for (let n = 0; n < times; n++) await nc.request(`sp.work.asleep.${job}`, '{"state": "running"}')
  }
  await write(1)
  for (let writes = 0; writes < 40; writes++) {
    const [told] = await Promise.all([soon(stateIn(plane, job, 'asleep')), write(writes)])
    t.equal(told.state, 'running')
  }
})
