import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { soon, until } from './helper.ts'
import { addPhone, becomes, enrol, json, startFleet, startPlane, stateIn, submit } from './plane.ts'

/** a broker, services and what cuts them: on a busy machine longer than a file usually has */
t.setTimeout(240_000)

const { broker, plane } = await startFleet(t)

t.test('a phone that was away catches up, whatever clock its plane has', async (t) => {
  const file = join(t.testdir(), 'caught-up')
  const home = mkdtempSync(join(tmpdir(), 'shellphone-away-'))
  const credentials = await enrol(plane, 'away')
  const given = { home, credentials, env: { SHELLPHONE_POLICY: 'open' } }
  const first = await addPhone(plane, broker, 'away', given)
  await first.kill('SIGTERM')
  t.ok(await until(async () => !(await plane.get('/phones/away')).online), 'it said that it goes')
  const job = await submit(plane, { command: `echo ran >> ${file}`, phones: 'name=away' })
  const skewed = await Promise.all(
    [-3_600_000, 3_600_000].map((ms) => startPlane(broker, { plane: plane.file, now: () => Date.now() + ms })),
  )
  const second = await addPhone(plane, broker, 'away', given)
  t.ok(await becomes(plane, job.job, 'ended', 'away'))
  const { stdout } = await json(await plane.post('/phones/pixel/exec', { command: `cat ${file}` }))
  t.equal(stdout, 'ran\n', 'three planes handed it over, and it ran once')
  await Promise.all(skewed.map((one) => one.close()))

  const lost = await submit(plane, { command: 'sleep 60', phones: 'name=away', timeout_seconds: 100 })
  t.ok(await becomes(plane, lost.job, 'running', 'away'))
  await second.kill('SIGKILL')
  rmSync(join(home, 'history'), { recursive: true })
  const third = await addPhone(plane, broker, 'away', given)
  t.ok(await becomes(plane, lost.job, 'unknown', 'away'), 'its home was wiped: it is never sent again')
  await third.kill('SIGTERM')
  rmSync(home, { recursive: true, force: true })
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
