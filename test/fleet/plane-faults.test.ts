import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { headers } from '@nats-io/transport-node'
import t from 'tap'
import { callsOf, HEAD_HEADER, presenceSubject } from '../../src/shared/schema/index.ts'
import { until, wants } from '../support/helper.ts'
import { linkProxy } from '../support/link-proxy.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, becomes, enrol, json, startPlane, stateIn, submit } from '../support/plane.ts'

wants(t, noBroker)

const broker = await startBroker()
const plane = await startPlane(broker)
const link = await linkProxy(Number(new URL(broker.url).port))
const env = { SHELLPHONE_POLICY: 'open' }
const pixel = await addPhone(plane, { ...broker, url: `nats://127.0.0.1:${link.port}` }, 'pixel', { env })
t.teardown(async () => {
  await pixel.stop()
  await plane.close()
  link.close()
  await broker.stop()
})

const runsOf = async (text: string) => (await plane.get(`/phones/pixel/runs?q=${encodeURIComponent(text)}`)).runs
const statusOf = async (text: string) => (await runsOf(text))[0]?.status

t.test('a client that sends a broken body and leaves does not stop the control plane', async (t) => {
  const { hostname, port } = new URL(plane.url)
  const token = await plane.token('sender', 'agent')
  const rejections: unknown[] = []
  const note = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  // a phone that does not answer gives the client time to disconnect
  link.freeze(true)
  for (const path of ['/phones/pixel/exec', '/phones/pixel/exec/nullclaw']) {
    for (const body of ['{"command": "tru', '[', 'null', '']) {
      const socket = connectTcp(Number(port), hostname)
      const head = [
        `POST ${path} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ]
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
      await once(socket, 'finish')
      socket.destroy()
    }
  }
  link.freeze(false)
  t.ok(await until(async () => (await plane.request('/phones/pixel/health')).ok))
  t.ok(await until(async () => openRequests(await (await plane.request('/metrics')).text()) === 0))
  t.same(rejections, [])
})

const openRequests = (metrics: string) => Number(/^shellphone_plane_questions_open (\d+)$/m.exec(metrics)![1])

t.test('a client that disconnects cancels the same runs as on the phone itself', async (t) => {
  /** [what, path, headers, body, whether the run is canceled] */
  const rows: [string, string, Record<string, string>, (command: string) => unknown, boolean][] = [
    ['a foreground command', '/exec', {}, (command) => ({ command }), true],
    ['a foreground command as text', '/exec', { 'content-type': 'text/plain' }, (command) => command, true],
    ['a command of a dialect', '/exec/picoclaw', {}, (command) => ({ command, working_dir: '/tmp' }), true],
    ['a command with a key of the client', '/exec', { 'idempotency-key': 'own' }, (command) => ({ command }), false],
    ['a background command', '/exec', {}, (command) => ({ command, background: true }), false],
    ['a background command by Prefer', '/exec', { prefer: 'respond-async' }, (command) => ({ command }), false],
  ]
  const folder = t.testdir()
  for (const [at, [what, path, headers, body, isCanceled]] of rows.entries()) {
    const file = join(folder, `client-left-${at}`)
    const command = `until [ -e ${file} ]; do sleep 0.1; done; echo ${at}`
    const leaving = new AbortController()
    const content = body(command)
    // delays the response, so that the client disconnects first
    link.delay(isCanceled ? 0 : 300)
    const response = plane.request(`/phones/pixel${path}`, {
      method: 'POST',
      body: typeof content === 'string' ? content : JSON.stringify(content),
      headers: { 'content-type': 'application/json', ...headers },
      signal: leaving.signal,
    })
    response.catch(() => {})
    const isLive = async () => ((await json(await pixel.request('/runs?status=live'))).runs as any[]).length > 0
    t.ok(await until(isLive), what)
    leaving.abort()
    link.delay(0)
    if (!isCanceled) {
      // a cancel would arrive before these
      for (let n = 0; n < 5; n++) await (await plane.request('/phones/pixel/health')).text()
      writeFileSync(file, '')
    }
    t.ok(await until(async () => !(await isLive())))
    t.equal(await statusOf(`echo ${at}`), isCanceled ? 'canceled' : 'completed', what)
  }
})

t.test('says that a command whose phone does not answer may run', async (t) => {
  link.freeze(true)
  const answer = await plane.post('/exec', { command: 'true', phones: 'name=pixel', wait_seconds: 0.2 })
  link.freeze(false)
  t.match(await json(answer), { phones: { pixel: { state: 'silent', reason: /^it was sent, .* may still run$/ } } })
})

t.test('a cancel that was requested while the link was down reaches the run', async (t) => {
  const { job } = await submit(plane, { command: 'sleep 100', timeout_seconds: 110 })
  t.ok(await becomes(plane, job, 'running'))
  // the phone reconnects and gets no answer, so it is offline until the link works again
  link.freeze(true)
  link.cut()
  const canceled = await json(await plane.request(`/jobs/${job}`, { method: 'DELETE' }))
  t.match(canceled, { phones: { pixel: 'canceling' } })
  link.freeze(false)
  t.ok(await becomes(plane, job, 'ended'))
  t.match(await stateIn(plane, job), { status: 'canceled' })
})

/** Connects as a phone that responds to every call with the parts that `answer` returns. */
async function pretendPhone(name: string, answer: () => { parts: string[]; end?: 'eof' | 'more' }) {
  const nc = await broker.connectAs(await enrol(plane, name))
  nc.subscribe(callsOf(name), {
    callback: (_error, message) => {
      const { call } = JSON.parse(message.headers!.get(HEAD_HEADER))
      const { parts, end = 'eof' } = answer()
      for (const [part, body] of parts.entries()) {
        const carried = headers()
        const first = part === 0 && { status: 200, headers: {} }
        const last = part === parts.length - 1 && { end }
        carried.set(HEAD_HEADER, JSON.stringify({ call, part, ...first, ...last }))
        message.respond(body, { headers: carried })
      }
    },
  })
  nc.subscribe(`$SRV.PING.shellphone.${name}`) // as a connected phone does
  await nc.flush() // wait for the subscriptions
  const presence = { version: '0', home: 'h', boot: 'b', labels: {}, battery: null, running: 0, queued: 0 }
  return {
    publish: (more: object) => nc.publish(presenceSubject(name), JSON.stringify({ ...presence, ...more })),
    close: () => nc.close(),
  }
}

t.test('a client that reads slower than the phone sends adds no listener for each part', async (t) => {
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const parts = Array.from({ length: 400 }, () => 'x'.repeat(1024))
  const many = await pretendPhone('fake-many', () => ({ parts }))
  t.equal(await (await plane.request('/phones/fake-many/health')).text(), parts.join(''))
  t.same(warnings, [])
  await many.close()
})

t.test('a phone whose list of approvals is unreadable does not hide those of other phones', async (t) => {
  const rows: [what: string, body: string, end: 'eof' | 'more'][] = [
    ['a list longer than one answer', '{"approvals": [{"id": "x", "command": "aaaa', 'more'],
    ['no JSON', 'approvals', 'eof'],
    ['no list', '{"approvals": {"id": "x"}}', 'eof'],
    ['nothing', 'null', 'eof'],
  ]
  let [body, end]: [string, 'eof' | 'more'] = ['', 'eof']
  const lengthy = await pretendPhone('fake-lengthy', () => ({ parts: [body], end }))
  lengthy.publish({ pending_approvals: 22 })
  t.ok(await until(async () => (await plane.get('/phones/fake-lengthy')).pending_approvals === 22))
  const careful = await addPhone(plane, broker, 'careful', { env: { SHELLPHONE_POLICY: 'supervised' } })
  t.teardown(() => careful.stop())
  const { job } = await submit(plane, { command: `touch ${t.testdirName}`, phones: 'name=careful' })
  t.ok(await becomes(plane, job, 'accepted', 'careful'))
  t.ok(await until(async () => (await plane.get('/phones/careful')).pending_approvals === 1))
  for (const row of rows) {
    ;[, body, end] = row
    const answer = await plane.request('/approvals')
    t.equal(answer.status, 200, row[0])
    t.match(await json(answer), { approvals: [{ phone: 'careful' }], silent: ['fake-lengthy'] }, row[0])
  }
  await lengthy.close()
})
