import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { noSessions, type Service, startService, until } from '../../support/helper.ts'
import { initialize, modern, modernMessage, post } from '../../support/mcp/raw.ts'
import { type Received, type Respond, startReceiver } from '../wake/webhook-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-mcp-events-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const bodyOf = ({ body }: Received) => JSON.parse(body) as Record<string, unknown>
const dataOf = (one: Received) => bodyOf(one)['data'] as Record<string, unknown>
const isChallenge = (one: Received) => bodyOf(one)['type'] === 'verification'

/** Repeats the challenge, and accepts every event. */
const echo: Respond = (one, _nth, response) => {
  const { type, challenge } = bodyOf(one)
  response.writeHead(200).end(type === 'verification' ? JSON.stringify({ challenge }) : '')
}

const receiver = await startReceiver((one, nth, response) => {
  const answers: Record<string, () => void> = {
    '/silent': () => response.writeHead(200).end('{}'),
    '/wrong': () => response.writeHead(200).end('{"challenge":"x"}'),
    '/text': () => response.writeHead(200).end('thanks'),
    '/null': () => response.writeHead(200).end('null'),
    '/long': () => response.writeHead(200).end('x'.repeat(100_000)),
    '/moved': () => response.writeHead(307, { location: '/hook' }).end(),
    '/missing': () => response.writeHead(404).end(bodyOf(one)['challenge']),
    '/broken': () => response.writeHead(500).end(),
    '/cut': () => response.destroy(),
  }
  const answer = answers[one.path] ?? (() => echo(one, nth, response))
  answer()
})
const env = {
  SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]),
  SHELLPHONE_AUTONOMY: 'supervised',
  SHELLPHONE_WORKING_DIRECTORY: folder,
}
const home = mkdtempSync(join(folder, 'home-'))
let service = await startService({ env, home })
t.teardown(() => Promise.all([service.stop(), receiver.close()]))
const base = `http://${receiver.host}`

const call = async (method: string, params: object, token = service.token, at: Service = service) => {
  const { message, headers } = modernMessage(method, params)
  const { body } = await post(at, message, { ...headers, authorization: `Bearer ${token}` })
  return body as { result?: Record<string, never>; error?: { code: number; message: string; data?: object } }
}
const hook = (path = '/hook', secret = SECRET) => ({ mode: 'webhook', url: base + path, secret })
const subscribe = (more: object = {}, token?: string) =>
  call('events/subscribe', { name: 'run.ended', arguments: {}, delivery: hook(), ...more }, token)
const unsubscribe = (path = '/hook', args: object = {}, name = 'run.ended') =>
  call('events/unsubscribe', { name, arguments: args, delivery: { url: base + path } })
const newToken = async (name: string, more: object = {}) =>
  ((await (await service.post('/tokens', { name, ...more })).json()) as { token: string }).token
const listed = async (token = service.token) =>
  ((await (await service.request('/webhooks', { token })).json()) as { webhooks: object[] }).webhooks
const at = (path: string) => receiver.received.filter((one) => one.path === path)
const eventsAt = (path: string) => at(path).filter((one) => !isChallenge(one))

t.test('announces the extension to clients of both protocol generations, and lists the events', async (t) => {
  const announced = { extensions: { 'io.modelcontextprotocol/events': {} }, events: {} }
  t.match((await modern(service, 'server/discover', {})).body.result, { capabilities: announced })
  const { body, session } = await post(service, initialize)
  t.match(body.result, { capabilities: announced })
  const { result } = await call('events/list', {})
  t.match(result, {
    events: ['run.asked', 'run.answered', 'run.ended'].map((name) => ({
      name,
      description: String,
      delivery: ['poll', 'webhook'],
      inputSchema: { type: 'object', properties: { session: { type: 'string' } }, additionalProperties: false },
      payloadSchema: { type: 'object', required: ['run_id', 'status', 'exit_code'] },
    })),
  })
  const old = { jsonrpc: '2.0', id: 2, method: 'events/list', params: {} }
  t.match((await post(service, old, { 'mcp-session-id': session! })).body.result, { events: { length: 3 } }, 'in 2025')
  t.match(await call('events/list', { cursor: 'next' }), { error: { code: -32602 } })
})

t.test('verifies the URL, and sends signed events of the runs', async (t) => {
  const before = Date.now()
  const { result } = await subscribe({ ttlMs: 3_600_000 })
  t.match(result, { id: /^sub_[0-9a-f]{32}$/, cursor: /^\d+\.\d+$/, truncated: false })
  const lifeMs = Date.parse(result!['refreshBefore']!) - before
  t.ok(lifeMs >= 3_600_000 && lifeMs < 7_200_000)
  t.equal(at('/hook').length, 1, 'the URL has answered the challenge before the subscription exists')
  const { id } = await service.exec({ command: 'echo secret; exit 4' })
  await until(() => eventsAt('/hook').length === 1)
  const [event] = eventsAt('/hook') as [Received]
  const { eventId, cursor, ...rest } = bodyOf(event)
  t.match(rest, { name: 'run.ended', data: { run_id: id, status: 'failed', exit_code: 4 } })
  t.notMatch(event.body, /secret/)
  t.match(cursor, /^\d+\.\d+$/)
  for (const { headers, body } of at('/hook')) {
    t.equal(headers['x-mcp-subscription-id'], result!['id'])
    t.equal(headers['content-type'], 'application/json')
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const signature = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64')
    t.equal(headers['webhook-signature'], `v1,${signature}`)
  }
  t.equal(event.headers['webhook-id'], eventId)
  t.match(at('/hook')[0]!.headers['webhook-id'], /^msg_verification_/)

  const renewed = await subscribe({ ttlMs: null })
  t.equal(renewed.result!['id'], result!['id'])
  const days = (Date.parse(renewed.result!['refreshBefore']!) - before) / 86_400_000
  t.ok(days >= 30 && days < 31, 'as long as possible')
  t.equal(at('/hook').length, 2, 'the URL is verified once')
  await subscribe({ arguments: { session: 'build' } })
  t.equal(at('/hook').length, 2, 'also for other arguments')
  t.match(await unsubscribe('/hook', { session: 'build' }), { result: {} })
  t.match(await unsubscribe(), { result: {} })
  t.match(await unsubscribe(), { error: { code: -32011, data: { kind: 'subscription' } } })
  await service.exec({ command: 'true' })
  t.same(await listed(), [])
})

const needsSessions = { skip: (await noSessions(service)) ?? false }
t.test('sends only the runs in the session, and approval requests', needsSessions, async (t) => {
  t.match(await subscribe({ name: 'run.asked', arguments: { session: 'build' }, delivery: hook('/asked') }), {
    result: { id: /^sub_/ },
  })
  const start = async (session: string) => {
    const reply = await service.post('/exec', { command: 'touch x', session, background: true })
    return ((await reply.json()) as { id: string }).id
  }
  const other = await start('other')
  const id = await start('build')
  await until(() => eventsAt('/asked').length === 1)
  t.match(bodyOf(eventsAt('/asked')[0]!), { name: 'run.asked', data: { run_id: id, exit_code: null } })
  for (const run of [id, other]) await service.request(`/runs/${run}`, { method: 'DELETE' })
  await unsubscribe('/asked', { session: 'build' }, 'run.asked')
})

t.test('a poll returns the events after its cursor', needsSessions, async (t) => {
  const poll = (more: object = {}, token?: string) => call('events/poll', { name: 'run.ended', ...more }, token)
  const first = (await poll({ arguments: null, cursor: null })).result!
  t.match(first, { events: [], cursor: /^\d+\.\d+$/, truncated: false, hasMore: false, nextPollMs: Number })
  t.match((await poll({ cursor: first['cursor'] })).result, { events: [], cursor: first['cursor'] })
  const ids: string[] = []
  for (const session of ['build', undefined, 'build']) {
    ids.push((await service.exec({ command: 'true', ...(session && { session }) })).id)
  }
  const idsIn = (result: unknown) =>
    (result as { events: { data: { run_id: string } }[] }).events.map(({ data }) => data.run_id)
  const all = (await poll({ cursor: first['cursor'] })).result!
  t.same(idsIn(all), ids)
  t.match(all, { hasMore: false, truncated: false })
  t.match((await poll({ cursor: all['cursor'] })).result, { events: [], cursor: all['cursor'] })
  const part = (await poll({ cursor: first['cursor'], maxEvents: 2 })).result!
  t.match(part, { hasMore: true })
  const rest = (await poll({ cursor: part['cursor'], maxEvents: 2 })).result!
  t.match(rest, { hasMore: false })
  t.same([...idsIn(part), ...idsIn(rest)], ids)
  const inSession = (await poll({ cursor: first['cursor'], arguments: { session: 'build' } })).result!
  t.same(idsIn(inSession), [ids[0], ids[2]])
  t.same(idsIn((await poll({ name: 'run.asked', cursor: first['cursor'] })).result), [])
  const agent = await newToken('poller')
  t.same(idsIn((await poll({ cursor: first['cursor'] }, agent)).result), [], "not another token's runs")
  for (const cursor of ['999.0', '1.999999999']) {
    t.match((await poll({ cursor })).result, { events: [], truncated: true, cursor: all['cursor'] }, cursor)
  }
  const recent = (await poll({ cursor: first['cursor'], maxAgeMs: 0 })).result!
  t.match(recent, { events: [], truncated: true, cursor: all['cursor'] })
})

t.test('a subscription with a cursor gets the events since then, with the ids of a poll', async (t) => {
  const { cursor } = (await call('events/poll', { name: 'run.ended' })).result!
  const { id } = await service.exec({ command: 'true' })
  t.match((await subscribe({ delivery: hook('/since'), cursor })).result, { truncated: false })
  await until(() => eventsAt('/since').length === 1)
  const sent = bodyOf(eventsAt('/since')[0]!)
  t.match(sent, { data: { run_id: id } })
  const { events } = (await call('events/poll', { name: 'run.ended', cursor })).result!
  t.match(events, [{ eventId: sent['eventId'] }])
  await unsubscribe('/since')
  t.match((await subscribe({ delivery: hook('/since'), cursor: '999.0' })).result, { truncated: true })
  t.match((await subscribe({ delivery: hook('/since'), cursor: '999.0' })).result, { truncated: false }, 'live already')
  await unsubscribe('/since')
})

t.test('refuses bad input with the codes of the extension', async (t) => {
  const url = `${base}/hook`
  const rows: [string, string, object, object][] = [
    ['an unknown event', 'events/subscribe', { name: 'run.started' }, { code: -32011, data: { kind: 'event' } }],
    ['an unknown event', 'events/poll', { name: '__proto__' }, { code: -32011, data: { kind: 'event' } }],
    ['an unknown event', 'events/unsubscribe', { name: 'x' }, { code: -32011, data: { kind: 'event' } }],
    ['a name that is a number', 'events/poll', { name: 7 }, { code: -32602 }],
    ['a long name', 'events/poll', { name: 'x'.repeat(65) }, { code: -32602 }],
    ['an unknown argument', 'events/subscribe', { arguments: { severity: 'P1' } }, { code: -32602 }],
    ['arguments that are a list', 'events/subscribe', { arguments: [] }, { code: -32602 }],
    ['arguments that are text', 'events/poll', { arguments: 'build' }, { code: -32602 }],
    ['no name of a session', 'events/subscribe', { arguments: { session: '../x' } }, { code: -32602 }],
    ['no delivery', 'events/subscribe', { delivery: undefined }, { code: -32602 }],
    ['delivery by stream', 'events/subscribe', { delivery: { ...hook(), mode: 'push' } }, { code: -32014 }],
    ['no secret', 'events/subscribe', { delivery: { mode: 'webhook', url } }, { code: -32602 }],
    ['a short secret', 'events/subscribe', { delivery: hook('/hook', `whsec_${'A'.repeat(28)}`) }, { code: -32602 }],
    ['a long secret', 'events/subscribe', { delivery: hook('/hook', `whsec_${'A'.repeat(92)}`) }, { code: -32602 }],
    ['a secret without prefix', 'events/subscribe', { delivery: hook('/hook', 'A'.repeat(32)) }, { code: -32602 }],
    [
      'a secret not in base64',
      'events/subscribe',
      { delivery: hook('/hook', `whsec_${'*'.repeat(40)}`) },
      { code: -32602 },
    ],
    ['no URL', 'events/subscribe', { delivery: { ...hook(), url: 'x' } }, { code: -32602 }],
    ['http', 'events/subscribe', { delivery: { ...hook(), url: 'http://example.com/' } }, { code: -32602 }],
    ['a private address', 'events/subscribe', { delivery: { ...hook(), url: 'https://10.0.0.1/' } }, { code: -32602 }],
    [
      'a name that leads here',
      'events/subscribe',
      { delivery: { ...hook(), url: 'https://localhost/' } },
      { code: -32015 },
    ],
    ['a long URL', 'events/subscribe', { delivery: hook(`/${'x'.repeat(2048)}`) }, { code: -32602 }],
    ['a cursor of another server', 'events/subscribe', { cursor: 'evt_1' }, { code: -32602 }],
    ['a cursor of another server', 'events/poll', { cursor: '-1.5' }, { code: -32602 }],
    ['a negative lifetime', 'events/subscribe', { ttlMs: -1 }, { code: -32602 }],
    ['a lifetime of half a millisecond', 'events/subscribe', { ttlMs: 0.5 }, { code: -32602 }],
    ['no events', 'events/poll', { maxEvents: 0 }, { code: -32602 }],
    ['a negative age', 'events/poll', { maxAgeMs: -1 }, { code: -32602 }],
    ['a stream', 'events/stream', {}, { code: -32601 }],
  ]
  for (const [title, method, params, error] of rows) {
    const whole = { name: 'run.ended', arguments: {}, delivery: hook(), ...params }
    t.match(await call(method, whole), { error }, `${title}: ${method}`)
  }
  const faults = {
    '/silent': 'challenge_failed',
    '/wrong': 'challenge_failed',
    '/text': 'challenge_failed',
    '/null': 'challenge_failed',
    '/long': 'challenge_failed',
    '/moved': 'challenge_failed',
    '/missing': 'http_4xx',
    '/broken': 'http_5xx',
    '/cut': 'connection_refused',
  }
  for (const [path, reason] of Object.entries(faults)) {
    const { error } = await subscribe({ delivery: hook(path) })
    t.match(error, { code: -32015, data: { reason } }, path)
    t.notMatch(JSON.stringify(error), /thanks/, 'nothing of the response')
  }
  t.same(await listed(), [], 'no subscription exists')
})

t.test(
  'a token has at most 8 subscriptions and webhooks, receives only its own runs, and loses all when it is revoked',
  needsSessions,
  async (t) => {
    const token = await newToken('agent')
    const other = await newToken('other')
    const ids = new Set<string>()
    for (let count = 0; count < 8; count++) {
      const { result } = await subscribe({ arguments: { session: `s${count}` }, delivery: hook('/agent') }, token)
      ids.add(result!['id']!)
    }
    t.equal(ids.size, 8)
    const full = await subscribe({ delivery: hook('/agent') }, token)
    t.match(full.error, { code: -32013, data: { limit: 'subscriptions', max: 8 } })
    t.match(
      await subscribe({ arguments: { session: 's0' }, delivery: hook('/agent') }, token),
      { result: {} },
      'renews',
    )
    t.equal(at('/agent').length, 1, 'verified once')
    const put = await service.request('/webhooks/ci', {
      ...{ method: 'PUT', token, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ url: `${base}/agent` }),
    })
    t.equal(put.status, 409)
    const shown = await listed(token)
    t.equal(shown.length, 8)
    const [name] = ids
    t.match(shown[0], { name, session: 's0', expires_at: /^20/, types: ['run.ended'] })
    t.notMatch(JSON.stringify(shown), /whsec_/)
    const changing = await service.request(`/webhooks/${name}`, {
      ...{ method: 'PUT', token, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ url: `${base}/agent` }),
    })
    t.equal(changing.status, 409, 'PUT does not change a subscription')
    t.match(await subscribe({ arguments: { session: 's0' }, delivery: hook('/agent') }, other), { result: {} })
    t.equal(at('/agent').length, 2, "another token's URL is verified again")
    const execAs = async (token: string) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ command: 'true', session: 's0' })
      const reply = await service.request('/exec', { method: 'POST', token, headers, body })
      return ((await reply.json()) as { id: string }).id
    }
    const runs = [await execAs(other), await execAs(token)]
    await until(() => eventsAt('/agent').length === 2)
    const deliveries = eventsAt('/agent').map((one) => [
      one.headers['x-mcp-subscription-id'] === name,
      dataOf(one)['run_id'],
    ])
    t.same(new Set(deliveries.map(String)), new Set([`false,${runs[0]}`, `true,${runs[1]}`]))
    await service.request('/tokens/agent', { method: 'DELETE' })
    t.equal((await call('events/poll', { name: 'run.ended' }, token)).result, undefined)
    t.notMatch(readFileSync(join(service.home, 'webhooks.json'), 'utf8'), new RegExp(name!))
    await service.request('/tokens/other', { method: 'DELETE' })
  },
)

t.test('a subscription outlives a restart', async (t) => {
  t.match(await subscribe({ delivery: hook('/restart') }), { result: {} })
  await service.stop()
  service = await startService({ env, home })
  const { id } = await service.exec({ command: 'true' })
  await until(() => eventsAt('/restart').length === 1)
  t.match(bodyOf(eventsAt('/restart')[0]!), { data: { run_id: id } })
  t.match(await unsubscribe('/restart'), { result: {} })
  t.equal(at('/restart').filter(isChallenge).length, 1)
})
