import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { AUTH_DEADLINE_MS } from '../../../src/http/index.ts'
import { openSocket, root, type Service, soon, startService, until, withoutTimersOf } from '../../support/helper.ts'
import { closed, frame, isClosed, MiB, openMany, openRaw, openRawWebSocket, pour } from '../../support/raw-client.ts'

const service = await startService({
  node: withoutTimersOf(AUTH_DEADLINE_MS), // so that the deadline disconnects no client here
  env: { SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100000' },
})
const narrow = await startService({
  env: { SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '20', SHELLPHONE_MAX_CONNECTIONS: '20' },
})
t.teardown(() => Promise.all([service.stop(), narrow.stop()]))

/** Opens WebSockets without a token, which send nothing, until there are `count`. */
async function openStrangers(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n += 32) {
    sockets.push(...(await Promise.all(Array.from({ length: 32 }, () => openRawWebSocket(port)))))
  }
  return sockets
}

/** Status of GET `path` over its own connection, or over the agent's. */
function get(service: Service, path: string, token: string | null, agent?: Agent): Promise<number> {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const options = { host: '127.0.0.1', port: service.port, path, headers: authorization, agent: agent ?? false }
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
      .on('error', reject)
      .end()
  })
}

/** Sends wrong tokens until one is throttled: immediately, or after a few more on a slow machine. Returns the last status. */
async function burst(service: Service, path: string, agent?: Agent): Promise<number> {
  let status = 401
  for (let n = 0; status === 401 || status === 404; n++) status = await get(service, path, `wrong${n}`, agent)
  return status
}

t.test('the owner can connect despite 1024 unauthenticated WebSockets', async (t) => {
  await (await service.socket()).close()
  const before = service.rssBytes()
  const strangers = await openStrangers(service.port, 1024)
  t.hasStrict(await service.exec({ command: 'echo in' }), { stdout: 'in\n' })
  for (const token of [service.token, null]) {
    const owner = await openSocket(service.url, token)
    if (token === null) owner.send({ type: 'auth', token: service.token })
    t.hasStrict(await owner.exec('a', { command: 'echo in' }), { stdout: 'in\n' })
    await owner.close()
  }
  t.ok(await until(() => strangers.filter((socket) => !isClosed(socket)).length <= 4), 'four at most stay')
  const grown = (service.rssBytes() - before) / 1_048_576
  t.ok(grown < 64, `memory grew by ${grown.toFixed(0)} MiB`)
  for (const socket of strangers) socket.destroy()
})

t.test('closes the connection at once if the first frame is not auth', async (t) => {
  const auth = JSON.stringify({ type: 'auth', token: service.token })
  const afterWrong = Buffer.concat([frame(1, '{"type":"auth","token":"x"}'), frame(1, auth)])
  /** [name, bytes sent, whether a response gives the reason] */
  const rows: [string, Buffer, boolean][] = [
    ['binary', frame(2, auth), false],
    ['a ping', frame(9), false],
    ['a flood of pings, then auth', Buffer.concat([...Array(5000).fill(frame(9)), frame(1, auth)]), false],
    ['5000 bytes of text', frame(1, 'x'.repeat(5000)), false],
    ['auth in 5000 bytes', frame(1, `${auth}${' '.repeat(5000)}`), false],
    ['the beginning of 8 MiB', frame(1, 'x'.repeat(5000), 8_388_608), false],
    ['a wrong token', frame(1, '{"type":"auth","token":"wrong"}'), true],
    ['a wrong token, then the right one', afterWrong, true],
  ]
  for (const [name, bytes, says] of rows) {
    const socket = await openRawWebSocket(service.port)
    const end = closed(socket)
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    socket.write(bytes)
    socket.write(frame(1, '{"type":"ping"}'))
    await soon(end)
    t.equal(received.includes('unauthorized'), says, name)
    t.notMatch(received, /pong/, `${name}: nothing was served`)
  }
})

t.test('accepts a large message right after a valid auth', async (t) => {
  const socket = await openSocket(service.url, null)
  socket.send({ type: 'auth', token: service.token })
  t.hasStrict(await socket.exec('a', { command: 'wc -c', stdin: 'x'.repeat(1_000_000) }), { stdout: '1000000\n' })
  await socket.close()
})

t.test('closes the connection of an upgrade that it refuses', async (t) => {
  const socket = await openRawWebSocket(service.port, 'wrong')
  t.teardown(() => socket.destroy())
  t.ok(await until(() => socket.destroyed))
})

t.test('a route without a token accepts only a small body', async (t) => {
  const code = 'x'.repeat(64)
  for (const path of ['/pair', '/approvals/press/x']) {
    const reply = (body: string | ReadableStream, duplex = {}) => {
      const headers = { 'content-type': 'application/json' }
      return service.request(path, { method: 'POST', token: null, headers, body, ...duplex })
    }
    const post = async (body: string | ReadableStream, duplex = {}) => (await reply(body, duplex)).status
    const small = await post(JSON.stringify({ code, name: 'n'.repeat(63) }))
    t.equal(small, 401, `POST ${path}: a code that is none`)
    const large = JSON.stringify({ code, name: 'n'.repeat(5000) })
    t.equal(await post(large), 413, `POST ${path}: 5 kB`)
    const { error } = (await (await reply(large)).json()) as { error: { message: string } }
    t.equal(error.message, 'body: expected at most 4096 bytes, got more', 'the limit that applies')
    t.equal(await post(new Blob([large]).stream(), { duplex: 'half' }), 413, `POST ${path}: 5 kB in chunks`)
  }
})

t.test('disconnects a client that keeps sending after a refusal, and one that sends a byte at a time', async (t) => {
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(10_000))
  for (const [path, token] of [
    ['/exec', 'wrong'],
    ['/pair', null],
    ['/exec', service.token],
  ] as const) {
    const shown = token === null ? '' : `Authorization: Bearer ${token}\r\n`
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${shown}`
    const socket = await openRaw(service.port, `${head}Transfer-Encoding: chunked\r\n\r\n`)
    if (token === 'wrong') t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 401 /)
    const poured = await pour(socket, chunks, 64 * MiB)
    t.ok(await until(() => isClosed(socket)), `POST ${path}: cut, having written ${poured} bytes`)
  }
  t.hasStrict(await service.exec({ command: 'echo served' }), { stdout: 'served\n' })
})

t.test('data that unauthenticated clients leave unread takes no memory from callers', async (t) => {
  const { id } = await service.exec({ command: 'head -c 1048576 /dev/zero', max_length: 10 })
  const name = readdirSync(join(root, 'dist/page')).find((name) => name.startsWith('terminal-screen.'))!
  const ask = `GET /page/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(40)
  const before = service.descriptors().length
  const held = await openMany(100, () => openRaw(service.port, ask))
  const stay = () => service.descriptors().length - before
  t.ok(await until(() => stay() < 100), `of 100 that read nothing of 40 times ${name}, ${stay()} stay`)
  const output = await (await service.request(`/runs/${id}/output`)).arrayBuffer()
  t.equal(output.byteLength, MiB, 'the owner is answered while they stay')
  t.ok(stay() > 0, 'they do stay')
  for (const socket of held) socket.destroy()
})

t.test('connections without a token never displace the owner’s', async (t) => {
  const service = narrow
  const held = await Promise.all(Array.from({ length: 100 }, (_, n) => openRaw(service.port, n % 2 ? 'GET / HT' : '')))
  for (let n = 0; n < 5; n++) t.equal(await get(service, '/runs', service.token), 200, 'a new connection of the owner')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.equal(await get(service, '/runs', service.token, agent), 200)
  const free = () => Object.values(agent.freeSockets).flat()
  t.ok(await until(() => free().length === 1))
  const [own] = free()
  for (let n = 0; n < 100; n++) held.push(await openRaw(service.port))
  t.equal(await get(service, '/runs', service.token, agent), 200, 'one that it has')
  t.notOk(own?.destroyed, 'it was never cut')
  agent.destroy()
  for (const socket of held) socket.destroy()
})

t.test('a burst of wrong tokens does not block a valid one', async (t) => {
  const service = narrow
  const { token } = service
  const named = ((await (await service.post('/tokens', { name: 'named' })).json()) as { token: string }).token
  for (const path of ['/runs', '/%zz', '/health', '/no-such', '/runs?token=x']) {
    t.equal(await burst(service, path), 429, `wrong tokens at ${path}`)
    for (const right of ['/runs', '/health']) {
      t.equal(await get(service, right, token), 200, `the owner's in the same burst, at ${right}`)
      t.equal(await get(service, right, named), 200, `a named one, at ${right}`)
    }
    t.equal(await get(service, '/%zz', token), 404, 'and at a path that is none')
    t.equal(await get(service, '/health', null), 200, 'nor who shows none')
  }
  const socket = await openSocket(service.url, null)
  socket.send({ type: 'auth', token })
  t.hasStrict(await socket.exec('a', { command: 'echo hi' }), { stdout: 'hi\n' }, 'over WebSocket')
  await socket.close()
  const { code } = (await (await service.post('/pairing', {})).json()) as { code: string }
  const pair = { method: 'POST', token: null, headers: { 'content-type': 'application/json' } }
  const paired = await service.request('/pair', { ...pair, body: JSON.stringify({ code, name: 'paired' }) })
  t.equal(paired.status, 201, 'and a pairing code holds')
  t.ok(await until(async () => (await get(service, '/runs', 'wrong')) === 401), 'after the burst one more is looked at')
})

t.test('a token short enough to be guessed is throttled with its address', async (t) => {
  const env = { SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '20', SHELLPHONE_TOKEN: 'too-short' }
  const service = await startService({ env })
  t.teardown(() => service.stop())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  t.equal(await get(service, '/runs', service.token, agent), 200)
  const short = async () => {
    await burst(service, '/runs')
    return get(service, '/runs', service.token)
  }
  t.ok(await until(async () => (await short()) === 429))
  t.equal(await get(service, '/runs', service.token, agent), 200, 'where it was shown before it is not throttled')
})

t.test('throttles wrong tokens on a connection that has shown a valid one', async (t) => {
  const service = narrow
  const { token } = (await (await service.post('/tokens', { name: 'few' })).json()) as { token: string }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  t.equal(await get(service, '/runs', token, agent), 200)
  t.equal(await burst(service, '/runs', agent), 429)
  t.equal(await get(service, '/runs', token, agent), 200, 'the right one passes')
})

t.test('the log holds no query and no stack', async (t) => {
  const mark = 'marked-query-7401'
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const headers = { ...upgrade, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
  for (const path of ['/health', '/ws', '/exec', '/nowhere', '/%zz']) {
    const asked = request({ host: '127.0.0.1', port: service.port, path: `${path}?token=${mark}`, headers }).end()
    asked.on('error', () => {})
    await Promise.race([once(asked, 'upgrade'), once(asked, 'response'), once(asked, 'error')])
    asked.destroy()
  }
  for (const token of [undefined, service.token]) {
    for (const bytes of [
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      frame(1, Buffer.from([0xff])),
      frame(3),
      frame(1, '', 2 ** 40),
    ]) {
      const socket = await openRawWebSocket(service.port, token)
      socket.write(bytes)
      await soon(closed(socket))
      socket.destroy()
    }
  }
  await service.exec({ command: 'true' })
  t.ok(await until(() => service.log.some((line) => line.includes('"ran"'))))
  const log = service.log.join('\n')
  t.same(
    service.log.filter((line) => line.includes(mark)),
    [],
    'no query',
  )
  t.notMatch(log, /stack|node_modules|at .*\.js/, 'no stack')
})
