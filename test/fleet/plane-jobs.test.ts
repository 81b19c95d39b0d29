import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { presenceSubject, upSubject } from '../../src/shared/schema/index.ts'
import { until, wants } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import {
  addPhone,
  becomes,
  enrol,
  json,
  renamePhone,
  startFleet,
  startPlane,
  stateIn,
  submit,
} from '../support/plane.ts'
import { mountSmall } from '../support/small-disk.ts'
import { sseEvents } from '../support/sse.ts'

wants(t, noBroker)

const { broker, plane, phone } = await startFleet(t)

t.test('jobs run once, in order, with events', async (t) => {
  const file = join(t.testdir(), 'order')
  const jobs = []
  for (const n of [1, 2, 3]) {
    jobs.push(await submit(plane, { command: `sleep 0.${4 - n}; echo ${n} >> ${file}` }, `order-${n}`))
  }
  const again = await submit(plane, { command: `sleep 0.3; echo 1 >> ${file}` }, 'order-1')
  t.same(again.job, jobs[0]!.job, 'the same key is the same job')
  t.equal((await submit(plane, { command: 'another' }, 'order-1')).status, 409)
  const longer = { command: `sleep 0.3; echo 1 >> ${file}`, queue_seconds: 700 }
  t.equal((await submit(plane, longer, 'order-1')).status, 409, 'with another queue time')
  const events = []
  for await (const { event, data } of sseEvents(await plane.request(`/jobs/${jobs[2]!.job}/events`))) {
    events.push(event === 'phone' ? data.state : event)
  }
  t.same(events.slice(-2), ['ended', 'result'])
  const { stdout } = await json(await plane.post('/phones/pixel/exec', { command: `cat ${file}` }))
  t.equal(stdout, '1\n2\n3\n')
  const first = await stateIn(plane, jobs[0]!.job)
  t.match(first, { state: 'ended', status: 'completed', exit_code: 0, run_id: String })
  t.ok(first.duration_ms >= 300, `how long it ran: ${first.duration_ms} ms`)
  t.equal((await plane.request('/jobs/unknown')).status, 404)
  const expected = [
    ['connected', '1'],
    ['phones{state="online"}', '1'],
    ['phones{state="offline"}', '0'],
    ['jobs_pairs{state="unsettled"}', '0'],
    ['jobs_pairs{state="ended"}', '3'],
    ['dispatch_lag_seconds', '0'],
  ].map(([name, value]) => `shellphone_plane_${name} ${value}`)
  const missing = async () => {
    const lines = (await (await plane.request('/metrics')).text()).split('\n')
    return expected.filter((line) => !lines.includes(line))
  }
  await until(async () => (await missing()).length === 0)
  t.same(await missing(), [], 'metrics')
})

t.test('a job is refused, canceled, withdrawn or expired', async (t) => {
  const refused = await submit(plane, { command: 'true', working_directory: '/nowhere' })
  t.ok(await becomes(plane, refused.job, 'refused'))
  const running = await submit(plane, { command: 'sleep 600', timeout_seconds: 610 })
  t.ok(await becomes(plane, running.job, 'running'))
  t.match(await json(await plane.request(`/jobs/${running.job}`, { method: 'DELETE' })), {
    phones: { pixel: 'canceling' },
  })
  t.ok(await becomes(plane, running.job, 'ended'))
  t.match(await stateIn(plane, running.job), { status: 'canceled' })
  await enrol(plane, 'asleep')
  const waiting = await submit(plane, { command: 'true', phones: 'name=asleep' })
  t.match(await stateIn(plane, waiting.job, 'asleep'), { state: 'queued' })
  t.match(await json(await plane.request(`/jobs/${waiting.job}`, { method: 'DELETE' })), {
    phones: { asleep: 'withdrawn' },
  })
  t.match(await stateIn(plane, waiting.job, 'asleep'), { state: 'withdrawn' })
  let now = 0
  const still = await startPlane(broker, { plane: plane.file, monotonicMs: () => now })
  const short = await submit(still, { command: 'true', phones: 'name=asleep', queue_seconds: 0.5 })
  now = 10_000
  t.match(
    await stateIn(still, short.job, 'asleep'),
    { state: 'queued' },
    'called expired only 30 s later, when no plane can send it any more',
  )
  const long = await submit(still, { command: 'true', phones: 'name=asleep' })
  const later = await startPlane(broker, { plane: plane.file, monotonicMs: () => performance.now() + 3_600_000 })
  t.match(await stateIn(later, long.job, 'asleep'), { state: 'queued' }, "an hour ahead: the broker's clock counts")
  await later.close()
  now = 3_600_000
  t.match(await stateIn(still, short.job, 'asleep'), { state: 'expired' })
  await still.close()
})

t.test('a job that waits for approval does not delay the next one', async (t) => {
  const careful = await addPhone(plane, broker, 'careful', { env: { SHELLPHONE_POLICY: 'supervised' } })
  t.teardown(() => careful.stop())
  const asks = await submit(plane, { command: `touch ${join(t.testdir(), 'x')}`, phones: 'name=careful' })
  t.ok(await becomes(plane, asks.job, 'accepted', 'careful'))
  const next = await submit(plane, { command: 'true', phones: 'name=careful' })
  t.ok(await becomes(plane, next.job, 'ended', 'careful'))
  const waiting = await stateIn(plane, asks.job, 'careful')
  t.match(waiting, { state: 'accepted', run_id: String })
  t.notOk('duration_ms' in waiting, 'it has not run yet')
  const approvals = async () => (await plane.get('/approvals')).approvals
  await until(async () => (await approvals()).length > 0) // the plane learns of it from the phone's next presence
  const [approval] = await approvals()
  t.equal((await plane.post(`/phones/careful/approvals/${approval.id}`, { decision: 'approve' })).status, 200)
  t.ok(await becomes(plane, asks.job, 'ended', 'careful'))
  t.match(await stateIn(plane, asks.job, 'careful'), { status: 'completed', exit_code: 0 })
})

t.test('lists the newest jobs, to an agent only its own, and to each only those for its phones', async (t) => {
  const asAgent = { token: await plane.token('lister', 'agent') }
  const listed = async (token?: string) => (await plane.get('/jobs', token)).jobs as any[]
  t.same(await listed(asAgent.token), [])
  const body = { command: 'true', phones: 'name=pixel', queue_seconds: 60 }
  const own = await json(await plane.post('/exec', body, asAgent))
  await until(async () => (await listed()).some(({ job }) => job === own.job))
  t.match(await listed(asAgent.token), [{ job: own.job, by: 'lister', request: { command: 'true' }, phones: 1 }])
  t.equal((await listed(asAgent.token)).length, 1)
  for (let count = 0; count < 20; count++) await submit(plane, { command: `echo ${count}` })
  await until(async () => (await listed())[0].request.command === 'echo 19')
  const commands = (await listed()).map(({ request }) => request.command)
  t.same(
    commands,
    Array.from({ length: 20 }, (_, index) => `echo ${19 - index}`),
    'the 20 newest, newest first',
  )
  t.equal((await listed(asAgent.token)).length, 1, 'jobs of others take no place in its list')
  t.same(await listed(await plane.token('elsewhere', 'person', 'lab=none')), [])
  const [last] = await listed()
  t.ok(await becomes(plane, last.job, 'ended'), 'the phone has run all of them')
})

t.test('a job is not sent after its deadline, even before it is called expired', async (t) => {
  const credentials = await enrol(plane, 'late')
  const file = join(t.testdir(), 'ran')
  const over = await submit(plane, { command: `echo over >> ${file}`, phones: 'name=late', queue_seconds: 0.1 })
  const next = await submit(plane, { command: `echo next >> ${file}`, phones: 'name=late' })
  const { expires_at } = await plane.get(`/jobs/${over.job}`)
  await until(() => Date.now() > Date.parse(expires_at)) // real time, which the broker's clock follows
  await renamePhone(plane, broker, phone, credentials)
  t.ok(await becomes(plane, next.job, 'ended', 'late'), 'the next job is sent')
  t.match(await stateIn(plane, over.job, 'late'), { state: /^(queued|expired)$/ }, 'expired once 30 s have passed')
  t.equal(readFileSync(file, 'utf8'), 'next\n')
})

t.test('refuses a job beyond the limit of pairs', async (t) => {
  const small = await startPlane(broker, { plane: plane.file, maxPairs: 0 })
  t.equal((await submit(small, { command: 'true' })).status, 503)
  await small.close()
})

t.test('a revoked phone is cut off at once, and its jobs are unknown or never sent', async (t) => {
  const gone = await enrol(plane, 'gone')
  const nc = await broker.connectAs(gone, { reconnect: false })
  nc.publish(upSubject('gone'), JSON.stringify({ type: 'hello', home: 'h', boot: 'b', version: '0' }))
  nc.publish(presenceSubject('gone'), '{}')
  t.equal((await plane.request('/enrolled/gone', { method: 'DELETE' })).status, 200)
  await broker.revoke(gone.publicKey)
  await nc.closed()
  await t.rejects(broker.connectAs(gone, { reconnect: false }), /authorization/i)
  await broker.restart()
  await t.rejects(broker.connectAs(gone, { reconnect: false }), /authorization/i, 'and after a restart of the broker')
  t.equal((await plane.request('/phones/gone')).status, 404)
})

t.test('a broker with a full disk refuses a job and loses none that it accepted', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'shellphone-full-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const skip = mountSmall(t, directory, 4)
  if (skip !== null) return t.pass('full', { skip })
  const full = await startBroker({ config: { directory } })
  const over = await startPlane(full)
  t.teardown(async () => {
    await over.close()
    await full.stop()
  })
  await enrol(over, 'pixel')
  const command = `: ${'x'.repeat(200_000)}`
  const accepted: string[] = []
  let refused = 0
  for (let n = 0; n < 40 && refused === 0; n++) {
    const { status, job } = await submit(over, { command: `${command} ${n}` })
    if (status === 202) accepted.push(job)
    else refused = status
  }
  t.equal(refused, 503, `after ${accepted.length} jobs`)
  t.ok(accepted.length > 2)
  for (const job of accepted) t.match(await stateIn(over, job), { state: 'queued' })
})
