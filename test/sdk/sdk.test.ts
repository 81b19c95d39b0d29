import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect as connectTo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import {
  connect,
  type Phone,
  PhoneError,
  type Run,
  type RunEvent,
  type SocketClass,
  type WatchEvent,
} from '../../src/sdk/index.ts'
import { cutProxy } from '../support/cut-proxy.ts'
import { rejectionOf, root, startService, until } from '../support/helper.ts'

const service = await startService({
  env: { SHELLPHONE_AUTONOMY: 'supervised', SHELLPHONE_MAX_RUN_SPOOL_BYTES: '1048576' },
})
t.teardown(() => service.stop())

/** Like a browser's WebSocket, it cannot be paused. */
class PlainSocket extends WebSocket {
  override pause = undefined as unknown as () => void
}
const sockets: Record<string, SocketClass> = { ws: WebSocket as SocketClass, plain: PlainSocket as SocketClass }
const phoneBy = (WebSocket: SocketClass, url = service.url): Phone => connect({ url, token: service.token, WebSocket })
const phone = phoneBy(sockets.ws!)
const MiB = 1_048_576

/** All bytes of a run's two streams, and its other events. */
async function readAll(run: Run, pause: (bytes: number) => unknown = () => {}) {
  const hashes = { stdout: createHash('sha256'), stderr: createHash('sha256') }
  const bytes = { stdout: 0, stderr: 0 }
  const others: Exclude<RunEvent, { type: 'output' }>[] = []
  for await (const event of run.events()) {
    if (event.type !== 'output') {
      others.push(event)
      continue
    }
    t.equal(event.offset, bytes[event.stream])
    bytes[event.stream] = event.next_offset
    hashes[event.stream].update(event.bytes)
    await pause(bytes.stdout + bytes.stderr)
  }
  return { bytes, others, stdout: hashes.stdout.digest('hex'), stderr: hashes.stderr.digest('hex') }
}
const sha256 = (script: string) =>
  execFileSync('sh', ['-c', `${script} | sha256sum`], { encoding: 'utf8', maxBuffer: 64 * MiB }).slice(0, 64)

t.test('reports every event of a run', async (t) => {
  const run = await phone.run('echo out; echo err >&2; exit 3')
  const { bytes, others } = await readAll(run)
  t.same(bytes, { stdout: 4, stderr: 4 })
  t.same(
    others.map((event) => (event.type === 'status' ? event.status : event.type)),
    ['queued', 'starting', 'running', 'failed', 'result'],
  )
  t.match(await run.result, { id: run.id, status: 'failed', exit_code: 3, stdout: 'out\n' })
  t.throws(() => run.events(), { message: /already have a reader/ })

  const unread = await phone.run('head -c 3000000 /dev/zero')
  t.match(await unread.result, { status: 'completed', stdout_bytes: 3_000_000 }, 'the result does not require a reader')
  const left = await phone.run('sleep 20.61')
  left.leave()
  t.match(await rejectionOf(left.result), { type: 'closed' })
  t.equal(await phone.cancel(left.id), 'cancel_requested')
})

t.test('reads every byte over ten cuts, with and without pausable sockets, quickly and slowly', async (t) => {
  const script = 'seq 1 200000; seq 1 50000 >&2'
  const wanted = { stdout: sha256('seq 1 200000'), stderr: sha256('seq 1 50000') }
  for (const [name, socket] of Object.entries(sockets)) {
    const proxy = await cutProxy(service.port, 10, (cut) => 60_000 + cut * 20_000)
    const run = await phoneBy(socket, proxy.url).run(script)
    const { stdout, stderr } = await readAll(run)
    t.same({ stdout, stderr }, wanted, name)
    t.equal(proxy.cuts(), 10, name)
    proxy.close()

    let stalls = 0
    const slow = await phoneBy(socket).run('head -c 20000000 /dev/zero')
    const printedBytes = async () => (await phone.record(slow.id)).stdout_bytes
    const { bytes } = await readAll(slow, async (read) => {
      if (read < (stalls + 1) * 4_000_000) return
      stalls += 1
      let before = -1
      await until(async () => {
        const printed = await printedBytes()
        const isHeldUp = printed === before
        before = printed
        return isHeldUp
      })
    })
    t.equal(bytes.stdout, 20_000_000, `${name}: twenty times what is kept, for a slow reader`)
  }
})

t.test('retries a first connection that is cut before the first message', async (t) => {
  let cuts = 0
  const proxy = createServer((near) => {
    const far = connectTo(service.port, '127.0.0.1')
    const pair = [near, far]
    let chunks = 0
    for (const socket of pair) socket.on('error', () => {}).on('close', () => pair.forEach((one) => one.destroy()))
    // the token follows the handshake
    near.on('data', () => {
      if (++chunks === 1 || cuts === 2) return
      cuts++
      for (const socket of pair) socket.resetAndDestroy()
    })
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  t.teardown(() => proxy.close())
  await once(proxy, 'listening')
  const run = await phoneBy(sockets.plain!, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`).run(
    'echo once',
  )
  t.match(await run.result, { status: 'completed', stdout: 'once\n' })
  t.equal(cuts, 2)
})

t.test('stdin', async (t) => {
  const proxy = await cutProxy(service.port, 5, () => 400_000)
  t.teardown(proxy.close)
  const run = await phoneBy(sockets.plain!, proxy.url).run('sha256sum', { stdin: 'open' })
  const piece = new Uint8Array(100_000).map((_, at) => at & 255)
  for (let n = 0; n < 40; n++) await run.write(piece)
  run.end()
  const record = await run.result
  t.equal(
    record.stdout.slice(0, 64),
    createHash('sha256')
      .update(Buffer.concat(Array(40).fill(piece)))
      .digest('hex'),
  )
  t.equal(proxy.cuts(), 5)
  t.match(await rejectionOf(run.write('more')), { type: 'conflict' })

  const deaf = await phone.run('sleep 20.62', { stdin: 'open' })
  let written = 0
  const flood = (async () => {
    for (;;) {
      await deaf.write(piece)
      written += piece.length
    }
  })()
  await until(() => written >= MiB - 200_000)
  t.ok(written <= MiB + 400_000, `${written} bytes are held for a command that does not read`)
  const refusal = rejectionOf(flood)
  await deaf.cancel()
  t.match(await refusal, { type: 'conflict' })
})

t.test('errors have the type and message of the wire', async (t) => {
  const stranger = connect({ url: service.url, token: 'no', WebSocket: sockets.ws! })
  const nobody = phoneBy(sockets.ws!, 'http://127.0.0.1:1')
  const past = async () => readAll(await phone.attach((await phone.exec('echo x')).id, { stdout: 99 }))
  const refused: [string, () => Promise<unknown>, object][] = [
    ['a token', () => stranger.run('ls'), { type: 'unauthorized' }],
    ['a token, by HTTP', () => stranger.history(), { type: 'unauthorized' }],
    [
      'a field',
      () => phone.run('ls', { working_directory: '/nowhere' }),
      { type: 'validation_error', field: 'working_directory' },
    ],
    ['an id', () => phone.attach('01m2zzzzzzzzzzzzzzzzzzzzzz'), { type: 'not_found' }],
    ['an offset', past, { type: 'out_of_range' }],
    ['nobody', () => nobody.run('ls'), { type: 'unreachable' }],
    ['nobody, by HTTP', () => nobody.history(), { type: 'unreachable' }],
  ]
  for (const [name, ask, expected] of refused) {
    const error = await rejectionOf(ask())
    t.ok(error instanceof PhoneError, name)
    t.match(error, expected, name)
  }
  const old = await phone.exec('head -c 3000000 /dev/zero')
  const gap = await rejectionOf(readAll(await phone.attach(old.id)))
  t.match(
    gap,
    { type: 'gap', message: /no longer stored|is stored/ },
    'output that is no longer stored is reported as a gap',
  )
})

t.test('calls the other routes', async (t) => {
  t.match(await phone.exec('echo $X', { env: { X: 'y' } }), { status: 'completed', stdout: 'y\n' })
  t.match(await phone.check('rm -rf /'), { verdict: 'deny' })
  t.match(await phone.history({ q: 'echo $X', limit: 1 }), [{ command: 'echo $X' }])
  t.match(await phone.health(), { status: 'ok' })
  t.equal((await phone.request('/metrics')).status, 200)
  const run = await phone.run('touch /tmp/shellphone-sdk-test')
  const isPending = async () => (await phone.approvals()).approvals.some(({ run_id }) => run_id === run.id)
  t.ok(await until(isPending))
  const [pending] = (await phone.approvals()).approvals
  t.match(await phone.answer(pending!.id, 'deny'), { outcome: 'denied' })
  t.match(await run.result, { status: 'denied' })
  const signalled = await phone.run('cat', { stdin: 'open' })
  for await (const event of signalled.events()) {
    if (event.type === 'status' && event.status === 'running') await signalled.signal('SIGUSR1')
  }
  t.match(await signalled.result, { status: 'failed', signal: 'SIGUSR1' })
})

t.test('watches all runs and approvals over a cut', async (t) => {
  const proxy = await cutProxy(service.port, 1, () => 30_000)
  const over = phoneBy(sockets.plain!, proxy.url)
  const watch = over.watch()
  t.teardown(() => {
    watch.leave()
    proxy.close()
  })
  const seen: WatchEvent[] = []
  const watching = (async () => {
    for await (const event of watch.events()) seen.push(event)
  })()
  await until(() => seen.length > 0)
  t.same(seen, [{ type: 'connected' }])

  const asking = await phone.run('touch /tmp/shellphone-sdk-watched')
  const questions = () => seen.filter((event) => event.type === 'approval_requested')
  await until(() => questions().length === 1)
  t.match(questions(), [{ approval: { run_id: asking.id, command: 'touch /tmp/shellphone-sdk-watched' } }])
  for (let runs = 0; proxy.cuts() === 0 && runs < 200; runs++) await phone.exec('true')
  await until(() => seen.filter(({ type }) => type === 'connected').length === 2)
  const again = seen.slice(seen.findLastIndex(({ type }) => type === 'connected') - 1)
  t.equal(again[0]!.type, 'disconnected')
  t.ok(await until(() => questions().length === 2), 'pending approvals are repeated')

  await phone.answer((await phone.approvals()).approvals[0]!.id, 'deny')
  const ended = (event: WatchEvent) =>
    event.type === 'run' && event.run.id === asking.id && event.run.status === 'denied'
  t.ok(await until(() => seen.some(ended)))
  t.match(
    seen.filter(({ type }) => type === 'approval_decided'),
    [{ run_id: asking.id, outcome: 'denied' }],
  )
  watch.leave()
  await watching

  const stranger = connect({ url: service.url, token: 'no', WebSocket: sockets.ws! })
  t.match(await rejectionOf(stranger.watch().events().next()), { type: 'unauthorized' })
})

const isCoverage = process.env.NODE_V8_COVERAGE !== undefined && 'the build for coverage contains comments'
t.test('the module uses no Node API', { skip: isCoverage }, async (t) => {
  const bundle = readFileSync(join(root, 'dist/client.js'), 'utf8')
  t.notMatch(bundle, /node:|require\(|\bBuffer\b|\bprocess\b/)
  t.ok(bundle.length < 40_000, `${bundle.length} bytes`)
})

t.test('calls the tools of other agents', async (t) => {
  const names = (await phone.dialects()).map(({ name }) => name)
  t.same(names.slice(0, 6), ['oneclaw', 'picoclaw', 'nullclaw', 'agent-world', 'meka', 'anthropic/bash'])
  t.match(await phone.execDialect('oneclaw', { command: 'echo hi' }), {
    is_error: false,
    output: '[Exit Code: 0]\nhi\n',
  })
  t.match(await phone.execDialect('picoclaw', { command: 'rm -rf /' }), { is_error: true, run_id: String }, 'denied')
  t.match(await phone.execDialect('picoclaw', { cmd: 'ls' }), { is_error: true, run_id: null, output: /did you mean/ })
  t.match(await rejectionOf(phone.execDialect('no/such', {})), { type: 'not_found', status: 404 })
})

t.test('explains a URL without a scheme and a body that is no object', async (t) => {
  const rows: [string, RegExp][] = [
    ['127.0.0.1:8029', /^url: expected http.*got "127\.0\.0\.1:8029"; did you mean http:\/\/127\.0\.0\.1:8029\?$/],
    ['localhost', /did you mean http:\/\/localhost\?$/],
    ['ws://127.0.0.1:8029', /^url: expected http:\/\/HOST:PORT or https:\/\/…, got "ws:\/\/127\.0\.0\.1:8029"$/],
    ['', /got ""$/],
  ]
  for (const [url, message] of rows) {
    t.throws(() => connect({ url, token: 'x', WebSocket: sockets.ws! }), {
      type: 'validation_error',
      field: 'url',
      message,
    })
  }
  const sent = phone.request('/exec', { method: 'POST', body: 'echo hi' as unknown as object })
  t.match(await rejectionOf(sent), {
    type: 'validation_error',
    field: 'body',
    message: 'body: expected an object, which is sent as JSON, got a string; send other data with raw',
  })
})
