import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { callSubject, type CallHead, HEAD_HEADER } from '../../src/shared/schema/index.ts'
import { createNonces } from '../../src/fleet/phone/nonces.ts'
import { createUnpacker, packMessage } from '../../src/shared/transport/index.ts'
import { HANG_MS, until, wants } from '../support/helper.ts'
import {
  type CallResponse,
  ask,
  type CallOptions,
  exec,
  linkOf,
  type Phone,
  rejoin,
  signingKey,
  startPhone,
} from '../support/fleet.ts'
import { type Broker, noBroker, startBroker } from '../support/nats.ts'

wants(t, noBroker)

let broker: Broker
let plane: NatsConnection
let phone: Phone
const home = mkdtempSync(join(tmpdir(), 'shellphone-fleet-'))
t.before(async () => {
  broker = await startBroker()
  plane = await broker.connect('plane', 'plane')
  phone = await startPhone(broker, { home, env: { SHELLPHONE_MAX_RUNNING: '32' } })
})
t.teardown(async () => {
  await phone.stop()
  await broker.stop()
  rmSync(home, { recursive: true, force: true })
})

/** A command that waits until `open` is called and then runs `after`. */
function gate(folder: string, name: string, after: string) {
  const file = join(folder, name)
  const command = `until [ -e ${file} ]; do sleep 0.05; done; ${after}`
  return { body: { command, timeout_seconds: 600 }, open: () => writeFileSync(file, '') }
}

const typeOf = (answer: CallResponse) => answer.json().error?.type
const post = (path: string, body: object, more: CallOptions = {}): CallOptions => ({
  ...{ callClass: 'run', method: 'POST', path, body: JSON.stringify(body), ...more },
  headers: { 'content-type': 'application/json', ...more.headers },
})
const runsThat = async (text: string) =>
  (await ask(plane, phone.name, { callClass: 'answer', path: `/runs?q=${encodeURIComponent(text)}` })).json().runs

t.test('runs commands as JSON, text, bytes, by dialect and with own credentials', async (t) => {
  const record = await exec(plane, phone.name, { command: 'echo out; echo err >&2; exit 3' }, { by: 'codex' })
  t.hasStrict(record.json(), { status: 'failed', exit_code: 3, stdout: 'out\n', stderr: 'err\n', token: 'fleet/codex' })
  t.hasStrict([record.status, record.end, record.parts.length], [200, 'eof', 1], 'a small response is one part')
  t.equal(record.headers['exit-code'], '3')
  const text = await exec(plane, phone.name, { command: 'echo on' }, { headers: { accept: 'text/plain' } })
  t.equal(text.body.toString(), '[Exit Code: 0]\non\n')
  const dialect = await ask(plane, phone.name, post('/exec/picoclaw', { command: 'echo on' }))
  t.match(dialect.body.toString(), /on/)
  const bytes = { accept: 'application/octet-stream' }
  const raw = await exec(plane, phone.name, { command: 'printf abc; exit 4' }, { headers: bytes })
  t.hasStrict([raw.body.toString(), raw.trailers['exit-code']], ['abc', '4'], 'trailers are passed on')
  const agent = await broker.connect('agent', 'codex')
  const own = await exec(agent, phone.name, { command: 'true' }, { caller: 'codex' })
  t.hasStrict(
    own.json(),
    { status: 'completed', token: 'fleet/codex' },
    'an agent with credentials is the caller in its subject',
  )
  t.equal((await ask(plane, phone.name)).json().status, 'ok')
  t.equal((await ask(plane, phone.name, { method: 'HEAD', path: '/health' })).status, 200)
})

t.test('refuses invalid calls with an error before they reach the service', async (t) => {
  const agent = await broker.connect('agent', 'a1')
  const rows: [string, CallOptions, number, string, NatsConnection?][] = [
    ['a run with class read', { ...post('/exec', { command: 'true' }), callClass: 'read' }, 403, 'forbidden'],
    ['an approval with class run', post('/approvals/x', { decision: 'approve' }), 403, 'forbidden'],
    ['tokens with class run', post('/tokens', { name: 'x' }), 403, 'forbidden'],
    ['an unknown route', { path: '/etc/passwd' }, 403, 'forbidden'],
    ['a WebSocket', { path: '/ws' }, 403, 'forbidden'],
    ['pairing', post('/pair', { code: 'x', name: 'y' }), 403, 'forbidden'],
    ['a class by another spelling', { path: '/%61pprovals' }, 403, 'forbidden'],
    ['a fragment', { path: '/runs#/x' }, 400, 'validation_error'],
    ['another host', { path: 'http://192.0.2.1/health' }, 400, 'validation_error'],
    ['an unknown method', { method: 'CONNECT' }, 400, 'validation_error'],
    ['a header with a new line', { headers: { 'x y': 'z' } }, 400, 'validation_error'],
    ['a wait beyond the longest', { wait_ms: 300_000 }, 400, 'validation_error'],
    ['another home', { home: 'f'.repeat(32) }, 409, 'wrong_home'],
    ['a body beyond the largest', post('/exec', { command: 'x'.repeat(2_000_001) }), 413, 'too_large'],
    ['another caller, named by an agent', { by: 'ann', caller: 'a1' }, 403, 'forbidden', agent],
  ]
  const before = await linkOf(phone)
  for (const [name, call, status, type, from = plane] of rows) {
    const answer = await ask(from, phone.name, call)
    t.hasStrict([answer.status, typeOf(answer)], [status, type], name)
  }
  const after = await linkOf(phone)
  t.equal(after.refused - before.refused, rows.length)
  t.equal((await ask(plane, phone.name, post('/exec', {}))).status, 400, "the service's own errors are passed on")
})

t.test('responses go only to the inbox of the caller', async (t) => {
  const received: string[] = []
  const system = await broker.connect('plane', 'plane')
  system.subscribe('sp.up.>', { callback: (_error, msg) => void received.push(msg.string()) })
  await system.flush()
  const before = await linkOf(phone)
  const carried = headers()
  const head: CallHead = { call: 'x', method: 'GET', path: '/health', headers: {} }
  carried.set(HEAD_HEADER, JSON.stringify(head))
  const replies = ['sp.up.pixel-7', 'sp.call.other.run.plane', '$KV.sp_phones.other', '_INBOX.a1.x', '_INBOX.plane']
  for (const reply of replies) plane.publish(callSubject(phone.name, 'read', 'plane'), '', { headers: carried, reply })
  plane.publish(callSubject(phone.name, 'read', 'plane'), '', { headers: carried })
  plane.publish('sp.call.pixel-7.read.x.plane', '') // the broker refuses this subject
  await plane.flush()
  t.ok(await until(async () => (await linkOf(phone)).refused === before.refused + replies.length + 1))
  t.equal((await linkOf(phone)).parts, before.parts, 'nothing is answered')
  t.same(received, [])
  await system.close()
})

t.test('stdin, while it runs', async (t) => {
  const started = await exec(plane, phone.name, { command: 'cat', stdin: 'open', background: true })
  const { id } = started.json()
  t.equal(started.status, 202)
  t.equal((await ask(plane, phone.name, post(`/runs/${id}/stdin`, { data: 'one\n' }))).status, 200)
  const stream = { callClass: 'run' as const, method: 'PUT', path: `/runs/${id}/stdin?offset=4`, body: 'two\n' }
  t.equal(
    (await ask(plane, phone.name, { ...stream, headers: { 'content-type': 'application/octet-stream' } })).status,
    200,
  )
  const ended = await ask(plane, phone.name, { path: `/runs/${id}?wait_seconds=60` })
  t.hasStrict(ended.json(), { status: 'completed', stdout: 'one\ntwo\n' })
})

t.test('cancel', async (t) => {
  const { id } = (await exec(plane, phone.name, { command: 'sleep 600', background: true })).json()
  const answer = await ask(plane, phone.name, { callClass: 'run', method: 'DELETE', path: `/runs/${id}` })
  t.equal(answer.json().outcome, 'cancel_requested')
  t.equal((await ask(plane, phone.name, { path: `/runs/${id}?wait_seconds=60` })).json().status, 'canceled')
})

t.test('a person can approve, an agent cannot', async (t) => {
  const hints: { type: string; approval_id: string }[] = []
  plane.subscribe(`sp.up.${phone.name}`, { callback: (_error, msg) => void hints.push(msg.json()) })
  await plane.flush()
  const careful = await startPhone(broker, { name: 'careful', env: { SHELLPHONE_POLICY: 'supervised' } })
  t.teardown(() => careful.stop())
  plane.subscribe('sp.up.careful', { callback: (_error, msg) => void hints.push(msg.json()) })
  await plane.flush()
  const answered = exec(plane, careful.name, { command: 'touch /tmp/shellphone-fleet-approved' }, { by: 'codex' })
  t.ok(await until(() => hints.some(({ type }) => type === 'asked')), 'the planes are notified')
  const { approval_id } = hints.find(({ type }) => type === 'asked')!
  const agent = await broker.connect('agent', 'a2')
  const yes = post(`/approvals/${approval_id}`, { decision: 'approve' })
  await t.rejects(
    agent.request(callSubject(careful.name, 'answer', 'a2'), '', { timeout: HANG_MS }),
    /[Pp]ermissions/,
    'the broker',
  )
  t.equal((await ask(agent, careful.name, { ...yes, caller: 'a2' })).status, 403, 'the phone')
  const list = await ask(plane, careful.name, { callClass: 'answer', path: '/approvals', by: 'ann' })
  t.hasStrict(list.json().approvals, [{ id: approval_id, token: 'fleet/codex' }])
  const decided = await ask(plane, careful.name, { ...yes, callClass: 'answer', by: 'ann' })
  t.hasStrict(decided.json(), { approved: true, by: 'fleet/ann' })
  t.hasStrict((await answered).json(), { status: 'completed', approval: { by: 'fleet/ann' } })
})

t.test('20 callers with one key get one run', async (t) => {
  const command = 'echo once; sleep 0.3; exit 5'
  const same = { headers: { 'idempotency-key': 'job-1' }, by: 'job' }
  const all = await Promise.all(Array.from({ length: 20 }, () => exec(plane, phone.name, { command }, same)))
  t.equal(new Set(all.map((one) => one.json().id)).size, 1)
  t.same(new Set(all.map((one) => one.json().exit_code)), new Set([5]))
  t.equal((await runsThat(command)).length, 1)
  const other = await exec(plane, phone.name, { command: 'true' }, same)
  t.hasStrict([other.status, typeOf(other)], [409, 'conflict'], 'the same key, another command')
})

t.test('a request can be repeated after its wait', async (t) => {
  const key = { 'idempotency-key': 'slow-1' }
  const late = gate(t.testdir(), 'late', 'echo late')
  const slow = await exec(plane, phone.name, late.body, { headers: key, wait_ms: 300 })
  t.hasStrict([slow.status, slow.end, slow.body.length], [undefined, 'more', 0], 'there was nothing to send yet')
  late.open()
  const again = await exec(plane, phone.name, late.body, { headers: key })
  t.hasStrict(again.json(), { status: 'completed', stdout: 'late\n' }, 'the run continued')
  const kept = gate(t.testdir(), 'kept', 'echo kept')
  const hasBegun = async () => {
    const quick = await exec(plane, phone.name, kept.body, { wait_ms: 200 })
    t.equal(quick.end, 'more', 'without a key from the caller')
    return (await runsThat('echo kept')).length > 0 // on a busy machine the wait may end before the service reads it
  }
  t.ok(await until(hasBegun))
  kept.open()
  t.ok(
    await until(async () => (await runsThat('echo kept'))[0]?.status === 'completed'),
    'the end of the wait does not cancel a run',
  )
})

t.test('a phone with nothing to send sends an empty part', async (t) => {
  const { body, open } = gate(t.testdir(), 'silent', 'echo at last')
  const answer = await exec(plane, phone.name, body, { onPart: open })
  t.hasStrict(answer.json(), { stdout: 'at last\n' })
  const statuses = answer.parts.map(({ status }) => status)
  t.hasStrict([statuses[0], statuses.at(-1)], [undefined, 200], 'an empty part came first')
})

/** Reads a stream of events in windows, each from the last complete event of the previous one. */
async function readEvents(id: string, window: number) {
  let last = ''
  const taken: Buffer[] = []
  for (let asked = 1; ; asked++) {
    const again: Record<string, string> = last === '' ? {} : { 'last-event-id': last }
    const answer = await ask(plane, phone.name, { path: `/runs/${id}/events?encoding=base64`, window, headers: again })
    const text = answer.body.toString()
    const events = text
      .slice(0, text.lastIndexOf('\n\n') + 2)
      .split('\n\n')
      .filter((one) => one.startsWith('event:'))
    for (const event of events) {
      last = /^id: (.+)$/m.exec(event)![1]!
      if (event.startsWith('event: output')) {
        taken.push(Buffer.from(JSON.parse(event.split('\ndata: ')[1]!).data, 'base64'))
      }
    }
    if (answer.end === 'eof') return { asked, bytes: Buffer.concat(taken) }
  }
}

t.test('streams can be read in windows or at once', async (t) => {
  const size = 3_000_000
  const command = `head -c ${size} /dev/urandom`
  const started = await exec(
    plane,
    phone.name,
    { command, background: true },
    { headers: { accept: 'text/event-stream' } },
  )
  const id = started.headers['run-id']!
  const { stdout_sha256 } = (await ask(plane, phone.name, { path: `/runs/${id}?wait_seconds=60` })).json()
  const { asked, bytes } = await readEvents(id, 1_048_576)
  t.equal(createHash('sha256').update(bytes).digest('hex'), stdout_sha256, 'as events, base64 though the run has ended')
  t.ok(asked >= 4, `${asked} requests`)
  const pieces: Buffer[] = []
  for (let offset = 0; offset < size;) {
    const answer = await ask(plane, phone.name, { path: `/runs/${id}/output?offset=${offset}`, window: 1_000_000 })
    t.ok(answer.body.length <= 1_000_000, 'never more than the window')
    t.ok(answer.parts.length <= 64, `${answer.parts.length} parts`)
    pieces.push(answer.body)
    offset += answer.body.length
  }
  t.equal(createHash('sha256').update(Buffer.concat(pieces)).digest('hex'), stdout_sha256, 'as raw bytes, by offset')
  const whole = await ask(plane, phone.name, { path: `/runs/${id}/output` })
  t.equal(createHash('sha256').update(whole.body).digest('hex'), stdout_sha256, 'at once, without a window')
})

t.test('a stream of many small writes has at most 500 parts', async (t) => {
  const live = exec(
    plane,
    phone.name,
    { command: 'for i in $(seq 550); do echo $i; sleep 0.002; done' },
    { headers: { accept: 'text/event-stream' } },
  )
  const answer = await live
  t.match(answer.headers['run-id'], /^0/)
  t.ok(answer.parts.length <= 500, `${answer.parts.length} parts`)
  t.ok(['more', 'eof'].includes(answer.end))
})

t.test('a channel takes bytes once and in order, and only from its caller', async (t) => {
  const file = join(t.testdir(), 'file')
  const put: CallOptions = { callClass: 'run', method: 'PUT', path: `/files?${new URLSearchParams({ path: file })}` }
  const open = await ask(plane, phone.name, { ...put, wait_ms: 200, channel: { id: '', act: 'pull' } })
  const id = open.parts[0]!.channel!
  t.hasStrict([open.status, open.end, id.length], [undefined, 'more', 24], 'no response yet')
  const agent = await broker.connect('agent', 'a2')
  /** [case, act, offset, body, end, status, other fields] */
  const rows: [
    string,
    'pull' | 'feed' | 'end' | 'close',
    number,
    string,
    'eof' | 'more',
    number | undefined,
    CallOptions?,
  ][] = [
    ['fed', 'feed', 0, 'abc', 'eof', undefined],
    ['delivered twice by a broker', 'feed', 0, 'abc', 'eof', undefined],
    ['partly repeated', 'feed', 2, 'cde', 'eof', undefined],
    ['of another caller', 'feed', 5, 'x', 'eof', 410, { by: 'ann' }],
    ['of another caller with credentials', 'feed', 5, 'x', 'eof', 410, { caller: 'a2' }],
    ['of another route', 'feed', 5, 'x', 'eof', 410, { path: '/files?path=/x' }],
    ['of another class', 'feed', 5, 'x', 'eof', 403, { callClass: 'read' }],
    ['the last bytes', 'end', 5, 'f', 'eof', undefined],
    ['the response', 'pull', 0, '', 'eof', 201],
    ['after it was closed', 'pull', 0, '', 'eof', 410],
  ]
  for (const [what, act, offset, body, end, status, more] of rows) {
    const from = more?.caller === 'a2' ? agent : plane
    const answer = await ask(from, phone.name, { ...put, ...more, body, channel: { id, act, offset } })
    t.hasStrict([answer.end, answer.status], [end, status], what)
  }
  t.equal(readFileSync(file, 'utf8'), 'abcdef')
  const other = (await ask(plane, phone.name, { ...put, wait_ms: 200, channel: { id: '', act: 'pull' } })).parts[0]!
    .channel!
  const gap = await ask(plane, phone.name, { ...put, body: 'x', channel: { id: other, act: 'feed', offset: 7 } })
  t.hasStrict([gap.status, typeOf(gap)], [409, 'conflict'], 'a gap closes it')
  t.equal((await ask(plane, phone.name, { ...put, channel: { id: other, act: 'pull' } })).status, 410)
})

t.test('a WebSocket as a channel', async (t) => {
  const socket: CallOptions = { callClass: 'run', path: '/ws' }
  let open = await ask(plane, phone.name, { ...socket, wait_ms: 500, channel: { id: '', act: 'pull' } })
  const { channel: id = '' } = open.parts[0]!
  while (open.status === undefined) {
    open = await ask(plane, phone.name, { ...socket, wait_ms: 500, channel: { id, act: 'pull' } })
  }
  t.hasStrict([open.status, open.end], [101, 'more'])
  const long = { data: Buffer.from(JSON.stringify({ type: 'ping', ref: 'x'.repeat(150) })), isBinary: false }
  const bytes = Buffer.concat([packMessage(long), packMessage(long), packMessage({ code: 4321, reason: 'enough' })])
  for (let at = 0; at < bytes.length; at += 7) {
    const channel = { id, act: 'feed', offset: at } as const
    t.ok(
      (await ask(plane, phone.name, { ...socket, body: bytes.subarray(at, at + 7), channel })).end === 'eof' ||
        t.fail(),
    )
  }
  const rest = await ask(plane, phone.name, { ...socket, channel: { id, act: 'pull' } })
  const messages = createUnpacker(1_000)(rest.body)
  t.same(
    messages.slice(0, 2).map((one) => 'data' in one && JSON.parse(String(one.data)).type),
    ['pong', 'pong'],
  )
  t.same(
    messages[2],
    { code: 4321, reason: 'enough' },
    'sent in pieces of 7 bytes; the service closes with the same code',
  )
  t.same(createUnpacker(1_000)(packMessage({ code: 1006, reason: 'ü'.repeat(200) })), [
    { code: 1011, reason: '?'.repeat(123) },
  ])
  for (const wrong of ['null', '{', '']) {
    const head = Buffer.from([2, 0, 0, 0, wrong.length])
    t.throws(() => createUnpacker(10)(Buffer.concat([head, Buffer.from(wrong)])), Error, wrong)
  }
  t.throws(() => createUnpacker(10)(packMessage(long)), { message: /expected at most 10 bytes, got 1/ })
  t.equal(
    (await ask(plane, phone.name, { ...socket, callClass: 'read', channel: { id: '', act: 'pull' } })).status,
    403,
  )
})

t.test('accepts only calls that a trusted plane has signed', async (t) => {
  const [ours, theirs] = [signingKey(), signingKey()]
  await rejoin(broker, phone, { name: 'wary', planeKeys: [theirs.publicKey, ours.publicKey] })
  const signer = ours.privateKey
  t.equal((await exec(plane, 'wary', { command: 'true' }, { signer })).status, 200)
  const rows: [string, CallOptions][] = [
    ['no signature', {}],
    ["another's key", { signer: signingKey().privateKey }],
    ['another path', { signer, tamper: (head) => ({ ...head, path: '/runs' }) }],
    ['another home', { signer, tamper: (head) => ({ ...head, home: 'x' }) }],
    ['another caller', { signer, tamper: (head) => ({ ...head, by: 'ann' }) }],
  ]
  for (const [name, call] of rows) {
    const answer = await ask(plane, 'wary', call)
    t.hasStrict([answer.status, typeOf(answer)], [401, 'unauthorized'], name)
  }
})

t.test('a signed call is valid once and for one start of the service', async (t) => {
  const { privateKey: signer, publicKey } = signingKey()
  const membership = { name: 'replayed', planeKeys: [publicKey] }
  const { credentials } = await rejoin(broker, phone, membership)
  const file = join(t.testdir(), 'ran')
  let again = async () => {}
  const onSent = (send: () => Promise<void>) => void (again = send)
  t.equal((await exec(plane, 'replayed', { command: `echo ran >> ${file}` }, { signer, onSent })).status, 200)
  const isRefused = async () => {
    const { refused } = await linkOf(phone)
    await again()
    return until(async () => (await linkOf(phone)).refused === refused + 1)
  }
  t.ok(await isRefused(), 'the same message')
  await phone.kill('SIGTERM')
  phone = await startPhone(broker, { ...membership, home, credentials, env: { SHELLPHONE_FLEET_MAX_REQUESTS: '2' } })
  t.ok(await isRefused(), 'the same message at the next start')
  t.equal(readFileSync(file, 'utf8'), 'ran\n', 'it ran once')
})

t.test('returns 503 beyond the maximum number of open calls', async (t) => {
  await rejoin(broker, phone, { name: 'small' })
  const { body, open } = gate(t.testdir(), 'small', 'true')
  const held = [1, 2].map(() => exec(plane, 'small', body))
  t.ok(await until(async () => (await linkOf(phone)).open === 2))
  const third = await exec(plane, 'small', { command: 'true' })
  t.hasStrict([third.status, typeOf(third), third.headers['retry-after']], [503, 'pool_full', '1'])
  open()
  t.same(
    (await Promise.all(held)).map(({ status }) => status),
    [200, 200],
  )
  t.equal((await exec(plane, 'small', { command: 'true' })).status, 200)
})

t.test('a nonce is valid for minutes and for a limited number of calls', async (t) => {
  let now = 0
  const nonces = createNonces(() => now)
  const first = nonces.current()
  const refusal = { code: 'UNAUTHORIZED', message: /^nonce: expected the nonce from the last response/ }
  t.throws(() => nonces.take(undefined, 'a'), refusal, 'none')
  t.throws(() => nonces.take('x', 'a'), refusal, 'another')
  nonces.take(first, 'a')
  t.throws(() => nonces.take(first, 'a'), { code: 'UNAUTHORIZED', message: 'nonce: this call was already received' })
  now = 299_999
  t.equal(nonces.current(), first)
  now = 300_000
  const second = nonces.current()
  t.not(second, first)
  nonces.take(first, 'b')
  t.throws(
    () => nonces.take(first, 'a'),
    { message: 'nonce: this call was already received' },
    'the previous nonce is still valid',
  )
  now = 600_000
  nonces.current()
  t.throws(() => nonces.take(first, 'c'), refusal, 'an older one is not')
  now = 2_000_000
  t.throws(() => nonces.take(second, 'c'), refusal, 'after a long pause')
  const busy = nonces.current()
  for (let n = 0; n < 10_000; n++) nonces.take(busy, String(n))
  t.not(nonces.current(), busy, 'after the maximum number of calls')
  t.throws(() => nonces.take(busy, '0'), { message: 'nonce: this call was already received' })
})
