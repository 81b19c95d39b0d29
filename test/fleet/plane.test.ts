import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer as createHttp } from 'node:http'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kvm } from '@nats-io/kv'
import { headers, type Msg } from '@nats-io/transport-node'
import t from 'tap'
import { callsOf, HEAD_HEADER, presenceSubject } from '../../src/shared/schema/index.ts'
import { soon, until, wants } from '../support/helper.ts'
import { linkProxy } from '../support/link-proxy.ts'
import { natsVersion, noBroker, startBroker } from '../support/nats.ts'
import { addPhone, becomes, enrol, fleetCli, json, startPlane } from '../support/plane.ts'
import { readOverCuts } from '../support/plane-floods.ts'
import { sseEvents } from '../support/sse.ts'

wants(t, noBroker)

const broker = await startBroker()
const posts: string[] = []
const hook = createHttp((request, response) => {
  request.on('data', (chunk) => posts.push(String(chunk))).on('end', () => response.end())
}).listen(0, '127.0.0.1')
await once(hook, 'listening')
const webhook = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
const plane = await startPlane(broker, { webhook })
const link = await linkProxy(Number(new URL(broker.url).port))
const pixel = await addPhone(plane, broker, 'pixel', {
  labels: ['lab=berlin', 'arm64'],
  env: { SHELLPHONE_POLICY: 'open' },
})
const far = { ...broker, url: `nats://127.0.0.1:${link.port}` }
const other = await addPhone(plane, far, 'other', {
  labels: ['lab=paris'],
  env: { SHELLPHONE_POLICY: 'supervised' },
})
await enrol(plane, 'asleep', ['lab=berlin'])
t.teardown(async () => {
  await Promise.all([pixel.stop(), other.stop()])
  await plane.close()
  hook.close()
  link.close()
  await broker.stop()
})
t.comment(`nats-server ${natsVersion()}`)

const MIB = 1_048_576
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const atPixel = (path: string) => `/phones/pixel${path}`

t.test("a phone's own routes, by path and by header", async (t) => {
  const record = await json(await plane.post(atPixel('/exec'), { command: 'echo hi; exit 3' }))
  t.match(record, { status: 'failed', exit_code: 3, stdout: 'hi\n', token: 'fleet/owner' })
  const text = await plane.post(
    '/exec',
    { command: 'echo hi' },
    { headers: { 'x-phone': 'pixel', accept: 'text/plain' } },
  )
  t.equal(await text.text(), '[Exit Code: 0]\nhi\n')
  t.match(await json(await plane.request(atPixel(`/runs/${record.id}`))), { id: record.id, exit_code: 3 })
  const background = await plane.post(atPixel('/exec'), { command: 'cat', stdin: 'open', background: true })
  t.equal(background.status, 202)
  const { id } = await json(background)
  t.equal(background.headers.get('location'), `/phones/pixel/runs/${id}`)
  t.equal((await plane.post(atPixel(`/runs/${id}/stdin`), { data: 'fed', end: true })).status, 200)
  t.match(await json(await plane.request(atPixel(`/runs/${id}?wait_seconds=60`))), {
    stdout: 'fed',
    status: 'completed',
  })
  const dialect = await plane.post(atPixel('/exec/nullclaw'), { command: 'echo from a dialect' })
  t.match(await dialect.text(), /from a dialect/)
  const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const mcp = await plane.post(atPixel('/mcp'), initialize, {
    headers: { accept: 'application/json, text/event-stream' },
  })
  t.match(await mcp.text(), /jsonrpc/)
  const health = await plane.request(atPixel('/health'), { method: 'HEAD' })
  t.equal(health.status, 200)
  for (const [path, status] of [
    ['/phones/nobody/health', 404],
    [atPixel('/nothing'), 404],
    [atPixel('/ws'), 400],
    ['/phones/asleep/health', 503],
    ['/nothing', 404],
  ] as const) {
    t.equal((await plane.request(path)).status, status, path)
  }
  const big = await plane.post(atPixel('/exec'), { command: 'true', stdin: 'x'.repeat(3 * MIB) })
  t.equal(big.status, 413)
  t.match(await json(big), { error: { type: 'too_large' } })
})

t.test('a client that disconnects cancels its foreground command', async (t) => {
  const leaving = new AbortController()
  const response = plane.request(atPixel('/exec'), {
    method: 'POST',
    body: JSON.stringify({ command: 'sleep 600', timeout_seconds: 600 }),
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal,
  })
  response.catch(() => {})
  const runs = async () => (await json(await plane.request(atPixel('/runs')))).runs
  t.ok(await until(async () => (await runs())[0].status === 'running'))
  leaving.abort()
  t.ok(await until(async () => (await runs())[0].status === 'canceled'))
})

t.test('sends each of 12 MiB once through windows and 10 cuts', (t) =>
  readOverCuts(t, { plane, name: 'other', link, mib: 12, cutMib: 1 }),
)

t.test('sends events complete and in order', async (t) => {
  const command = 'i=0; while [ $i -lt 10000 ]; do echo "line $i ü"; i=$((i+1)); done; sleep 0.2; echo end'
  const response = { headers: { accept: 'text/event-stream' } }
  const answer = await plane.post(atPixel('/exec'), { command, timeout_seconds: 600 }, response)
  let text = ''
  const offsets: [got: number | undefined, expected: number][] = []
  let [last, nextOffset]: [unknown, number] = [null, 0]
  for await (const { event, data } of sseEvents(answer)) {
    if (event === 'output') {
      offsets.push([data.offset, nextOffset])
      nextOffset = Number(data.next_offset)
      text += data.data
    }
    if (event === 'result') last = data
  }
  t.match(last, { status: 'completed', exit_code: 0 })
  t.same(
    offsets.filter(([got, expected]) => got !== expected),
    [],
  )
  t.equal(text.split('\n').length, 10_002)
  t.ok(text.endsWith('line 9999 ü\nend\n'))
})

t.test('transfers files longer than one window', async (t) => {
  const path = join(t.testdir(), 'big')
  const command = `head -c ${3 * MIB} /dev/urandom > ${path} && sha256sum < ${path}`
  const { stdout } = await json(await plane.post(atPixel('/exec'), { command }))
  const answer = await plane.request(atPixel(`/files?${new URLSearchParams({ path })}`))
  t.equal(answer.status, 200)
  t.equal(sha256(new Uint8Array(await answer.arrayBuffer())), stdout.slice(0, 64))
  const put = await plane.request(atPixel(`/files?${new URLSearchParams({ path: `${path}2` })}`), {
    method: 'PUT',
    body: 'small',
  })
  t.equal(put.status, 201)
})

t.test('selectors match phones by label and name', async (t) => {
  const rows: [string, string[] | number][] = [
    ['*', ['asleep', 'other', 'pixel']],
    ['lab=berlin', ['asleep', 'pixel']],
    ['lab=berlin,arm64', ['pixel']],
    ['lab', ['asleep', 'other', 'pixel']],
    ['name=other', ['other']],
    ['lab=rome', []],
    ['lab=berlin,', 400],
    ['=x', 400],
    ['lab=ber lin', 400],
    ['name=a.b', 400],
    ['', 400],
  ]
  for (const [select, expected] of rows) {
    const answer = await plane.request(`/phones?${new URLSearchParams({ select })}`)
    const body = await json(answer)
    t.same(answer.ok ? body.phones.map((phone: { name: string }) => phone.name) : answer.status, expected, select)
  }
  const none = await plane.post('/exec', { command: 'true', phones: 'lab=rome' })
  t.equal(none.status, 404)
  const bare = await json(await plane.post('/exec', { command: 'true', phones: 'pixel' }))
  t.equal(bare.error.message, 'phones: "pixel" matches no phone of this fleet; did you mean name=pixel?')
})

t.test('fan-out returns the results by the deadline and the state of the rest', async (t) => {
  const body = { command: 'echo out', phones: 'lab', wait_seconds: 300 }
  const all = await json(await plane.post('/exec', body))
  t.match(all.counts, { ended: 2, offline: 1 })
  t.match(all.phones.asleep, { state: 'offline' })
  t.match(all.phones.pixel, {
    state: 'ended',
    exit_code: 0,
    duration_ms: Number,
    output: '[Exit Code: 0]\nout\n',
    stdout: 'out\n',
    stderr: '',
  })
  const key = { headers: { 'idempotency-key': 'fan-1' } }
  const [ran, open] = [join(t.testdir(), 'ran'), join(t.testdir(), 'open')]
  const command = `echo once >> ${ran}; until [ -e ${open} ]; do sleep 0.1; done`
  const slow = { command, phones: 'name=pixel', timeout_seconds: 600 }
  const untilDeadline = async () => json(await plane.post('/exec', { ...slow, wait_seconds: 1 }, key))
  let early = await untilDeadline()
  while (early.phones.pixel.run_id === undefined) early = await untilDeadline()
  t.match(early, { counts: { running: 1 }, phones: { pixel: { state: 'running', run_id: String } } })
  writeFileSync(open, '')
  const late = await json(await plane.post('/exec', { ...slow, wait_seconds: 300 }, key))
  t.match(late.phones.pixel, { state: 'ended', run_id: early.phones.pixel.run_id }, 'the same key is the same run')
  t.equal(readFileSync(ran, 'utf8'), 'once\n')
  const picked = await json(await plane.post('/exec', { command: 'true', phones: 'lab', pick: 1 }))
  t.equal(Object.keys(picked.phones).length, 1)
  const unpicked = await plane.post('/exec', { command: 'true', phones: 'name=asleep', pick: 1 })
  t.match(
    [unpicked.status, (await json(unpicked)).error],
    [503, { type: 'phone_offline', message: /nothing was sent/ }],
  )
  const metrics = (await (await plane.request('/metrics')).text()).split('\n')
  const counted = metrics.filter((line) => line.startsWith('shellphone_plane_phones{'))
  t.same(
    counted.map((line) => line.slice(line.indexOf('{'))),
    ['{state="online"} 2', '{state="offline"} 1', '{state="conflict"} 0'],
  )
  const stream = await plane.post('/exec', body, { headers: { accept: 'text/event-stream' } })
  const events = []
  for await (const { event, data } of sseEvents(stream)) {
    events.push(event === 'phone' ? `${data.name} ${data.state}` : `${event} ${data.name ?? ''}`.trim())
  }
  t.same(events.sort(), [
    ...['accepted other', 'accepted pixel', 'asleep offline', 'other ended', 'pixel ended'],
    'result',
  ])
})

t.test('each role gets the expected status at each route', async (t) => {
  const agent = await plane.token('agent', 'agent', 'lab=berlin')
  const person = await plane.token('person', 'person')
  const rows: [string, string, string, number, number, number][] = [
    // method, path, body; agent, person, admin
    ['GET', '/phones', '', 200, 200, 200],
    ['GET', '/phones/pixel', '', 200, 200, 200],
    ['GET', '/phones/other', '', 404, 200, 200],
    ['GET', '/phones/other/health', '', 404, 200, 200],
    ['POST', '/phones/other/exec', '{"command":"true"}', 404, 200, 200],
    ['POST', '/exec', '{"command":"true","phones":"lab=paris"}', 404, 200, 200],
    ['GET', '/phones/pixel/approvals', '', 403, 200, 200],
    ['POST', '/phones/pixel/approvals/x', '{"decision":"approve"}', 403, 404, 404],
    ['GET', '/phones/pixel/tokens', '', 403, 200, 200],
    ['GET', '/approvals', '', 403, 200, 200],
    ['DELETE', '/conflicts/nobody', '', 403, 404, 404],
    ['GET', '/tokens', '', 403, 403, 200],
    ['POST', '/invites', '{"name":"x.y"}', 403, 403, 400],
    ['POST', '/invites', '{"name":"pixel"}', 403, 403, 409],
    ['POST', '/tokens', '{"name":"agent","role":"agent"}', 403, 403, 409],
    ['DELETE', '/enrolled/nobody', '', 403, 403, 404],
    ['GET', '/jobs/nothing', '', 404, 404, 404],
    ['GET', '/metrics', '', 200, 200, 200],
  ]
  for (const [method, path, body, ...expected] of rows) {
    const got = []
    for (const token of [agent, person, plane.file.token]) {
      const content = body === '' ? {} : { body, headers: { 'content-type': 'application/json' } }
      got.push((await plane.request(path, { method, token, ...content })).status)
    }
    t.same(got, expected, `${method} ${path}`)
  }
  t.equal((await fetch(`${plane.url}/phones`)).status, 401)
  t.equal((await plane.request('/phones', { token: 'wrong' })).status, 401)
  t.equal((await fetch(`${plane.url}/health`)).status, 200)
  t.equal((await plane.request('/tokens/agent', { method: 'DELETE' })).status, 204)
  t.equal((await plane.request('/phones', { token: agent })).status, 401, 'a revoked token')
})

t.test('an agent with its own credentials cannot answer approvals', async (t) => {
  const nc = await broker.connect('agent', 'robot')
  const refusal = (async () => {
    for await (const status of nc.status()) if (status.type === 'error') return String(status.error)
    return ''
  })()
  nc.publish('sp.call.pixel.answer.robot', '{}')
  t.match(await soon(refusal), /permissions violation/i)
})

t.test('any plane can answer an approval, and the webhook is notified once', async (t) => {
  const second = await startPlane(broker, { plane: plane.file, webhook })
  t.teardown(() => second.close())
  const answered = plane.post('/phones/other/exec', { command: `touch ${join(t.testdir(), 'x')}` }).then(json)
  const waiting = async () => (await second.get('/approvals')).approvals
  t.ok(await until(async () => (await waiting()).length > 0))
  const [approval] = await waiting()
  t.match(approval, { phone: 'other', command: /^touch/ })
  const path = `/phones/other/approvals/${approval.id}`
  t.equal((await second.post(path, { decision: 'approve' })).status, 200)
  t.match(await answered, { status: 'completed', approval: { outcome: 'approved' } })
  t.ok(await until(() => posts.length > 0))
  t.match(
    posts.map((text) => JSON.parse(text)),
    [{ type: 'asked', phone: 'other' }],
    'from one of the planes',
  )
})

t.test('malformed responses of a phone get 502', async (t) => {
  const credentials = await enrol(plane, 'fake')
  const nc = await broker.connectAs(credentials)
  let parts: (call: string) => [head: object | null, data?: string][] = () => []
  nc.subscribe(callsOf('fake'), {
    callback: (_error, message: Msg) => {
      const { call } = JSON.parse(message.headers!.get(HEAD_HEADER))
      for (const [head, data = ''] of parts(call)) {
        const carried = headers()
        if (head) carried.set(HEAD_HEADER, JSON.stringify(head))
        nc.publish(message.reply!, data, { headers: carried })
      }
    },
  })
  await nc.flush()
  const first = { part: 0, status: 200, headers: { 'content-type': 'text/plain' } }
  const rows: [string, (call: string) => [object | null, string?][], number, RegExp][] = [
    ['complete', (call) => [[{ call, ...first, end: 'eof' }, 'well']], 200, /^well$/],
    [
      'twice',
      (call) => [
        [{ call, ...first }, 'a'],
        [{ call, ...first }, 'a'],
        [{ call, part: 1, end: 'eof' }, 'b'],
      ],
      200,
      /^ab$/,
    ],
    ['of another request', () => [[{ call: 'another', ...first, end: 'eof' }, 'x']], 502, /phone_garbled/],
    ['without a head', () => [[null, 'x']], 502, /phone_garbled/],
    [
      'out of order',
      (call) => [
        [{ call, part: 1, end: 'eof' }, 'b'],
        [{ call, ...first }, 'a'],
      ],
      502,
      /phone_garbled/,
    ],
    ['an invalid header', (call) => [[{ call, part: 0, status: 200, headers: { a: 'b\nc' } }]], 502, /garbled/],
    ['no status', (call) => [[{ call, part: 0, status: 'x' }]], 502, /phone_garbled/],
    ['too many', (call) => Array.from({ length: 502 }, (_, part) => [{ call, part }]), 502, /phone_garbled/],
  ]
  for (const [what, sends, status, text] of rows) {
    parts = sends
    // a signal is sent only once
    const answer = await plane.post('/phones/fake/runs/x/signal', { signal: 'INT' })
    t.equal(answer.status, status, what)
    t.match(await answer.text(), text, what)
  }
  parts = (call) => [
    [{ call, ...first }, 'a'],
    [{ call, part: 2, end: 'eof' }, 'c'],
  ]
  await t.rejects(
    plane.post('/phones/fake/runs/x/signal', { signal: 'INT' }).then((answer) => answer.text()),
    'a part is missing',
  )
  const foreign = await soon(
    new Promise<string>((resolve) => {
      void (async () => {
        for await (const status of nc.status()) if (status.type === 'error') resolve(String(status.error))
      })()
      nc.publish('_INBOX.plane.guessed', 'x')
    }),
  )
  t.match(foreign, /permissions violation/i, 'a reply subject of another call')
})

t.test('a command is sent to the home that the phone last reported', async (t) => {
  const nc = await broker.connectAs(await enrol(plane, 'homely'))
  const homes: unknown[] = []
  nc.subscribe(callsOf('homely'), {
    callback: (_error, message) => {
      const { call, home } = JSON.parse(message.headers!.get(HEAD_HEADER))
      homes.push(home)
      const carried = headers()
      carried.set(HEAD_HEADER, JSON.stringify({ call, part: 0, status: 400, headers: {}, end: 'eof' }))
      message.respond('{"error":{"type":"validation_error","message":"no"}}', { headers: carried })
    },
  })
  const presence = { version: '0', boot: 'b', labels: {}, battery: null, running: 0, queued: 0, pending_approvals: 0 }
  nc.subscribe('$SRV.PING.shellphone.homely') // as a connected phone does
  nc.publish(presenceSubject('homely'), JSON.stringify({ ...presence, home: 'its-home' }))
  t.ok(await until(async () => (await plane.get('/phones/homely')).online))
  const answer = await json(await plane.post('/exec', { command: 'true', phones: 'name=homely' }))
  t.match(answer, { counts: { refused: 1 } })
  t.same(homes, ['its-home'])
  await nc.close()
})

t.test('two devices with one name get no commands until a person settles it', async (t) => {
  const credentials = await enrol(plane, 'duplicate')
  const nc = await broker.connectAs(credentials)
  const presence = { version: '0', home: 'h', labels: {}, battery: null, running: 0, queued: 0, pending_approvals: 0 }
  const publish = (boot: string, more = {}) =>
    nc.publish(presenceSubject('duplicate'), JSON.stringify({ ...presence, boot, ...more }))
  for (const boot of ['a', 'b', 'c', 'c']) publish(boot) // it restarts several times and keeps running
  publish('c', { running: 1 })
  t.ok(await until(async () => (await plane.get('/phones/duplicate')).running === 1))
  t.equal((await plane.request('/phones/duplicate/health')).status, 503)
  publish('b')
  t.ok(await until(async () => (await plane.request('/phones/duplicate/health')).status === 409))
  t.match(await plane.get('/phones/duplicate'), { conflict_since: /^\d{4}-/ })
  t.match(await json(await plane.post('/exec', { command: 'true', phones: 'name=duplicate' })), {
    counts: { conflict: 1 },
  })
  t.equal((await plane.request('/conflicts/duplicate', { method: 'DELETE' })).status, 204)
  t.equal((await plane.request('/phones/duplicate/health')).status, 503)
})

t.test('an invitation is valid once, for 15 minutes', async (t) => {
  const { invite } = await json(await plane.post('/invites', { name: 'newcomer' }))
  const enrolment = {
    invite,
    public_key: broker.keys && (await broker.credentials('phone', 'x')).publicKey,
    home: 'h',
    version: '0',
  }
  const answers = await Promise.all([1, 2, 3].map(() => plane.post('/enrol', enrolment)))
  t.same(answers.map(({ status }) => status).sort(), [200, 401, 401])
  t.equal((await plane.post('/enrol', { ...enrolment, invite: 'A'.repeat(22) })).status, 401)
  const future = await startPlane(broker, { plane: plane.file, monotonicMs: () => performance.now() + 3_600_000 })
  const { invite: fresh } = await json(await future.post('/invites', { name: 'fresh' }))
  t.equal(
    (await plane.post('/enrol', { ...enrolment, invite: fresh })).status,
    200,
    "the planes' clocks do not matter, only the broker's",
  )
  await future.close()
})

t.test('an invitation that has expired or has an invalid date is refused', async (t) => {
  const registry = await new Kvm(await broker.connect('plane', 'plane')).open('sp_registry')
  const enrolment = { public_key: (await broker.credentials('phone', 'x')).publicKey, home: 'h', version: '0' }
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  for (const [expires_at, status] of [
    [inHours(1), 200],
    [inHours(-1), 401],
    ['soon', 401],
  ] as const) {
    const invite = randomBytes(16).toString('base64url')
    const row = { name: 'late', labels: {}, expires_at }
    await registry.put(`invite.${sha256(Buffer.from(invite))}`, JSON.stringify(row))
    t.equal((await plane.post('/enrol', { ...enrolment, invite })).status, status, expires_at)
  }
})

t.test('the command line of a paired machine says what was denied, and that a fleet is not a phone', async (t) => {
  const { start } = fleetCli(plane.url, plane.file.token, t.testdir())
  const shellphone = async (...args: string[]) => {
    const { code, out, err } = await start(args).ended
    return { code, said: out + err }
  }
  const denied = await shellphone('fleet', 'exec', 'name=other', 'mkfs.ext4 /dev/none', '--on', 'fleet')
  t.match(denied, { code: 1, said: /^other +denied\n {2}\S/ })
  t.match(await shellphone('fleet', 'exec', 'name=pixel', 'exit 3', '--on', 'fleet'), {
    code: 1,
    said: /^pixel +ended 3\n/,
  })
  t.match(await shellphone('fleet', 'exec', '*', 'true', '--pick', '--queue', '1h', '--on', 'fleet'), {
    code: 2,
    said: /^shellphone: fleet exec: --pick: not allowed with --queue, because a job runs on all selected phones\n$/,
  })
  for (const [option, time, reason] of [
    ['--queue', '8d', 'expected a time greater than 0 s and at most 7 d, got 8 d'],
    ['--wait', '6m', 'expected a time from 0 s to 5 min, got 6 min'],
  ] as const) {
    t.match(await shellphone('fleet', 'exec', '*', 'true', option, time, '--on', 'fleet'), {
      code: 2,
      said: `shellphone: fleet exec: ${option}: ${reason}\n`,
    })
  }
  for (const more of [[], ['--queue', '1h']]) {
    t.match(await shellphone('fleet', 'exec', 'pixel', 'true', ...more, '--on', 'fleet'), {
      code: 2,
      said: 'shellphone: fleet exec: SELECTOR: "pixel" matches no phone of this fleet; did you mean name=pixel?\n',
    })
  }
  const late = await shellphone('fleet', 'exec', 'name=pixel', 'sleep 3079', '--timeout', '1s', '--on', 'fleet')
  t.match(late, { code: 1, said: /^pixel +timed out\n/ })
  const killed = await shellphone('fleet', 'exec', 'name=pixel', 'kill -9 $$', '--on', 'fleet')
  t.match(killed, { code: 1, said: /^pixel +killed by SIGKILL\n/ })
  t.match(await shellphone('remote', 'add', 'all', `${plane.url}/#token=${plane.file.token}`), { code: 0 })
  t.match(await shellphone('ps', '--on', 'all'), {
    code: 2,
    said: /^shellphone: --on all: all is a fleet; use --on all\/PHONE, and list its phones with shellphone fleet phones --on all\n$/,
  })
  t.match(await shellphone('fleet', 'phones', '--on', 'all'), { code: 0, said: /pixel/ })
  t.match(await shellphone('ps', '--on', 'all/pixel'), { code: 0 })
})

t.test('prints a new token in a link with the URL of the fleet', async (t) => {
  const { start } = fleetCli(plane.url, plane.file.token, t.testdir())
  const { code, out } = await start(['fleet', 'token', 'linked', '--on', 'fleet']).ended
  t.match(
    { code, said: out.toString() },
    { code: 0, said: /^shellphone remote add fleet 'http:\/\/127\.0\.0\.1:1\/#token=\S{43}'\n$/ },
    'not the address at which the command line reached the control plane',
  )
})

t.test('says in words what the names of phones and tokens may contain', async (t) => {
  for (const path of ['/invites', '/tokens']) {
    const refused = await json(await plane.post(path, { name: 'x.y', ...(path === '/tokens' && { role: 'agent' }) }))
    const words =
      /^name: expected a name of 1 to 40 lower-case letters, digits and '-' that starts with .*, got "x\.y"$/
    t.match(refused.error.message, words, path)
  }
})

t.test('the command line lists the newest jobs, and what one did on each phone', async (t) => {
  const { start } = fleetCli(plane.url, plane.file.token, t.testdir())
  const fleet = async (...args: string[]) => {
    const { code, out, err } = await start(['fleet', ...args, '--on', 'fleet']).ended
    t.equal(code, args[0] === 'job' ? 1 : 0, err)
    return out.toString()
  }
  const long = ['--queue', '1h', '--timeout', '10m', '--json']
  const { job } = JSON.parse(await fleet('exec', 'name=pixel', 'echo listed; exit 3', ...long))
  t.ok(await becomes(plane, job, 'ended'))
  const { run_id } = (await plane.get(`/jobs/${job}`)).phones.pixel
  const { timeout_seconds } = await plane.get(`/phones/pixel/runs/${run_id}`)
  t.equal(timeout_seconds, 600, 'more than max_timeout_seconds')
  const newest = async () => (await plane.get('/jobs')).jobs[0]
  t.ok(await until(async () => (await newest())?.job === job && (await newest()).unfinished === 0))
  const [header, first] = (await fleet('jobs')).split('\n')
  t.match(header, /^ID +SUBMITTED +BY +PHONES +FINISHED +COMMAND$/)
  t.match(first, new RegExp(`^${job} +\\d+ s ago +owner +1 +1 +echo listed; exit 3$`))
  t.match(JSON.parse(await fleet('jobs', '--json')).jobs[0], { job, phones: 1, unfinished: 0 })
  t.match(
    await fleet('job', job, '--wait', '1m'),
    /^PHONE +STATUS +EXIT +TIME +RUN\npixel +failed +3 +\d+\.\d\d s +\w{26}\n {2}\[Exit Code: 3\]\n {2}listed\n$/,
  )
  const denied = JSON.parse(await fleet('exec', 'name=other', 'mkfs.ext4 /dev/none', '--queue', '1h', '--json'))
  t.match(await fleet('job', denied.job, '--wait', '1m'), /\nother +denied .*\n {2}(?!\[Exit Code)\S.*\n$/)
})

t.test('Ctrl-C during fleet exec cancels the command on each phone', async (t) => {
  const { start } = fleetCli(plane.url, await plane.token('pressing', 'agent'), t.testdir())
  const { child, ended } = start(['fleet', 'exec', 'name=pixel|other', 'sleep 600', '--on', 'fleet'])
  const isLive = async (name: string) => (await plane.get(`/phones/${name}/runs?status=live&q=sleep%20600`)).runs.length
  t.ok(await until(async () => (await isLive('pixel')) === 1 && (await isLive('other')) === 1))
  child.kill('SIGINT')
  const { out, err } = await ended
  const rows = out.toString().match(/^\S.*$/gm) ?? []
  t.same(rows.map((row) => row.replace(/ +/, ' ')).sort(), ['other canceled', 'pixel canceled'], err)
  t.equal(child.signalCode, 'SIGINT')
  t.same([await isLive('pixel'), await isLive('other')], [0, 0])
})
