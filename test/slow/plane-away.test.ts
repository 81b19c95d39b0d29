import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kvm } from '@nats-io/kv'
import t from 'tap'
import { PRESENCE_BUCKET, presenceSubject } from '../../src/shared/schema/index.ts'
import { soon, until, wants } from '../support/helper.ts'
import type { Phone } from '../support/fleet.ts'
import { addPhone, becomes, enrol, renamePhone, startPlane, stateIn, steppedClock, submit } from '../support/plane.ts'
import { intervalsOf } from '../support/intervals.ts'
import { noBroker, startBroker } from '../support/nats.ts'

wants(t, noBroker)

const HOUR_MS = 3_600_000
const step = steppedClock()
const broker = await startBroker()
const plane = await startPlane(broker)
const home = mkdtempSync(join(tmpdir(), 'shellphone-away-'))
const options = { home, env: { SHELLPHONE_POLICY: 'open' } }
let phone: Phone | undefined
t.teardown(async () => {
  await phone?.stop()
  await plane.close()
  await broker.stop()
  rmSync(home, { recursive: true, force: true })
})

t.test('a phone that was offline gets its job once from three planes', async (t) => {
  const file = join(t.testdir(), 'caught-up')
  const credentials = await enrol(plane, 'away')
  phone = await addPhone(plane, broker, 'away', { ...options, credentials })
  await phone.kill('SIGTERM')
  t.ok(await until(async () => !(await plane.get('/phones/away')).online), 'it reported that it stops')
  const job = await submit(plane, { command: `echo ran >> ${file}`, phones: 'name=away' })
  const others = await Promise.all([1, 2].map(() => startPlane(broker, { plane: plane.file })))
  t.teardown(() => Promise.all(others.map((one) => one.close())))
  phone = await addPhone(plane, broker, 'away', { ...options, credentials })
  t.ok(await becomes(plane, job.job, 'ended', 'away'))
  t.equal(readFileSync(file, 'utf8'), 'ran\n', 'three planes sent it, and it ran once')
  await Promise.all(others.map((one) => one.close()))

  const lost = await submit(plane, { command: 'sleep 600', phones: 'name=away', timeout_seconds: 610 })
  t.ok(await becomes(plane, lost.job, 'running', 'away'))
  await phone.kill('SIGKILL')
  rmSync(join(home, 'history'), { recursive: true })
  phone = await addPhone(plane, broker, 'away', { ...options, credentials })
  t.ok(await becomes(plane, lost.job, 'unknown', 'away'), 'its home was wiped, so it is never sent again')
})

t.test("a control plane whose wall clock changes uses the broker's clock", async (t) => {
  t.teardown(() => step(0))
  const nc = await broker.connectAs(await enrol(plane, 'teller'))
  const presence = { version: '0', home: 'h', boot: 'b', labels: {}, battery: null, running: 0, queued: 0 }
  nc.subscribe('$SRV.PING.shellphone.teller') // as a connected phone does
  const publish = (more: object) => nc.publish(presenceSubject('teller'), JSON.stringify({ ...presence, ...more }))
  const teller = () => plane.get('/phones/teller')
  publish({ pending_approvals: 0 })
  t.ok(await until(async () => (await teller()).online))
  step(-3_600_000)
  publish({ pending_approvals: 1 })
  t.ok(await until(async () => (await teller()).pending_approvals === 1), 'an hour back: accepts a new presence')
  publish({ pending_approvals: 1, stopping: true })
  t.ok(await until(async () => !(await teller()).online), 'an hour back: the phone reported that it stops')
  step(7_200_000)
  publish({ pending_approvals: 0 })
  t.ok(await until(async () => (await teller()).online), 'two hours ahead: the phone was seen just now')
  const credentials = await enrol(plane, 'stepped')
  const { job } = await submit(plane, { command: 'true', phones: 'name=stepped' })
  t.match(await stateIn(plane, job, 'stepped'), { state: 'queued' }, 'two hours ahead: the ten minutes have not passed')
  step(0)
  await renamePhone(plane, broker, phone!, credentials)
  t.ok(await becomes(plane, job, 'ended', 'stepped'), 'it is sent')
})

t.test(
  'every control plane reports when a phone was last seen, even if the broker has lost its presence',
  async (t) => {
    const check = intervalsOf(t, 60_000)
    const watching = await startPlane(broker, { plane: plane.file })
    t.teardown(() => watching.close())
    const kvm = new Kvm(await broker.connect('plane', 'plane'))
    const [presences, registry] = [await kvm.open(PRESENCE_BUCKET), await kvm.open('sp_registry')]
    const nc = await broker.connectAs(await enrol(plane, 'silent'))
    const presence = { version: '0', home: 'h', boot: 'b', labels: {}, battery: null, running: 0, queued: 0 }
    nc.publish(presenceSubject('silent'), JSON.stringify({ ...presence, pending_approvals: 0, stopping: true }))
    t.ok(await until(async () => (await watching.get('/phones/silent')).last_seen !== null))
    check()
    const written = async () => (await registry.get('phone.silent'))!.json<{ last_seen: string | null }>().last_seen
    t.ok(await until(async () => (await written()) !== null), 'it is stored')
    const later = await startPlane(broker, { plane: plane.file })
    t.teardown(() => later.close())
    const seenAt = (await presences.get('silent'))!.created.toISOString()
    t.match(await later.get('/phones/silent'), { online: false, last_seen: seenAt }, 'not the time when it was read')
    await presences.purge('silent')
    const last = await startPlane(broker, { plane: plane.file })
    t.teardown(() => last.close())
    t.match(await last.get('/phones/silent'), { online: false, last_seen: await written() })
    t.ok(Math.abs(Date.parse((await written())!) - Date.parse(seenAt)) < HOUR_MS)
  },
)

/** Node options that shift the clock of a service. */
const clockAhead = (ms: number) => {
  const code = `const now = Date.now; Date.now = () => now() + ${ms}
    globalThis.Date = class extends Date { constructor(...values) { values.length === 0 ? super(Date.now()) : super(...values) } }`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

t.test('the clock of a phone has no effect', async (t) => {
  for (const [name, ms] of [
    ['early', -86_400_000],
    ['late', 86_400_000],
  ] as const) {
    const credentials = await enrol(plane, name)
    const { job } = await submit(plane, { command: 'true', phones: `name=${name}`, queue_seconds: 600 })
    const phone = await addPhone(plane, broker, name, { credentials, node: clockAhead(ms) })
    t.teardown(() => phone.stop())
    const { started_at } = await phone.exec({ command: 'true' })
    t.ok(Math.abs(Date.parse(started_at!) - Date.now() - ms) < HOUR_MS, `its clock says ${started_at}`)
    t.ok(await becomes(plane, job, 'ended', name))
    const { online, last_seen } = await plane.get(`/phones/${name}`)
    t.ok(online && Math.abs(Date.parse(last_seen) - Date.now()) < HOUR_MS, `seen at ${last_seen}`)
  }
})

t.test('reads a job while its rows change', async (t) => {
  await enrol(plane, 'asleep')
  const { job } = await submit(plane, { command: 'true', phones: 'name=asleep' })
  const nc = await broker.connect('plane', 'plane')
  const write = async (times: number) => {
    for (let n = 0; n < times; n++) await nc.request(`sp.work.asleep.${job}`, '{"state": "running"}')
  }
  await write(1)
  for (let writes = 0; writes < 25; writes++) {
    const [result] = await Promise.all([soon(stateIn(plane, job, 'asleep')), write(writes)])
    t.equal(result.state, 'running')
  }
})
