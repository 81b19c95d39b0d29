import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { WebSocket } from 'ws'
import { connect, type Phone, type Run, type RunEvent, type SocketClass } from '../../src/sdk/index.ts'
import { Readers } from '../../src/server/store/readers.ts'
import { openFrames } from '../support/frames.ts'
import { root, soon, startService, until } from '../support/helper.ts'
import { linkProxy } from '../support/link-proxy.ts'

const MiB = 1_048_576
/** The stored output of one run: more than a client buffers, so that a reader can stop within it. */
const STORED_BYTES = 6 * MiB
const TOTAL_BYTES = 20_000_000

const service = await startService({ env: { SHELLPHONE_MAX_RUN_SPOOL_BYTES: String(STORED_BYTES) } })
t.teardown(() => service.stop())

/** Counts the bytes received and stores the messages sent. */
class CountedSocket extends WebSocket {
  static receivedBytes = 0
  static sent: string[] = []
  constructor(url: string) {
    super(url)
    this.on('message', (data: Buffer, isBinary) => {
      if (isBinary) CountedSocket.receivedBytes += data.length - 35
    })
  }
  override send(data: any): void {
    if (typeof data === 'string') CountedSocket.sent.push(data)
    super.send(data)
  }
}

const phoneAt = (url: string, Socket: unknown = WebSocket): Phone =>
  connect({ url, token: service.token, WebSocket: Socket as SocketClass })
const phone = phoneAt(service.url)
const bytesOf = async (id: string) => (await phone.record(id)).stdout_bytes

/** Reads a run to its end; awaits `pause` after each piece, with the number of bytes read. */
async function readAll(run: Run, pause: (bytes: number) => unknown = () => {}) {
  let bytes = 0
  const others: Exclude<RunEvent, { type: 'output' }>[] = []
  for await (const event of run.events()) {
    if (event.type !== 'output') others.push(event)
    else {
      if (event.offset !== bytes && !others.some(({ type }) => type === 'gap'))
        t.fail(`a hole: ${bytes} to ${event.offset}`)
      bytes = event.next_offset
      await pause(bytes)
    }
  }
  return { bytes, others }
}

/** A promise and its resolve function. */
function gate() {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

/** Runs `shellphone …` against the service. */
function cli(args: string[]) {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), ...args], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
  })
  const seen = { bytes: 0, err: '' }
  child.stdout.on('data', (chunk: Buffer) => (seen.bytes += chunk.length))
  child.stderr.on('data', (chunk) => (seen.err += chunk))
  t.teardown(() => child.kill('SIGKILL'))
  return { child, seen, ended: once(child, 'close').then(([code, signal]) => ({ code, signal, ...seen })) }
}

t.test('attaches to an ended run with more output than a client buffers, and reads all of it', async (t) => {
  const { id } = await phone.exec('head -c 5500000 /dev/zero')
  const run = await soon(phone.attach(id))
  t.match(await soon(readAll(run)), { bytes: 5_500_000 })
  const { code, bytes } = await soon(cli(['logs', id]).ended)
  t.same({ code, bytes }, { code: 0, bytes: 5_500_000 }, 'shellphone logs')
})

t.test('a followed run continues after a cut although its reader has read everything', async (t) => {
  const proxy = await linkProxy(service.port)
  t.teardown(proxy.close)
  const over = phoneAt(`http://127.0.0.1:${proxy.port}`, CountedSocket)
  const run = await over.run(`head -c ${TOTAL_BYTES} /dev/zero`)
  let isFrozen = false
  const reading = readAll(run, async (bytes) => {
    if (isFrozen || bytes <= STORED_BYTES) return
    // no acknowledgement is beyond STORED_BYTES yet, so the command waits once more than 1 MiB follows
    const isHeldUp = async () => {
      const printedBytes = await bytesOf(run.id)
      return printedBytes > STORED_BYTES + MiB && CountedSocket.receivedBytes === printedBytes
    }
    t.ok(await until(isHeldUp), 'the command waits, and all its output was received')
    proxy.freeze(true)
    isFrozen = true
  })
  const acknowledged = () =>
    CountedSocket.sent.map((text) => JSON.parse(text)).findLast(({ type }) => type === 'output_taken')?.stdout
  const isSaid = () => isFrozen && acknowledged() === CountedSocket.receivedBytes
  t.ok(await until(isSaid), 'the client has reported everything as read, over the lost connection')
  proxy.cut()
  proxy.freeze(false)
  t.match(await soon(reading), { bytes: TOTAL_BYTES })
})

t.test('a second reader takes nothing from a slow one', async (t) => {
  const run = await phone.run(`head -c ${TOTAL_BYTES} /dev/zero`)
  const slow = gate()
  const reading = readAll(run, () => slow.opened)
  const seen: Record<string, number> = { attach: 0, websocket: 0, follow: 0, events: 0 }

  const beside = await phone.attach(run.id)
  void readAll(beside, (bytes) => (seen.attach = bytes)).catch(() => {})
  const socket = await openFrames(service, ({ offset, bytes }) => {
    seen.websocket = offset + bytes.length
    socket.send({ type: 'output_taken', id: run.id, stdout: seen.websocket })
  })
  socket.send({ type: 'attach', id: run.id })
  const stop = new AbortController()
  const stream = async (path: string, name: string) => {
    const response = await service.request(path, { signal: stop.signal })
    for await (const chunk of response.body!) seen[name]! += chunk.length
  }
  for (const [name, path] of [
    ['follow', `/runs/${run.id}/output?follow=true`],
    ['events', `/runs/${run.id}/events`],
  ] as const) {
    stream(path, name).catch(() => {})
  }
  const logs = cli(['logs', run.id, '-f'])

  const isFar = () => [...Object.values(seen), logs.seen.bytes].every((bytes) => bytes > STORED_BYTES)
  t.ok(await until(isFar), `all that is stored was read beside it: ${JSON.stringify(seen)}`)
  socket.send({ type: 'ping' })
  await socket.next(({ type }) => type === 'pong')
  const bytes = await bytesOf(run.id)
  t.ok(bytes < STORED_BYTES + 2 * MiB, `the command waits for the slow one: ${bytes} bytes came`)
  beside.leave()
  socket.raw.terminate()
  stop.abort()
  slow.open()
  t.match(await soon(reading), { bytes: TOTAL_BYTES })
  t.match(await run.result, { status: 'completed' })
  t.match(await soon(logs.ended), { code: 0 }, 'shellphone logs -f')
})

t.test('an observer does not make a run wait', async (t) => {
  const run = await phone.run(`head -c ${TOTAL_BYTES} /dev/zero`)
  const slow = gate()
  const observer = await phone.attach(run.id, { observe: true, gaps: 'report' })
  const observing = readAll(observer, () => slow.opened)
  t.match(await soon(readAll(run)), { bytes: TOTAL_BYTES })
  slow.open()
  t.match((await soon(observing)).others.at(-1), { type: 'result', status: 'completed' })
})

t.test('follows a run with a gap if its output is no longer stored', async (t) => {
  const command = `head -c ${TOTAL_BYTES} /dev/zero; read go; echo end`
  const run = await phone.run(command, { background: true, stdin: 'open' })
  await until(async () => (await bytesOf(run.id)) === TOTAL_BYTES)
  const logs = cli(['logs', run.id, '-f'])
  const events: RunEvent[] = []
  const attached = await phone.attach(run.id, { observe: true, gaps: 'report' })
  const reading = (async () => {
    for await (const event of attached.events()) events.push(event)
  })()
  t.ok(await until(() => events.some((event) => event.type === 'output' && event.next_offset === TOTAL_BYTES)))
  t.ok(await until(() => logs.seen.bytes > STORED_BYTES), 'shellphone logs -f has passed the gap')
  await run.write('\n')
  await soon(reading)
  const [gap, ...more] = events.filter(({ type }) => type === 'gap') as Extract<RunEvent, { type: 'gap' }>[]
  t.match(gap, { stream: 'stdout', offset: STORED_BYTES })
  t.same(more, [])
  t.match(events.at(-1), { type: 'result', status: 'completed' })
  const { code, bytes, err } = await soon(logs.ended)
  t.equal(code, 0)
  t.equal(bytes, TOTAL_BYTES + 4 - (gap!.next_offset - gap!.offset))
  t.match(
    err,
    /stdout: bytes 6291456 to \d+ are not stored\n[^]*shellphone: output beyond 6291456 bytes of stdout and 0 bytes of stderr is not stored: the limit of 6291456 bytes per run \(max_run_spool_bytes\) is reached\n$/,
  )
  run.leave()
})

t.test('counts the readers of one run', async (t) => {
  const readers = new Readers(() => {})
  t.equal(readers.taken('stdout'), 0, 'nobody')
  const watcher = readers.join('watches')
  watcher.take('stdout', 100)
  t.equal(readers.taken('stdout'), 100, 'a watcher counts while it is the only reader')
  const starter = readers.join('starts')
  t.equal(readers.taken('stdout'), 0, 'the slowest counts')
  starter.take('stdout', 60)
  starter.take('stdout', 50)
  t.equal(readers.taken('stdout'), 60, 'a reader cannot lower its offset')
  const reporter = readers.join('reports')
  reporter.take('stdout', 70)
  starter.leave()
  t.equal(readers.taken('stdout'), 70, 'a watcher does not count next to a reader that reports')
  reporter.leave()
  t.equal(readers.taken('stdout'), 0, 'nor after it has left')
})

t.test('SIGTERM ends shellphone run while the phone is unreachable', async (t) => {
  const proxy = await linkProxy(service.port)
  t.teardown(proxy.close)
  const running = cli(['run', '--port', String(proxy.port), 'echo up; sleep 20.63'])
  t.ok(await until(() => running.seen.bytes > 0))
  proxy.close()
  running.child.kill('SIGTERM')
  const { signal, err } = await soon(running.ended)
  t.equal(signal, 'SIGTERM')
  t.match(err, /could not cancel.*\n.*left running; see its output with shellphone logs \w+ -f --from \d+\.0\n$/)
})
