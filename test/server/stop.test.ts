import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type ExecRecord, note } from '../../src/shared/schema/index.ts'
import {
  type Service,
  type ServiceOptions,
  soon,
  startService as startAny,
  until,
  processesWith,
} from '../support/helper.ts'
import { sseEvents } from '../support/sse.ts'

/** No command times out before the test ends it, however slow the machine is. */
const patient = { SHELLPHONE_TIMEOUT_SECONDS: '3600', SHELLPHONE_MAX_TIMEOUT_SECONDS: '3600' }
const startService = ({ env, ...options }: ServiceOptions = {}) => startAny({ env: { ...patient, ...env }, ...options })
const freshHome = (t: Subtest) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-stop-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  return home
}
type Subtest = Parameters<Parameters<typeof t.test>[0]>[0]
/** The service for tests that need none of their own; the first of them starts it. */
let shared: Promise<Service> | undefined
const usual = () => (shared ??= startService())
t.teardown(async () => (await shared)?.stop())
const list = async (of: Service) =>
  ((await (await of.request('/runs?limit=1000')).json()) as { runs: ExecRecord[] }).runs

t.test('SIGTERM and SIGINT send the replies of running commands and leave no process', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const service = await startService()
    const quick = service.exec({
      command: 'trap "echo asked; exit 0" TERM; echo up; sleep 7401 & setsid sleep 7401 & wait',
    })
    const stubborn = service.exec({ command: 'echo up; trap "" TERM; sleep 7402; sleep 7402' })
    const sse = await service.post('/exec', { command: 'echo up; sleep 7403' }, { accept: 'text/event-stream' })
    const ending = (async () => {
      const events = []
      for await (const event of sseEvents(sse)) events.push(event)
      return events.at(-1)!
    })()
    const socket = await service.socket()
    const over = socket.exec('ws', { command: 'echo up; sleep 7404' })
    const { id } = (await (await service.post('/exec', { command: 'sleep 7405', background: true })).json()) as {
      id: string
    }
    t.ok(
      await until(() => [7401, 7402, 7403, 7404, 7405].every((number) => processesWith(`sleep ${number}`).length > 0)),
      'all run',
    )
    const code = service.kill(signal)
    t.hasStrict(
      await quick,
      { exit_code: -1, status: 'canceled', stdout: 'up\nasked\n' },
      `${signal}: what listens may say goodbye`,
    )
    const record = await stubborn
    t.hasStrict(record, { exit_code: -1, status: 'canceled', stdout: 'up\n' }, `${signal}: what does not is killed`)
    t.ok(
      record.notes.some(({ code }) => code === 'SERVICE_STOPPING'),
      `${signal}: and why is said: ${JSON.stringify(record.notes)}`,
    )
    t.match(
      await ending,
      { event: 'result', data: { status: 'canceled', stdout: 'up\n' } },
      `${signal}: answered by SSE`,
    )
    t.hasStrict(await over, { type: 'result', status: 'canceled', stdout: 'up\n' }, `${signal}: answered by WebSocket`)
    t.equal(await code, 0, `${signal}: exit code 0`)
    t.strictSame(processesWith('sleep 740'), [], `${signal}: nothing left`)
    const again = await startService({ home: service.home })
    const runs = await list(again)
    t.equal(runs.length, 5, `${signal}: all are in history`)
    t.ok(
      runs.every(({ status }) => status === 'canceled'),
      `${signal}: as canceled`,
    )
    t.ok(
      runs.some((run) => run.id === id),
      `${signal}: the background run too`,
    )
    t.equal(await again.stop(), 0)
    rmSync(service.home, { recursive: true })
  }
})

t.test('sends the results of all runs over a WebSocket before the stop closes it', async (t) => {
  const service = await startService({ env: { SHELLPHONE_MAX_RUNNING: '8' } })
  const socket = await service.socket()
  const names = Array.from({ length: 8 }, (_, n) => `r${n}`)
  const results = names.map((name) => socket.exec(name, { command: 'sleep 7406' }).catch(String))
  t.ok(await until(async () => (await list(service)).filter(({ status }) => status === 'running').length === 8))
  const code = service.kill('SIGTERM')
  const lost = once(socket.raw, 'close').then(() => 'closed')
  for (const result of results) t.match(await Promise.race([result, lost]), { status: 'canceled' })
  t.equal(await code, 0)
})

/** Closes a file late, as on a slow disk. The delay is real time, during which the service must not exit. */
const slowDisk = `import { open } from 'node:fs/promises'
const file = await open('/dev/null')
const own = Object.getPrototypeOf(file)
const { close } = own
own.close = async function () {
  await new Promise((resolve) => setTimeout(resolve, 500))
  return close.call(this)
}
await file.close()`

t.test('records a file transfer that the stop interrupts', async (t) => {
  const home = freshHome(t)
  const service = await startService({ home, node: [`--import=data:text/javascript,${encodeURIComponent(slowDisk)}`] })
  const { token, port } = service
  const path = join(home, '..', `shellphone-half-${process.pid}`)
  t.teardown(() => rmSync(path, { force: true }))
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const head = `PUT /files?path=${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`
  socket.write(`${head}Content-Length: 1000\r\n\r\nhalf of it`)
  t.ok(await until(async () => (await list(service)).some(({ status }) => status === 'running')))
  t.equal(await service.kill('SIGTERM'), 0)
  socket.destroy()
  const again = await startService({ home })
  const [record] = await list(again)
  t.hasStrict(record, { status: 'canceled', command: `tee '${path}'` })
  t.match(record!.notes, [note('TRANSFER'), note('CUT_SHORT')])
  t.equal(await again.stop(), 0)
})

t.test('logs and counts an unhandled rejection, which ends no run', async (t) => {
  const fault = "process.on('SIGWINCH', () => void Promise.reject(new Error('a fault of ours')))"
  const service = await startService({ node: ['--import', `data:text/javascript,${encodeURIComponent(fault)}`] })
  t.teardown(() => service.stop())
  const other = join(freshHome(t), 'other')
  const run = service.exec({ command: `mkfifo ${other}; echo ready > ${other}.ready; cat ${other}` })
  t.ok(await until(() => existsSync(`${other}.ready`)))
  service.process.kill('SIGWINCH')
  const warnings = async () =>
    ((await (await service.request('/health')).json()) as { warnings: string[] }).warnings.join('\n')
  t.ok(
    await until(async () =>
      (await warnings()).includes('internal errors of the service, with their stacks in its log: 1'),
    ),
  )
  t.match(await (await service.request('/metrics')).text(), /^shellphone_unhandled_rejections_total 1$/m)
  t.ok(await until(() => service.log.some((line) => JSON.parse(line).err?.stack?.includes('a fault of ours'))))
  writeFileSync(other, 'still running')
  t.match(await run, { status: 'completed', stdout: 'still running' })
})

t.test('accepts no more requests while it stops', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const running = service.exec({ command: 'trap "" TERM; sleep 7411; sleep 7411' })
  const keptAlive = connect(service.port, '127.0.0.1')
  keptAlive.on('error', () => {})
  t.ok(await until(() => processesWith('sleep 7411').length > 0))
  const socket = await service.socket()
  const code = service.kill('SIGTERM')
  t.ok(await until(() => service.log.some((line) => line.includes('stopping'))))
  const refused = await service.post('/exec', { command: 'echo no' }).then(
    (response) => response.status,
    () => 'no connection',
  )
  t.ok([503, 'no connection'].includes(refused), `a new request: ${refused}`)
  if (socket.raw.readyState === socket.raw.OPEN) {
    socket.send({ type: 'exec', ref: 'late', command: 'echo no' })
    const late = await Promise.race([
      socket.next(({ ref }) => ref === 'late'),
      once(socket.raw, 'close').then(() => null),
    ])
    t.ok(late === null || late.type === 'error', 'nor over an open WebSocket')
  }
  t.hasStrict(await running, { status: 'canceled' })
  t.equal(await code, 0)
  keptAlive.destroy()
})

t.test('a connection that is idle or sends half a request does not delay the stop', async (t) => {
  /** [name, bytes sent] */
  const rows: [string, string][] = [
    ['nothing', ''],
    ['half a request line', 'GET /heal'],
    ['half the headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\n'],
    [
      'half a body',
      'POST /exec HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"com',
    ],
    ['a whole request, and stays', 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ]
  const service = await startService()
  const sockets = []
  for (const [, text] of rows) {
    const socket = connect(service.port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(text.replace('TOKEN', service.token))
    sockets.push(socket)
  }
  const webSocket = await service.socket() // does not answer
  webSocket.raw.pause()
  await service.exec({ command: 'true' })
  const names = rows.map(([name]) => name).join(', ')
  t.equal(await soon(service.stop()), 0, `exit code 0, with connections still open: ${names}, a WebSocket`)
  for (const socket of sockets) socket.destroy()
  webSocket.raw.terminate()
})

t.test('runs one service per home, and leaves unrelated processes of the same name alone', async (t) => {
  const home = freshHome(t)
  const other = await usual()
  const theirs = (await (await other.post('/exec', { command: 'sleep 7441', background: true })).json()) as ExecRecord
  t.ok(await until(() => processesWith('sleep 7441').length > 0))
  const first = await startService({ home })
  const mine = first.exec({ command: 'sleep 7442' }).catch(() => null)
  t.ok(await until(() => processesWith('sleep 7442').length > 0))
  await t.rejects(startService({ home }), 'a second service on the same home does not start')
  t.not(processesWith('sleep 7442').length, 0, 'and kills nothing of the first service')
  await first.kill('SIGKILL')
  await mine
  const second = await startService({ home })
  t.strictSame(processesWith('sleep 7442'), [], 'orphans of this home are killed')
  t.not(processesWith('sleep 7441').length, 0, 'orphans of another home are not')
  await second.stop()
  await other.request(`/runs/${theirs.id}`, { method: 'DELETE' })
  t.ok(await until(() => processesWith('sleep 7441').length === 0))
})

t.test('leaves no descriptors, listeners or zombies', async (t) => {
  const service = await usual()
  const once = async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => service.exec({ command: `echo ${n}; sleep 0.01 & exit ${n % 3}` })),
    )
    const socket = await service.socket()
    await Promise.all(
      Array.from({ length: 5 }, (_, n) => socket.exec(`r${n}`, { command: 'sleep 5', timeout_seconds: 0.05 })),
    )
    await socket.close()
    for (let n = 0; n < 3; n++) {
      await service
        .post('/exec', { command: 'sleep 5', timeout_seconds: 0.05 }, { accept: 'text/event-stream' })
        .then((response) => response.body!.cancel())
    }
  }
  const nameOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    } catch {
      return 'ended meanwhile'
    }
  }
  const children = () =>
    readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid.trim() && nameOf(pid) !== 'launcher')
  await once()
  t.ok(await until(() => children().length === 0), 'no child, no zombie')
  const before = service.descriptors().length
  for (let n = 0; n < 5; n++) await once()
  t.ok(await until(() => children().length === 0), 'no child, no zombie')
  t.ok(
    await until(() => service.descriptors().length <= before + 3),
    `descriptors: ${before} before, ${service.descriptors().length} after`,
  )
  t.notMatch(service.log.join('\n'), /MaxListeners/)
})
