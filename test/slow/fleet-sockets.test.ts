import { once } from 'node:events'
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { headers } from '@nats-io/transport-node'
import t from 'tap'
import { WebSocket } from 'ws'
import { callsOf, HEAD_HEADER } from '../../src/shared/schema/index.ts'
import { connect, type SocketClass } from '../../src/sdk/index.ts'
import { packMessage } from '../../src/shared/transport/index.ts'
import { noTerminals, openSocket, processesWith, soon, spawnBeside, until, wants } from '../support/helper.ts'
import { intervalsOf } from '../support/intervals.ts'
import { linkProxy } from '../support/link-proxy.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, enrol, fleetCli, startPlane } from '../support/plane.ts'
import { commandOnEachSocket } from '../support/plane-floods.ts'

wants(t, noBroker)

const broker = await startBroker()
const plane = await startPlane(broker)
const link = await linkProxy(Number(new URL(broker.url).port))
const far = { ...broker, url: `nats://127.0.0.1:${link.port}` }
const env = {
  SHELLPHONE_POLICY: 'open',
  SHELLPHONE_TERMINAL: 'on',
  SHELLPHONE_TIMEOUT_SECONDS: '600',
  SHELL: '/bin/sh',
}
const pixel = await addPhone(plane, far, 'pixel', { labels: ['lab=berlin'], env })
const careful = await addPhone(plane, broker, 'careful', { env: { SHELLPHONE_POLICY: 'supervised' } })
await enrol(plane, 'asleep', ['lab=berlin'])
const skipTerminal = (await noTerminals(pixel)) ?? false
t.teardown(async () => {
  await Promise.all([pixel.stop(), careful.stop()])
  await plane.close()
  link.close()
  await broker.stop()
})

const MIB = 1_048_576
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const at = (name: string) => `${plane.url}/phones/${name}`
const socketTo = (name: string, token = plane.file.token) => openSocket(at(name), token)
const phoneAt = (name: string, token = plane.file.token) =>
  connect({ url: at(name), token, WebSocket: WebSocket as SocketClass })
const cli = fleetCli(plane.url, plane.file.token, t.testdir())
const run = (...args: string[]) => cli.start(['run', '--on', 'fleet/pixel', ...args]).ended

/** The close code and reason of a socket, and the messages before them. */
async function closing(raw: WebSocket) {
  const received: string[] = []
  raw.on('message', (data) => received.push(String(data)))
  const [code, reason] = await soon(once(raw, 'close'))
  return { code, reason: String(reason), received: received.map((text) => JSON.parse(text)) }
}

t.test("a phone's own WebSocket", async (t) => {
  const socket = await socketTo('pixel')
  t.match(await soon(socket.exec('a', { command: 'echo hi; exit 3' })), {
    status: 'failed',
    exit_code: 3,
    stdout: 'hi\n',
  })
  socket.send({ type: 'ping' })
  t.ok(await soon(socket.next(({ type }) => type === 'pong')))
  socket.send({ type: 'nonsense', ref: 'b' })
  t.match(await soon(socket.next(({ ref }) => ref === 'b')), { type: 'error', error: { type: 'validation_error' } })
  t.match(
    await soon(socket.exec('c', { command: `echo ${'x'.repeat(900_000)} | wc -c` })),
    { stdout: '900001\n' },
    'a long message',
  )
  const many = Array.from({ length: 20 }, (_, n) => soon(socket.exec(`m${n}`, { command: `echo ${n}` })))
  t.same(
    (await Promise.all(many)).map(({ stdout }) => stdout),
    many.map((_, n) => `${n}\n`),
  )
  await socket.close()
})

t.test('opens a WebSocket only for valid tokens and reachable phones', async (t) => {
  const agent = await plane.token('berlin', 'agent', 'lab=berlin')
  const auth = (token: string) => JSON.stringify({ type: 'auth', token })
  /** [phone, token in the header, first message, close code, reason, error types] */
  const rows: [string, string | null, string | null, number, RegExp, string[]][] = [
    ['pixel', 'wrong', null, 1008, /^unauthorized: /, ['unauthorized']],
    ['pixel', null, auth('wrong'), 1008, /^unauthorized: /, ['unauthorized']],
    ['pixel', null, '{"type":"ping"}', 1008, /^unauthorized: /, ['unauthorized']],
    ['pixel', null, 'x'.repeat(5_000), 1006, /^$/, []],
    ['nobody', plane.file.token, null, 1008, /^not_found: /, ['not_found']],
    ['careful', agent, null, 1008, /^not_found: /, ['not_found']],
    ['asleep', agent, null, 1013, /^phone_offline: asleep is not connected/, []],
    ['asleep', null, auth(agent), 1013, /^phone_offline: /, []],
  ]
  for (const [name, token, first, code, reason, received] of rows) {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
    const raw = new WebSocket(`${at(name).replace('http', 'ws')}/ws`, { headers })
    raw.on('error', () => {})
    if (first !== null) raw.on('open', () => raw.send(first))
    const end = await closing(raw)
    t.match(end, { code, reason }, `${name} ${token} ${first?.slice(0, 40)}`)
    t.same(
      end.received.map(({ error }) => error.type),
      received,
    )
  }
  t.equal((await plane.request('/phones/pixel/ws')).status, 400, 'no upgrade')
  const elsewhere = new WebSocket(`${plane.url.replace('http', 'ws')}/phones`, {
    headers: { authorization: `Bearer ${plane.file.token}` },
  })
  t.match((await soon(once(elsewhere, 'error')))[0].message, /404/)
  await plane.request('/tokens/berlin', { method: 'DELETE' })
})

t.test('an agent cannot answer approvals; a person can', async (t) => {
  const agent = await socketTo('careful', await plane.token('robot', 'agent'))
  const person = await socketTo('careful', await plane.token('ann', 'person'))
  person.send({ type: 'watch_approvals', ref: 'w' })
  const file = join(t.testdir(), 'x')
  const ended = agent.exec('a', { command: `touch ${file}` })
  const { approval } = (await soon(person.next(({ type }) => type === 'approval_requested'))) as any
  t.match(approval.command, /^touch/)
  agent.send({ type: 'watch_approvals', ref: 'w' })
  agent.send({ type: 'approval', ref: 'yes', id: approval.id, decision: 'approve', by: 'ann' })
  for (const ref of ['w', 'yes']) {
    t.match(
      await soon(agent.next((message) => message.ref === ref)),
      { type: 'error', error: { type: 'forbidden' } },
      ref,
    )
  }
  t.match((await plane.get('/phones/careful/approvals')).approvals, [{ id: approval.id }], 'it is still pending')
  person.send({ type: 'approval', id: approval.id, decision: 'approve' })
  t.match(await soon(ended), {
    status: 'completed',
    token: 'fleet/robot',
    approval: { outcome: 'approved', how: 'websocket' },
  })
  await Promise.all([agent.close(), person.close()])
})

t.test('shellphone run works as with one phone', async (t) => {
  t.match(await run('echo out; echo err >&2; exit 7'), { code: 7, err: 'err\n' })
  t.match(await run('kill -9 $$'), { code: 137 })
  const bytes = randomBytes(MIB)
  const { out, code } = await cli.start(['run', '--on', 'fleet/pixel', 'cat; exit 4'], bytes).ended
  t.equal(code, 4)
  t.equal(sha256(out), sha256(bytes), '1 MiB in and out')
  const sleeping = cli.start(
    ['run', '--on', 'fleet/pixel', 'trap "echo caught; exit 9" INT; echo up; sleep 600 & wait'],
    null,
  )
  t.ok(await until(() => sleeping.out().includes('up')))
  sleeping.child.kill('SIGINT')
  t.match(await sleeping.ended, { code: 9, out: Buffer.from('up\ncaught\n') }, 'Ctrl-C is the command’s')
  t.match(await cli.start(['run', '--on', 'fleet/asleep', 'true']).ended, { code: 255, err: /asleep is not connected/ })
  t.match(await cli.start(['run', '--on', 'fleet/nobody', 'true']).ended, {
    code: 255,
    err: /can see no phone with the name nobody/,
  })
})

t.test('sends every byte once despite 10 cuts between the phone and the broker', async (t) => {
  const file = join(t.testdir(), 'bytes')
  const sent = randomBytes(6 * MIB)
  writeFileSync(file, sent)
  const { child, ended } = cli.start(['run', '--on', 'fleet/pixel', `cat ${file}; exit 5`])
  let [bytes, cuts] = [0, 0]
  child.stdout!.on('data', (chunk) => {
    bytes += chunk.length
    if (cuts >= 10 || bytes < (cuts + 1) * (MIB / 2)) return
    cuts += 1
    link.cut()
  })
  const { code, out } = await ended
  t.equal(code, 5)
  t.equal(cuts, 10)
  t.equal(sha256(out), sha256(sent))
})

t.test('logs -f and watch follow a run across a cut', async (t) => {
  const file = join(t.testdir(), 'open')
  const { out } = await run('-d', `echo begun; until [ -e ${file} ]; do sleep 0.1; done; echo done`)
  const id = String(out).trim()
  const logs = cli.start(['logs', '--on', 'fleet/pixel', id, '-f'])
  t.ok(await until(() => logs.out().includes('begun')))
  link.cut()
  writeFileSync(file, '')
  t.match(String((await logs.ended).out), /begun\ndone\n/)
  const events = phoneAt('pixel').watch().events()
  t.match((await soon(events.next())).value, { type: 'connected' })
  const quick = run('echo seen')
  for (let seen = false; !seen;) {
    const { value } = await soon(events.next())
    seen = value?.type === 'run' && value.run.command === 'echo seen' && value.run.status === 'completed'
  }
  t.match(await quick, { code: 0 })
  await events.return()
})

t.test('a terminal passes its size and keys and can be attached again', { skip: skipTerminal }, async (t) => {
  const first = await phoneAt('pixel').run('exec sh', { tty: { rows: 33, columns: 91 } })
  let text = ''
  const reading = (async () => {
    for await (const { bytes } of first.output()) text += Buffer.from(bytes).toString()
  })()
  await first.write('stty size\r')
  t.ok(await until(() => /33 91\r/.test(text)), text)
  await first.resize({ rows: 20, columns: 50 })
  await first.write('stty size\r')
  t.ok(await until(() => /20 50\r/.test(text)), text)
  const sleep = `sleep 600.${process.pid}`
  await first.write(`${sleep}\r`)
  t.ok(await until(() => processesWith(sleep).length > 0))
  await first.write('\x03')
  t.ok(await until(() => processesWith(sleep).length === 0), 'Ctrl-C')
  link.cut()
  await first.write('X=kept; echo "<$X>"\r')
  t.ok(await until(() => text.includes('<kept>')), text)
  first.leave()
  await reading
  const line = `stty rows 40 cols 100; ${process.execPath} dist/main.js shell --on fleet/pixel --attach ${first.id}; echo "code $?"`
  const shell = spawnBeside('script', ['-qec', line, '/dev/null'], { env: cli.env })
  t.teardown(() => shell.kill('SIGKILL'))
  let seen = ''
  shell.stdout.on('data', (chunk) => (seen += chunk))
  t.ok(await until(() => seen.includes('<kept>')), seen)
  shell.stdin.write('stty size; echo "[$X]"; exit 3\r')
  t.ok(await until(() => seen.includes('code 3')), seen)
  t.match(seen, /40 100\r+\n\[kept\]/)
})

t.test('closes the connection of a revoked token or phone at once', async (t) => {
  const token = await plane.token('gone', 'agent')
  const [bySecret, byPhone] = [await socketTo('pixel', token), await socketTo('careful')]
  for (const { send, next } of [bySecret, byPhone]) {
    send({ type: 'ping' })
    await soon(next(({ type }) => type === 'pong'))
  }
  for (const [path, { raw }, type] of [
    ['/tokens/gone', bySecret, 'unauthorized'],
    ['/enrolled/careful', byPhone, 'not_found'],
  ] as const) {
    const closed = closing(raw)
    t.ok((await plane.request(path, { method: 'DELETE' })).ok)
    t.match(await closed, { code: 1008, reason: new RegExp(`^${type}: `), received: [{ error: { type } }] })
  }
})

t.test('disconnects only a client that does not answer pings', async (t) => {
  const heartbeat = intervalsOf(t, 20_000)
  const open = async (autoPong: boolean) => {
    const headers = { authorization: `Bearer ${plane.file.token}` }
    const raw = new WebSocket(`${at('pixel').replace('http', 'ws')}/ws`, { headers, autoPong })
    await once(raw, 'open')
    return raw
  }
  const [answering, silent] = [await open(true), await open(false)]
  const [closed, asked] = [once(silent, 'close'), once(answering, 'ping')]
  heartbeat()
  await soon(asked)
  const isAnswered = () => {
    answering.ping() // sent after its pong
    return soon(once(answering, 'pong'))
  }
  await isAnswered()
  heartbeat()
  t.equal((await soon(closed))[0], 1006)
  await isAnswered()
  t.equal(answering.readyState, WebSocket.OPEN)
  answering.terminate()
})

t.test('reports a phone that stops responding and resumes when it is back', async (t) => {
  const socket = await socketTo('pixel')
  t.match(await soon(socket.exec('a', { command: 'true' })), { status: 'completed' })
  const file = join(t.testdir(), 'open')
  const command = `echo before; until [ -e ${file} ]; do sleep 0.1; done; for i in 1 2 3; do echo $i; done; exit 6`
  const running = cli.start(['run', '--on', 'fleet/pixel', command])
  t.ok(await until(() => running.out().includes('before')))
  link.freeze(true)
  t.match(await closing(socket.raw), { code: 1013, reason: /^phone_silent: pixel / })
  link.cut()
  link.freeze(false)
  writeFileSync(file, '')
  t.match(await running.ended, { code: 6, out: Buffer.from('before\n1\n2\n3\n') })
})

t.test('closes the WebSocket on malformed messages of a phone', async (t) => {
  const nc = await broker.connectAs(await enrol(plane, 'fake'))
  t.teardown(() => nc.close())
  const opened = { channel: 'x', status: 101, headers: {} }
  const kind = (bytes: number[], text = '') => Buffer.concat([Buffer.from(bytes), Buffer.from(text)])
  /** [case, head of the part, its bytes, close code, reason] */
  const rows: [string, object, Buffer, number, RegExp][] = [
    [
      'a message of 2 GiB',
      opened,
      kind([0, 127, 255, 255, 255]),
      1013,
      /^execution_error: .*expected at most 16777216/,
    ],
    ['an invalid close message', opened, kind([2, 0, 0, 0, 4], 'null'), 1013, /^execution_error: /],
    ['a close code that must not be sent', opened, packMessage({ code: 1006, reason: 'x' }), 1011, /^x$/],
    [
      'a refusal',
      { status: 503 },
      Buffer.from('{"error":{"type":"pool_full","message":"no"}}'),
      1013,
      /^pool_full: no/,
    ],
    ['a refusal without a message', { status: 400 }, Buffer.from('no'), 1013, /^execution_error: .*HTTP 400/],
    ['a part out of order', { part: 3 }, Buffer.alloc(0), 1013, /^phone_garbled: /],
  ]
  let row: (typeof rows)[number] = rows[0]!
  nc.subscribe(callsOf('fake'), {
    callback: (_error, message) => {
      const { call } = JSON.parse(message.headers!.get(HEAD_HEADER))
      const carried = headers()
      carried.set(HEAD_HEADER, JSON.stringify({ call, part: 0, end: 'more', ...row[1] }))
      message.respond(row[2], { headers: carried })
    },
  })
  await nc.flush()
  for (row of rows) {
    const { raw } = await socketTo('fake')
    t.match(await closing(raw), { code: row[3], reason: row[4] }, row[0])
  }
})

t.test('24 sockets of one phone', (t) =>
  commandOnEachSocket(t, { plane, name: 'pixel', phone: pixel, count: 24, mostLeft: 10 }),
)
