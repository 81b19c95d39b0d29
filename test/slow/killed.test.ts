/** What remains of runs when the service, or the connection of `shellphone run`, is cut. */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { type ExecRecord, note } from '../../src/shared/schema/index.ts'
import { cutProxy } from '../support/cut-proxy.ts'
import { processesWith, root, type Service, startService, until } from '../support/helper.ts'
import { sseEvents } from '../support/sse.ts'

const MiB = 1_048_576
const stopped = note('SERVICE_STOPPED')
/** No command times out before the test ends it, however slow the machine is. */
const patient = { SHELLPHONE_TIMEOUT_SECONDS: '3600', SHELLPHONE_MAX_TIMEOUT_SECONDS: '3600' }
const folder = mkdtempSync(join(tmpdir(), 'shellphone-killed-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const freshHome = () => mkdtempSync(join(folder, 'home-'))
const list = async (of: Service) =>
  ((await (await of.request('/runs?limit=1000')).json()) as { runs: ExecRecord[] }).runs

t.test('after kill -9 during 20 runs, the next start kills the orphans and reports it', async (t) => {
  const home = freshHome()
  // the launcher's runs end with it, so only child_process can leave orphans
  const env = { ...patient, SHELLPHONE_MAX_RUNNING: '20', SHELLPHONE_SPAWNER: 'child_process' }
  const first = await startService({ home, env })
  t.teardown(() => first.stop())
  const answered = await first.exec({ command: 'echo answered' })
  const commands = [
    'sleep 7421',
    'setsid sleep 7421; :',
    'trap "" TERM HUP; sleep 7421; sleep 7421',
    '(setsid sh -c "sleep 7421; :" &); sleep 7421',
    'echo before; nohup sleep 7421',
  ]
  const runs = Array.from({ length: 20 }, (_, n) =>
    n % 2
      ? first.exec({ command: commands[n % 5]!, timeout_seconds: 3600 }).catch(() => null)
      : first.post('/exec', { command: commands[n % 5]!, background: true }).catch(() => null),
  )
  t.ok(
    await until(async () => (await list(first)).filter(({ status }) => status === 'running').length >= 18),
    'they run',
  )
  t.ok(await until(() => processesWith('sleep 7421').length >= 20))
  await first.kill('SIGKILL')
  await Promise.all(runs)
  t.not(processesWith('sleep 7421').length, 0, 'the orphans exist')
  const second = await startService({ home, env })
  t.teardown(() => second.stop())
  t.ok(await until(() => processesWith('sleep 7421').length === 0), 'the orphans have been killed')
  const records = await list(second)
  t.hasStrict(
    records.find(({ id }) => id === answered.id),
    { status: 'completed', exit_code: 0 },
    'what was answered is there',
  )
  const others = records.filter(({ id }) => id !== answered.id)
  t.ok(others.length >= 18, `${others.length} of 20 are in history`)
  for (const one of others) {
    t.hasStrict(one, { status: 'failed', exit_code: -1 }, one.command)
    t.same(one.notes.at(-1), stopped, one.command)
  }
  const waited = await second.request(`/runs/${others[0]!.id}?wait_seconds=5`)
  t.hasStrict(await waited.json(), { status: 'failed' }, 'a wait for it ends at once')
  const events = []
  for await (const event of sseEvents(await second.request(`/runs/${others[0]!.id}/events`))) events.push(event.event)
  t.equal(events.at(-1), 'result', 'its events end too')
  t.hasStrict(await second.exec({ command: 'echo on' }), { stdout: 'on\n' })
  t.equal(await second.stop(), 0)
})

t.test('keeps the output and key of a run that a crash interrupted', async (t) => {
  const home = freshHome()
  const first = await startService({ home, env: patient })
  t.teardown(() => first.stop())
  const key = { 'idempotency-key': 'cut-off' }
  const body = { command: 'seq 1 200000; echo end; sleep 7431', background: true }
  const { id } = (await (await first.post('/exec', body, key)).json()) as { id: string }
  t.ok(
    await until(
      async () => ((await (await first.request(`/runs/${id}`)).json()) as ExecRecord).stdout_bytes === 1_288_899,
    ),
  )
  const file = join(home, 'runs', `${id}.stdout`)
  t.ok(await until(() => existsSync(file) && statSync(file).size === 1_288_899), 'the output is flushed to disk')
  await first.kill('SIGKILL')
  const second = await startService({ home, env: patient })
  t.teardown(() => second.stop())
  t.strictSame(processesWith('sleep 7431'), [])
  const replay = (await (await second.post('/exec', body, key)).json()) as ExecRecord
  t.equal(replay.id, id, 'the key still finds the run, which does not run twice')
  t.strictSame(processesWith('sleep 7431'), [], 'it does not run twice')
  t.hasStrict(await (await second.request(`/runs/${id}`)).json(), { status: 'failed', notes: [stopped] })
  const whole = Array.from({ length: 200_000 }, (_, n) => `${n + 1}\n`).join('')
  let text = ''
  for (let eof = false; !eof;) {
    const piece = await second.request(`/runs/${id}/output?offset=${text.length}`)
    if (piece.status !== 200) {
      t.fail(`output: ${piece.status} ${await piece.text()}`)
      break
    }
    text += await piece.text()
    eof = piece.headers.get('run-eof') === 'true'
  }
  t.ok(`${whole}end\n`.startsWith(text), 'the stored output is what the command wrote')
  t.equal(text.length, 1_288_899, 'all of it')
  t.equal(await second.stop(), 0)
})

/** Starts `shellphone run COMMAND` through a proxy. */
function startRun(home: string, port: number, command: string, stdin?: Buffer) {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'run', '--port', String(port), command], {
    env: { ...process.env, SHELLPHONE_HOME: home },
    stdio: 'pipe',
  })
  if (stdin !== undefined) child.stdin.end(stdin)
  let seen = ''
  child.stdout.on('data', (chunk) => (seen += chunk))
  const ended = Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')]).then(
    ([out, err, [code]]) => ({ code, out, err }),
  )
  child.stderr.on('data', (chunk) => (seen += chunk))
  return { ended, see: (text: string) => until(() => seen.includes(text)) }
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

t.test('loses no byte when the connection drops ten times', async (t) => {
  const bytes = randomBytes(3 * MiB)
  const service = await startService({ env: { ...patient, SHELLPHONE_MAX_RUN_SPOOL_BYTES: String(8 * MiB) } })
  t.teardown(() => service.stop())
  const proxy = await cutProxy(service.port, 10, (cut) => 300_000 + cut * 60_111)
  t.teardown(proxy.close)
  const through = await startRun(service.home, proxy.port, 'tee /dev/stderr', bytes).ended
  t.equal(proxy.cuts(), 10)
  t.equal(through.code, 0)
  t.equal(sha256(through.out), sha256(bytes), 'no byte lost or repeated')
  const remarks = /shellphone: (the connection is lost; reconnecting [^\n]*|connected again)\n/g
  const fromCommand = Buffer.from(through.err.toString('latin1').replace(remarks, ''), 'latin1')
  t.equal(sha256(fromCommand), sha256(bytes), 'only remarks are added')
})

t.test('reports how the run ended after the service crashed and restarted', async (t) => {
  const home = freshHome()
  const first = await startService({ home, env: patient })
  t.teardown(() => first.stop())
  let { port } = first
  const proxy = await cutProxy(
    () => port,
    0,
    () => 0,
  )
  t.teardown(proxy.close)
  const one = startRun(home, proxy.port, 'echo up; sleep 3057.1')
  t.ok(await one.see('up'))
  await first.kill('SIGKILL')
  const lost =
    'the connection is lost; reconnecting for 60 s; the service cancels the run after 30 s without a connection'
  t.ok(await one.see(`shellphone: ${lost}\n`))
  const second = await startService({ home, env: patient })
  t.teardown(() => second.stop())
  port = second.port
  // the last output may not have reached the disk
  const { code, err } = await one.ended
  t.match({ code, err: String(err) }, { code: 255, err: /connected again\n[\s\S]*stopped during this run/ })
})
