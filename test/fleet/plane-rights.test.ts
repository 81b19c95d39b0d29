import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Kvm } from '@nats-io/kv'
import t from 'tap'
import { presenceSubject } from '../../src/shared/schema/index.ts'
import { openSocket, type Service, soon, until, wants } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, enrol, json, startPlane, submit } from '../support/plane.ts'
import { rightsOf } from '../server/rights/holders.ts'
import { type Kind, objectsOf } from '../server/rights/objects.ts'
import { socketRows } from '../server/rights/table.ts'
import { sseEvents } from '../support/sse.ts'
import { sha256 } from '../../src/fleet/plane/keys/roles.ts'
import { holders, open, planeRows, routesIn, whose } from './plane-table.ts'

wants(t, noBroker)

const broker = await startBroker()
let listed = ''
const plane = await startPlane(broker, {
  page: async (app) => void (listed = app.printRoutes({ commonPrefix: false })),
})
const env = { SHELLPHONE_POLICY: 'open', SHELLPHONE_FLEET_LABELS: 'secrets,lab=berlin' }
const pixel = await addPhone(plane, broker, 'pixel', { labels: ['lab=paris'], env })
await enrol(plane, 'asleep', ['lab=berlin'])
await enrol(plane, 'absent', ['lab=oslo'])
t.teardown(async () => {
  await pixel.stop()
  await plane.close()
  await broker.stop()
})

t.test('a person reads and cancels only the part of a job that is on phones of the token', async (t) => {
  const person = await plane.token('berliner', 'person', 'lab=berlin')
  const { job } = await submit(plane, { command: 'sleep 600', timeout_seconds: 610, phones: 'lab' })
  const elsewhere = await submit(plane, { command: 'true', phones: 'name=pixel' })
  const runs = async () => (await plane.get(`/jobs/${job}`)).phones.pixel.state === 'running'
  t.ok(await until(runs))
  t.same(Object.keys((await plane.get(`/jobs/${job}`, person)).phones), ['asleep'])
  t.match(await plane.get(`/jobs/${job}`, person), { counts: { queued: 1, running: undefined } })
  for (const init of [{}, { method: 'DELETE' }]) {
    const { status } = await plane.request(`/jobs/${elsewhere.job}`, { ...init, token: person })
    t.equal(status, 404, `a job on none of its phones, ${init.method ?? 'GET'}`)
  }
  t.equal((await plane.request(`/jobs/${elsewhere.job}/events`, { token: person })).status, 404)
  const canceled = await plane.request(`/jobs/${job}`, { method: 'DELETE', token: person })
  t.same((await json(canceled)).phones, { asleep: 'withdrawn' })
  const received: unknown[] = []
  for await (const { event, data } of sseEvents(await plane.request(`/jobs/${job}/events`, { token: person }))) {
    received.push(event === 'phone' ? data.name : Object.keys((data as any).phones))
  }
  t.same(received, ['asleep', ['asleep']])
  t.equal((await plane.get(`/jobs/${job}`)).phones.pixel.state, 'running', "the other phone's run continues")
  await plane.request(`/jobs/${job}`, { method: 'DELETE' })
})

t.test('a person settles only conflicts of phones of the token', async (t) => {
  const person = await plane.token('settler', 'person', 'lab=berlin')
  const nc = await broker.connectAs(await enrol(plane, 'duplicate', ['lab=paris']))
  const presence = { version: '0', home: 'h', labels: {}, battery: null, running: 0, queued: 0, pending_approvals: 0 }
  for (const boot of ['a', 'b', 'a']) nc.publish(presenceSubject('duplicate'), JSON.stringify({ ...presence, boot }))
  const isNoticed = async () => (await plane.get('/phones/duplicate')).conflict_since !== null
  t.ok(await until(isNoticed))
  t.equal((await plane.request('/conflicts/duplicate', { method: 'DELETE', token: person })).status, 404)
  t.ok(await isNoticed(), 'it is not settled')
  t.equal((await plane.request('/conflicts/duplicate', { method: 'DELETE' })).status, 204)
  await nc.close()
})

t.test('agents see their own runs, a person sees all', async (t) => {
  const [one, two] = [await plane.token('one', 'agent'), await plane.token('two', 'agent')]
  const person = await plane.token('ann', 'person')
  const exec = async (command: string, token: string) =>
    json(await plane.post('/phones/pixel/exec', { command }, { token }))
  const { id } = await exec('echo by one', one)
  const { id: other } = await exec('echo by two', two)
  const runs = async (token: string) =>
    ((await plane.get('/phones/pixel/runs?q=echo%20by', token)).runs as { id: string }[]).map((run) => run.id)
  t.same(await runs(one), [id])
  t.same(await runs(two), [other])
  t.same(await runs(person), [other, id])
  for (const path of ['', '/output', '/events']) {
    const statusFor = async (token: string) =>
      (await plane.request(`/phones/pixel/runs/${id}${path}`, { token })).status
    t.same([await statusFor(two), await statusFor(one), await statusFor(person)], [404, 200, 200], `/runs/ID${path}`)
  }
  t.equal((await plane.request(`/phones/pixel/runs/${id}`, { method: 'DELETE', token: two })).status, 404)
  t.equal((await plane.request(`/phones/pixel/runs/${id}`, { method: 'DELETE', token: person })).status, 200)
})

t.test('labels that a phone reports cannot be selected', async (t) => {
  t.match(await plane.get('/phones/pixel'), {
    labels: { lab: 'paris' },
    reported_labels: { secrets: '', lab: 'berlin' },
  })
  const agent = await plane.token('secretive', 'agent', 'secrets')
  for (const select of ['secrets', 'secrets,lab']) {
    t.same((await plane.get(`/phones?select=${select}`)).phones, [], select)
    const body = { command: 'true', phones: select, queue_seconds: 600 }
    t.equal((await plane.post('/exec', body)).status, 404, `a job for ${select}`)
  }
  t.equal((await plane.request('/phones/pixel', { token: agent })).status, 404, "an agent's selector")
})

t.test('two agents with the same key get two jobs', async (t) => {
  const [one, two] = [await plane.token('first', 'agent'), await plane.token('second', 'agent')]
  const send = (token: string, command: string) =>
    plane.post(
      '/exec',
      { command, phones: 'name=asleep', queue_seconds: 600 },
      { token, headers: { 'idempotency-key': 'same' } },
    )
  const first = await send(one, 'echo one')
  const second = await send(two, 'echo two')
  t.same([first.status, second.status], [202, 202])
  const [{ job }, { job: other }] = [await json(first), await json(second)]
  t.not(job, other)
  t.equal((await plane.request(`/jobs/${job}`, { token: two })).status, 404)
})

t.test('refuses bodies that are slow to parse before parsing them', async (t) => {
  const agent = await plane.token('parser', 'agent')
  const values = `[${'1,'.repeat(400_000)}1]`
  const rows: [path: string, body: string, message: RegExp][] = [
    ['/exec', '['.repeat(960_000), /^body: expected at most 64 levels/],
    ['/exec', values, /^body: expected at most 20000 values/],
    ['/tokens', '{"a":'.repeat(190_000), /^body: expected at most 64 levels/],
  ]
  for (const [path, body, message] of rows) {
    const answer = await plane.request(path, {
      ...{ method: 'POST', body, token: agent },
      headers: { 'content-type': 'application/json' },
    })
    t.equal(answer.status, 400)
    t.match((await json(answer)).error, { type: 'validation_error', message }, path)
  }
})

t.test('refuses requests with a foreign host name or from a foreign page', async (t) => {
  const { port, host } = new URL(plane.url)
  const named = await startPlane(broker, {
    plane: { ...plane.file, url: 'https://fleet.example.com' },
    allowedHosts: ['fleet.lan'],
  })
  t.teardown(() => named.close())
  const statusOf = (at: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const authorization = `Bearer ${plane.file.token}`
      const request = httpRequest(`${at}/phones`, { headers: { authorization, ...headers } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      })
      request.on('error', reject).end()
    })
  const rows: [what: string, at: string, headers: Record<string, string>, status: number][] = [
    ['an address', plane.url, { host }, 200],
    ['localhost', plane.url, { host: `localhost:${port}` }, 200],
    ['a name that is rebound to this address', plane.url, { host: 'evil.example' }, 403],
    ["the fleet's own name", named.url, { host: 'fleet.example.com' }, 200],
    ['a name of allowed_hosts', named.url, { host: 'fleet.lan:8000' }, 200],
    ['its own page', plane.url, { host, origin: `http://${host}` }, 200],
    ['its own page behind a proxy', named.url, { host, origin: 'https://fleet.example.com' }, 200],
    ['another page', plane.url, { host, origin: 'https://evil.example' }, 403],
    ['a page without a name', plane.url, { host, origin: 'null' }, 403],
  ]
  for (const [what, at, headers, status] of rows) t.equal(await statusOf(at, headers), status, what)
  const socket = connect(Number(port), '127.0.0.1')
  const upgrade =
    'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
  socket.write(`GET /phones/pixel/ws HTTP/1.1\r\nhost: ${host}\r\norigin: https://evil.example\r\n${upgrade}\r\n\r\n`)
  t.match(
    await soon(text(socket)),
    /^HTTP\/1.1 403 /,
    'a WebSocket of another page is refused, and its connection closed',
  )
})

t.test('throttles wrong tokens, never valid ones', async (t) => {
  const slow = await startPlane(broker, { plane: plane.file, maxFailedLoginsPerMinute: 3 })
  t.teardown(() => slow.close())
  const enrolment = { invite: 'A'.repeat(22), public_key: `U${'A'.repeat(55)}`, home: 'h', version: '0' }
  const statuses = []
  for (let n = 0; n < 2; n++) statuses.push((await slow.request('/phones', { token: `wrong-${n}` })).status)
  statuses.push((await slow.post('/enrol', enrolment)).status)
  t.same(statuses, [401, 401, 401])
  const over = await slow.request('/phones', { token: 'wrong' })
  t.equal(over.status, 429)
  t.match(over.headers.get('retry-after'), /^\d+$/)
  t.equal((await slow.post('/enrol', enrolment)).status, 429, 'an invalid invitation counts, too')
  t.equal((await slow.request('/phones')).status, 200, 'the right token')
  const { raw } = await openSocket(`${slow.url}/phones/pixel`, 'wrong')
  const [code, reason] = await soon(once(raw, 'close'))
  t.match([code, String(reason)], [1013, /^rate_limited: /], 'a WebSocket')
})

/** An admin token for some phones, which earlier versions could create. */
async function storedAdmin(select: string): Promise<string> {
  const registry = await new Kvm(await broker.connect('plane', 'plane')).open('sp_registry')
  const row = { name: 'remote-admin', role: 'admin', select, created_at: '2026-01-31T10:20:30.400Z' }
  await registry.put(`token.${sha256('stored')}`, JSON.stringify(row))
  await until(async () => (await plane.request('/phones', { token: 'stored' })).ok)
  return 'stored'
}

t.test('creates admin tokens only for all phones', async (t) => {
  const create = (name: string, select?: string) => plane.post('/tokens', { name, role: 'admin', select })
  for (const select of ['lab=berlin', 'name=pixel']) {
    const refused = await create('boss', select)
    t.equal(refused.status, 400, select)
    t.match((await json(refused)).error, { type: 'validation_error', field: 'select', message: /manages all phones/ })
  }
  t.same([(await create('one-boss')).status, (await create('other-boss', '*')).status], [200, 200])
})

/** A token for each role, and for an agent, a person and an admin of other phones. */
const tokens: Record<string, string> = {
  admin: plane.file.token,
  person: await plane.token('person', 'person'),
  agent: await plane.token('agent', 'agent'),
  elsewhere: await plane.token('elsewhere', 'agent', 'lab=rome'),
  'person elsewhere': await plane.token('roman', 'person', 'lab=rome'),
  'admin elsewhere': await storedAdmin('lab=rome'),
  another: await plane.token('another', 'agent'),
  nobody: 'wrong',
}
const absentJob = { command: 'true', phones: 'name=absent', queue_seconds: 600 }
async function submitAs(holder: string, key: string): Promise<string | null> {
  const reply = await plane.post('/exec', absentJob, { token: tokens[holder]!, headers: { 'idempotency-key': key } })
  return reply.status === 202 ? ((await reply.json()) as { job: string }).job : null
}

t.test('every route of a control plane has a row', async (t) => {
  const routes = new Set(routesIn(listed))
  // HEAD is served by the route of GET
  const own = [...routes].filter((name) => !name.startsWith('HEAD') || name in planeRows)
  const rows = Object.keys(planeRows).filter((name) => !name.includes(' with '))
  t.same(own.sort(), [...rows, ...open].sort())
})

t.test('each role at each route of a control plane', async (t) => {
  let cells = 0
  for (const [name, row] of Object.entries(planeRows)) {
    const [method, route] = name.split(' ') as [string, string]
    for (const holder of holders) {
      for (const of of row.isAboutJob ? whose : (['own'] as const)) {
        const owner = of === 'own' ? holder : of === "another's" ? 'another' : 'admin'
        const id = row.isAboutJob ? await submitAs(owner, `of ${owner}`.replace(' ', '-')) : ''
        if (id === null) continue
        const path = row.path ?? route.replace(':id', id)
        const body = row.body && { body: JSON.stringify(row.body) }
        const headers = { ...(body && { 'content-type': 'application/json' }), ...row.headers }
        const gone = new AbortController()
        const request = { method, token: tokens[holder]!, headers, ...body, signal: gone.signal }
        const { status } = await plane.request(path, request)
        gone.abort()
        const isOwners = holder === 'admin' && of === "the owner's"
        const expected = holder === 'nobody' ? 401 : (row.may(holder, isOwners ? 'own' : of) ?? row.ok)
        t.equal(status, expected, `${name}: ${holder}, ${of}`)
        cells++
      }
    }
  }
  t.comment(`${Object.keys(planeRows).length} rows, ${cells} cells`)
})

t.test('each role at each message of a phone’s WebSocket', async (t) => {
  for (const [holder, expected] of [
    ['elsewhere', 'not_found'],
    ['person elsewhere', 'not_found'],
    ['nobody', 'unauthorized'],
  ] as const) {
    const { next } = await openSocket(`${plane.url}/phones/pixel`, tokens[holder]!)
    t.match(await soon(next(() => true)), { type: 'error', error: { type: expected } }, holder)
  }
  const through = {
    request: (path: string, init?: RequestInit) => plane.request(`/phones/pixel${path}`, init),
    post: (path: string, body: object, headers?: Record<string, string>) =>
      plane.post(`/phones/pixel${path}`, body, { headers: headers ?? {} }),
  }
  const make = objectsOf(through as Service, t.testdir({}))
  const agentsRights = { approves: 'none', read: 'own', shell: true, files: 'write' } as const
  const made = new Map<string, Promise<string | null>>()
  const objectOf = (kind: Kind, owner: string, isFresh = false) => {
    const key = `${kind} ${owner}`
    if (isFresh || !made.has(key)) made.set(key, make(kind, { name: owner, token: tokens[owner]! }))
    return made.get(key)!
  }
  const types: Record<string, string> = { 403: 'forbidden', 404: 'not_found' }
  let cells = 0
  for (const holder of ['admin', 'person', 'agent'] as const) {
    const rights = holder === 'agent' ? agentsRights : rightsOf('owner')
    const socket = await openSocket(`${plane.url}/phones/pixel`, tokens[holder]!)
    for (const [name, { may, object, isFresh, send }] of Object.entries(socketRows)) {
      for (const of of object ? whose : (['own'] as const)) {
        const owner = of === 'own' ? holder : of === "another's" ? 'another' : 'admin'
        const id = object ? await objectOf(object, owner, isFresh) : ''
        const verdict = may(rights, owner === holder ? 'own' : of, 'usual')
        const expected = verdict !== 'ok' ? types[verdict] : name === 'resize' ? 'conflict' : 'ok'
        const ref = `${name}: ${holder}, ${of}`
        const last = `after ${ref}`
        socket.send({ type: name, ref, ...send(id!) })
        socket.send({ type: 'exec', ref: last, command: 'true' })
        const isOver = (message: { ref?: unknown; type?: unknown }) =>
          (message.ref === ref && message.type === 'error') || (message.ref === last && message.type === 'result')
        await soon(socket.next(isOver))
        const error = socket.messages.find((message) => message.type === 'error' && message.ref === ref)
        t.equal((error?.error as { type: string } | undefined)?.type ?? 'ok', expected, ref)
        cells++
      }
    }
    await socket.close()
  }
  t.comment(`${Object.keys(socketRows).length} rows, ${cells} cells`)
})

t.test('two tokens with the same key get two jobs', async (t) => {
  const [one, two] = [await submitAs('agent', 'shared'), await submitAs('another', 'shared')]
  t.not(one, two)
  for (const [holder, id, status] of [
    ['agent', one, 200],
    ['another', two, 200],
    ['agent', two, 404],
    ['another', one, 404],
  ] as const) {
    t.equal((await plane.request(`/jobs/${id}`, { token: tokens[holder]! })).status, status, `${holder}`)
  }
})
