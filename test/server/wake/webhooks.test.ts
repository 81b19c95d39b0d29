import { createHmac } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { guardedPost } from '../../../src/server/wake/index.ts'
import { isPublicAddress } from '../../../src/server/wake/public-address.ts'
import { OWNER, type Who } from '../../../src/shared/schema/index.ts'
import { noSessions, rejectionOf, type Service, startService, until } from '../../support/helper.ts'
import { agent, createEvents, openAll, openWorld, reply, START_MS, startReceiver } from './webhook-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-webhooks-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const newHome = () => mkdtempSync(join(folder, 'home-'))

const signatureOf = (secret: string, id: string, at: string, body: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${at}.${body}`)
    .digest('base64')}`

t.test('sends a signed event, once', async (t) => {
  const { webhooks, end, receiver } = await openAll(t, newHome(), reply(204))
  const { secret, isNew } = webhooks.put('a', { url: receiver.url }, OWNER)
  t.equal(isNew, true)
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  end('run-1')
  await until(() => webhooks.get('a', OWNER).deliveries[0]?.status === 'delivered')
  t.equal(receiver.received.length, 1)
  const { headers, body, id } = receiver.received[0]!
  t.same(JSON.parse(body), {
    type: 'run.ended',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: { run_id: 'run-1', status: 'completed', exit_code: 0 },
  })
  const at = String(START_MS / 1000)
  t.match(headers, { 'content-type': 'application/json', 'webhook-timestamp': at })
  t.equal(headers['webhook-signature'], signatureOf(secret!, id, at, body))
  const shown = webhooks.get('a', OWNER)
  t.match(shown, { status: 'active', waiting: 0, dropped: 0, types: ['run.asked', 'run.answered', 'run.ended'] })
  t.match(shown.deliveries, [{ id, run_id: 'run-1', tries: 1, response_status: 204, error: null, next_at: null }])
  t.equal(shown.deliveries[0]!.tried_at, new Date(START_MS).toISOString())
  t.notMatch(JSON.stringify(shown), /whsec_/, 'the secret is shown only once')
})

t.test('a changed secret signs together with the old one for 24 h', async (t) => {
  const { webhooks, end, receiver, clock } = await openAll(t, newHome(), reply(200))
  const first = webhooks.put('a', { url: receiver.url }, OWNER).secret!
  t.equal(webhooks.put('a', { url: receiver.url }, OWNER).secret, null, 'another URL keeps the secret')
  const second = webhooks.put('a', { url: receiver.url, rotate_secret: true }, OWNER).secret!
  const signatures = () => {
    const { headers, id, body } = receiver.received.at(-1)!
    const at = headers['webhook-timestamp'] as string
    return { got: headers['webhook-signature'], of: (secret: string) => signatureOf(secret, id, at, body) }
  }
  end('run-1')
  await until(() => receiver.received.length === 1)
  const both = signatures()
  t.equal(both.got, `${both.of(second)} ${both.of(first)}`)
  clock.move(86_400_000)
  end('run-2')
  await until(() => receiver.received.length === 2)
  t.equal(signatures().got, signatures().of(second))
})

t.test('tries seven times over 18 hours, then gives up', async (t) => {
  const { webhooks, end, receiver, clock, logged } = await openAll(t, newHome(), reply(500))
  webhooks.put('a', { url: receiver.url }, OWNER)
  end('run-1')
  const pauses = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000]
  for (const [done, pause] of pauses.entries()) {
    const delivery = () => webhooks.get('a', OWNER).deliveries[0]
    await until(() => delivery()?.tries === done + 1)
    t.match(delivery(), { status: 'waiting', response_status: 500, error: 'the receiver responded with status 500' })
    t.equal(Date.parse(delivery()!.next_at!) - START_MS - clock.now(), pause)
    clock.move(pause - 1)
    t.equal(receiver.received.length, done + 1, 'not earlier')
    clock.move(1)
  }
  await until(() => webhooks.get('a', OWNER).deliveries[0]?.status === 'failed')
  t.match(webhooks.get('a', OWNER), { waiting: 0, status: 'active', deliveries: [{ tries: 7, next_at: null }] })
  t.equal(receiver.received.length, 7)
  t.equal(new Set(receiver.received.map(({ id }) => id)).size, 1, 'with the same id')
  t.match(logged, [/^a webhook failed/])
})

t.test('waits as Retry-After says, but not less than usual and not for ever', async (t) => {
  const header = ['60', '1', '999999999', 'nonsense']
  const { webhooks, end, receiver, clock } = await openAll(t, newHome(), (_one, nth, response) => {
    response.writeHead(503, { 'retry-after': header[nth - 1]! }).end()
  })
  webhooks.put('a', { url: receiver.url }, OWNER)
  end('run-1')
  for (const [index, pause] of [60_000, 300_000, 39_600_000, 7_200_000].entries()) {
    const delivery = () => webhooks.get('a', OWNER).deliveries[0]
    await until(() => delivery()?.tries === index + 1)
    t.equal(Date.parse(delivery()!.next_at!) - START_MS - clock.now(), pause, header[index]!)
    clock.move(pause)
  }
})

t.test('410 ends the webhook until it is put again', async (t) => {
  let status = 410
  const { webhooks, end, receiver } = await openAll(
    t,
    newHome(),
    (_one, _nth, response) => void response.writeHead(status).end(),
  )
  webhooks.put('a', { url: receiver.url }, OWNER)
  end('run-1')
  await until(() => webhooks.get('a', OWNER).status === 'gone')
  end('run-2')
  t.match(webhooks.get('a', OWNER), { waiting: 0, deliveries: [{ run_id: 'run-1', status: 'failed', tries: 1 }] })
  status = 200
  webhooks.put('a', { url: receiver.url }, OWNER)
  end('run-3')
  await until(() => receiver.received.length === 2)
  t.match(
    receiver.received.map(({ body }) => JSON.parse(body).data.run_id),
    ['run-1', 'run-3'],
  )
})

t.test('a receiver that hangs gets 15 s, and does not delay other webhooks', async (t) => {
  const { webhooks, end, receiver, clock } = await openAll(t, newHome(), ({ path }, _nth, response) => {
    if (path === '/hook') response.writeHead(200).end()
  })
  webhooks.put('hangs', { url: `${receiver.url}-hangs` }, OWNER)
  webhooks.put('works', { url: receiver.url }, OWNER)
  for (let run = 0; run < 20; run++) end(`run-${run}`)
  await until(() => webhooks.get('works', OWNER).waiting === 0)
  t.equal(receiver.received.filter(({ path }) => path === '/hook-hangs').length, 2, 'two tries at a time')
  clock.move(15_000)
  await until(() => webhooks.get('hangs', OWNER).deliveries.some(({ tries }) => tries === 1))
  t.match(webhooks.get('hangs', OWNER).deliveries.at(-1), { status: 'waiting', error: 'no response within 15 s' })
})

t.test('follows no redirect', async (t) => {
  const inner = await startReceiver(reply(200))
  t.teardown(() => inner.close())
  const { webhooks, end, receiver } = await openAll(t, newHome(), reply(302, { location: inner.url }))
  webhooks.put('a', { url: receiver.url }, OWNER)
  end('run-1')
  await until(() => webhooks.get('a', OWNER).deliveries[0]?.tries === 1)
  t.match(webhooks.get('a', OWNER).deliveries, [{ response_status: 302, status: 'waiting' }])
  t.equal(inner.received.length, 0)
})

t.test('sends only the events of the types, and of the runs that the token may read', async (t) => {
  const reading: Who = { ...agent, id: 'reading-id', name: 'reading', read: 'all' }
  const { webhooks, end, receiver } = await openAll(t, newHome(), reply(200), [agent, reading])
  webhooks.put('own', { url: `${receiver.url}/own` }, agent)
  webhooks.put('all', { url: `${receiver.url}/all` }, reading)
  webhooks.put('asked', { url: `${receiver.url}/asked`, types: ['run.asked'] }, agent)
  end('of-the-owner')
  end('of-the-agent', agent.id)
  await until(() => receiver.received.length === 3)
  t.same(receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).data.run_id}`).sort(), [
    '/hook/all of-the-agent',
    '/hook/all of-the-owner',
    '/hook/own of-the-agent',
  ])
})

t.test('sends only the runs in its session of its own token', async (t) => {
  const reading: Who = { ...agent, id: 'reading-id', name: 'reading', read: 'all' }
  const { webhooks, end, receiver, home, events } = await openAll(t, newHome(), reply(200), [agent, reading])
  webhooks.put('a', { url: receiver.url, session: 'build' }, reading)
  t.match(webhooks.get('a', reading), { session: 'build' })
  end('of-another-token', agent.id, 'build')
  end('of-no-session', reading.id)
  end('of-another-session', reading.id, 'builds')
  end('of-the-session', reading.id, 'build')
  await until(() => webhooks.get('a', reading).deliveries[0]?.status === 'delivered')
  t.match(webhooks.get('a', reading).deliveries, [{ run_id: 'of-the-session' }])
  const { webhooks: reopened } = openWorld(home, events, [receiver.host], { holders: [agent, reading] })
  t.match(reopened.get('a', reading), { session: 'build' }, 'after a restart')
  webhooks.put('a', { url: receiver.url }, reading)
  t.match(webhooks.get('a', reading), { session: null }, 'a PUT without it sends all again')
  end('of-no-session-2', agent.id)
  await until(() => receiver.received.length === 2)
})

t.test('each token has its own webhooks, at most 8', async (t) => {
  const { webhooks, receiver } = await openAll(t, newHome(), reply(200), [agent])
  for (let count = 1; count <= 8; count++) webhooks.put(`hook-${count}`, { url: receiver.url }, agent)
  t.throws(() => webhooks.put('hook-9', { url: receiver.url }, agent), { code: 'CONFLICT' })
  t.equal(webhooks.put('hook-1', { url: receiver.url }, agent).isNew, false)
  t.equal(webhooks.put('hook-1', { url: receiver.url }, OWNER).isNew, true, 'names are those of the token')
  t.equal(webhooks.list(OWNER).length, 1)
  webhooks.remove('hook-1', OWNER)
  t.throws(() => webhooks.get('hook-1', OWNER), { code: 'NOT_FOUND' })
  t.throws(() => webhooks.remove('hook-1', OWNER), { code: 'NOT_FOUND' })
  t.equal(webhooks.list(agent).length, 8)
})

t.test('deletes the webhooks of a revoked token, with what waits', async (t) => {
  const holders = [agent]
  const { webhooks, end, receiver, home, clock } = await openAll(t, newHome(), reply(500), holders)
  webhooks.put('a', { url: receiver.url }, agent)
  webhooks.put('a', { url: receiver.url, types: ['run.asked'] }, OWNER)
  end('run-1', agent.id)
  await until(() => webhooks.get('a', agent).deliveries[0]?.tries === 1)
  holders.pop()
  webhooks.prune()
  t.same(webhooks.list(agent), [])
  t.equal(webhooks.list(OWNER).length, 1)
  clock.move(86_400_000)
  t.equal(receiver.received.length, 1, 'nothing more is sent')
  t.notMatch(readFileSync(join(home, 'webhooks.json'), 'utf8'), /agent-id/)
})

t.test('at most 1000 events wait, and one token leaves room for others', async (t) => {
  const { webhooks, end, receiver } = await openAll(t, newHome(), () => {}, [agent])
  webhooks.put('a', { url: receiver.url }, agent)
  webhooks.put('a', { url: receiver.url }, OWNER)
  for (let run = 0; run < 600; run++) end(`run-${run}`, agent.id)
  t.match(webhooks.get('a', agent), { waiting: 334, dropped: 266 }, 'beside 600 events of the owner')
  for (let run = 600; run < 1000; run++) end(`run-${run}`, agent.id)
  const [own, others] = [webhooks.get('a', agent), webhooks.get('a', OWNER)]
  t.equal(own.waiting + others.waiting, 1000)
  t.equal(others.waiting + others.dropped, 1000)
})

t.test('what waits outlives a restart, and a queue that was cut off', async (t) => {
  let status = 500
  const { webhooks, events, end, receiver, home, clock } = await openAll(t, newHome(), (_one, _nth, response) => {
    response.writeHead(status).end()
  })
  webhooks.put('a', { url: receiver.url }, OWNER)
  end('run-1')
  await until(() => webhooks.get('a', OWNER).deliveries[0]?.tries === 1)
  await webhooks.close()
  end('while-it-was-stopped')
  appendFileSync(join(home, 'webhook-queue.jsonl'), '{"waiting":{"id":"msg_cut')
  status = 200
  const again = openWorld(home, events, [receiver.host], { clock })
  t.teardown(() => again.webhooks.close())
  again.webhooks.start()
  await until(() => again.webhooks.get('a', OWNER).deliveries.length === 1)
  t.match(again.webhooks.get('a', OWNER), { waiting: 1 }, 'the retry is not due yet')
  clock.move(5_000)
  await until(() => again.webhooks.get('a', OWNER).waiting === 0)
  t.same(
    receiver.received.map(({ body }) => JSON.parse(body).data.run_id),
    ['run-1', 'while-it-was-stopped', 'run-1'],
  )
  t.equal(receiver.received[0]!.id, receiver.received[2]!.id, 'a retry has the same id after a restart')
})

t.test('reports damaged files, and starts without them', async (t) => {
  const home = mkdtempSync(join(folder, 'home-'))
  writeFileSync(join(home, 'webhooks.json'), '{"webhooks":[{"id":1}]}')
  writeFileSync(join(home, 'webhook-queue.jsonl'), 'x\n{"done":1}\n')
  const damaged = openWorld(home, createEvents().events, [])
  t.match(damaged.logged, [/damaged webhooks are ignored/])
  t.same(damaged.webhooks.list(OWNER), [])
})

/** Every kind of address that is not public, as RFC 6890 and its registries list them. */
const inner = [
  ...[
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
  ],
  ...[
    '100.127.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
  ],
  ...[
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
  ],
  ...['64:ff9b:1::1', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::', '2001::1'],
  ...['100::1', 'fec0::1', 'localhost', ''],
]
const outer = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '192.169.0.1', '2606:4700::1111', '2a00:1450::1']

t.test('knows which addresses are public', async (t) => {
  t.same(inner.filter(isPublicAddress), [])
  t.same(
    outer.filter((address) => !isPublicAddress(address)),
    [],
  )
})

const message = { headers: {}, body: '{}' }
const post = (url: string, addresses: string[] = [], hosts: string[] = []) =>
  guardedPost(url, message, hosts, AbortSignal.timeout(60_000), (_name, call) =>
    call(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  )

t.test('refuses a URL to an address that is not public, however it is written', async (t) => {
  const { webhooks } = await openAll(t, newHome(), reply(200))
  const urls = [
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://127.0.0.1:8029/exec',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[fe80::1]/',
    'https://100.64.0.1/',
    'http://example.com/',
    'ftp://example.com/',
    'https://user:password@example.com/',
    'file:///etc/passwd',
    'nonsense',
    '',
  ]
  for (const url of urls) {
    t.throws(() => webhooks.put('a', { url }, OWNER), { code: 'VALIDATION_ERROR', extra: { field: 'url' } }, url)
    t.throws(() => void post(url), { code: 'VALIDATION_ERROR' }, `${url}, when it is sent`)
  }
})

t.test('connects to the address that it has checked, if all addresses of the name are public', async (t) => {
  const hidden = await startReceiver(reply(200))
  t.teardown(() => hidden.close())
  const url = `https://rebinding.example:${hidden.port}/`
  for (const addresses of [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:10.0.0.1'],
  ]) {
    t.match(
      await rejectionOf(post(url, addresses)),
      { message: /has the address .*, which is not public$/ },
      addresses.join(),
    )
  }
  t.match(await rejectionOf(post(url, [])), { message: 'rebinding.example has no address' })
  let lookups = 0
  const abort = new AbortController()
  const sent = guardedPost(url, message, [], abort.signal, (_name, call) => {
    lookups++
    // a name that rebinds is public at first, and leads to this machine when it is resolved again
    call(null, [{ address: lookups === 1 ? '2001:4860::8888' : '127.0.0.1', family: lookups === 1 ? 6 : 4 }])
    setImmediate(() => abort.abort())
  })
  t.ok(await rejectionOf(sent))
  t.equal(lookups, 1, 'it is resolved once')
  t.equal(hidden.received.length, 0)
})

t.test('webhook_hosts allows a host, or only one of its ports', async (t) => {
  const receiver = await startReceiver(reply(204))
  t.teardown(() => receiver.close())
  t.match(await post(receiver.url, [], ['127.0.0.1']), { status: 204 })
  t.match(await post(receiver.url, [], [receiver.host]), { status: 204 })
  t.throws(() => void post(receiver.url, [], [`127.0.0.1:${receiver.port + 1}`]), { code: 'VALIDATION_ERROR' })
  t.throws(() => void post(receiver.url, [], ['127.0.0.2']), { code: 'VALIDATION_ERROR' })
})

const send = (service: Service, method: string, name: string, body?: object, token = service.token) =>
  service.request(`/webhooks/${name}`, {
    ...{ method, token, headers: body ? { 'content-type': 'application/json' } : {} },
    ...(body && { body: JSON.stringify(body) }),
  })

t.test('over HTTP: creates, shows, deletes, and refuses bad input', async (t) => {
  const receiver = await startReceiver(reply(200))
  const service = await startService({ env: { SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]) } })
  t.teardown(async () => {
    await service.stop()
    await receiver.close()
  })
  const { url } = receiver
  const created = await send(service, 'PUT', 'ci', { url })
  t.equal(created.status, 201)
  t.match(await created.json(), { secret: /^whsec_/, webhook: { name: 'ci', url, status: 'active', deliveries: [] } })
  const { id } = await service.exec({ command: 'echo secret; exit 4' })
  await until(() => receiver.received.length === 1)
  t.match(JSON.parse(receiver.received[0]!.body), { type: 'run.ended', data: { run_id: id, exit_code: 4 } })
  t.notMatch(receiver.received[0]!.body, /secret/)
  const changed = await send(service, 'PUT', 'ci', { url, types: ['run.asked'] })
  t.equal(changed.status, 200)
  t.match(await changed.json(), { secret: null, webhook: { types: ['run.asked'] } })
  t.match(await (await service.request('/webhooks')).json(), { webhooks: [{ name: 'ci' }] })
  for (const [name, body] of [
    ['..%2Fx', { url }],
    [`${'x'.repeat(65)}`, { url }],
    ['a', {}],
    ['a', { url: 'https://169.254.169.254/' }],
    ['a', { url: `https://example.com/${'x'.repeat(2048)}` }],
    ['a', { url, types: [] }],
    ['a', { url, types: ['run.started'] }],
    ['a', { url, secret: 'whsec_' }],
  ] as const) {
    const refused = await send(service, 'PUT', name, body)
    t.equal(refused.status, 400, `${name} ${JSON.stringify(body).slice(0, 80)}`)
    const { error } = (await refused.json()) as { error: { message: string } }
    if (name.length > 1)
      t.match(error.message, /expected a name of 1 to 64 letters, digits, '\.', '_' and '-' that starts /)
  }
  t.equal((await send(service, 'GET', 'other')).status, 404)
  t.equal((await send(service, 'DELETE', 'ci')).status, 204)
  t.equal((await send(service, 'GET', 'ci')).status, 404)
})

t.test(
  'over HTTP: sends the approval request and the end of a run in the session, and refuses bad names',
  async (t) => {
    const receiver = await startReceiver(reply(200))
    const env = { SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]), SHELLPHONE_AUTONOMY: 'supervised' }
    const service = await startService({ env })
    t.teardown(() => Promise.all([service.stop(), receiver.close()]))
    const missing = await noSessions(service)
    if (missing !== null) return void t.pass('sessions', { skip: missing })
    for (const session of ['', '..', 'a/b', 'x'.repeat(65), 'two words', 7, null]) {
      const refused = await send(service, 'PUT', 'ci', { url: receiver.url, session })
      t.equal(refused.status, 400, JSON.stringify(session))
    }
    const created = await send(service, 'PUT', 'ci', { url: receiver.url, session: 'build' })
    t.match(await created.json(), { webhook: { session: 'build' } })
    await service.exec({ command: 'true', session: 'other' })
    await service.exec({ command: 'true' })
    const asking = await service.post('/exec', { command: 'touch x', session: 'build', background: true })
    const { id } = (await asking.json()) as { id: string }
    await until(() => receiver.received.length === 1)
    t.match(JSON.parse(receiver.received[0]!.body), { type: 'run.asked', data: { run_id: id } })
    await service.request(`/runs/${id}`, { method: 'DELETE' })
    await until(() => receiver.received.length === 3)
    t.same(new Set(receiver.received.map(({ body }) => JSON.parse(body).data.run_id)), new Set([id]))
  },
)

t.test(
  'over HTTP: only a token that reads all lists the webhooks of others, and revoking a token deletes its own',
  async (t) => {
    const receiver = await startReceiver(reply(200))
    const service = await startService({ env: { SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]) } })
    t.teardown(async () => {
      await service.stop()
      await receiver.close()
    })
    const { token } = (await (await service.post('/tokens', { name: 'agent' })).json()) as { token: string }
    t.equal((await send(service, 'PUT', 'ci', { url: receiver.url }, token)).status, 201)
    t.equal((await send(service, 'GET', 'ci')).status, 404, 'another token does not see it')
    t.same(await (await service.request('/webhooks')).json(), { webhooks: [] }, 'nor does its list')
    const all = await (await service.request('/webhooks?all=true')).text()
    const shown = { name: 'ci', token: 'agent', url: new URL(receiver.url).origin }
    t.match(JSON.parse(all), { webhooks: [shown] }, 'unless a token that reads all wants all, without the path')
    t.notMatch(all, /whsec_/, 'without the secret')
    const refused = await service.request('/webhooks?all=true', { token })
    t.equal(refused.status, 403)
    t.match(await refused.json(), { error: { type: 'forbidden', message: /read: all.*omit all=true/ } })
    t.equal((await service.request('/webhooks?all=yes')).status, 400)
    t.equal((await send(service, 'DELETE', 'ci')).status, 404, 'nobody else deletes it')
    await service.request('/tokens/agent', { method: 'DELETE' })
    t.same(JSON.parse(readFileSync(join(service.home, 'webhooks.json'), 'utf8')), { webhooks: [] })
  },
)
