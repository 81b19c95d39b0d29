import t from 'tap'
import { connect, type Run, type RunEvent, type SocketClass } from '../../src/sdk/index.ts'
import { SocketLink } from '../../src/sdk/link.ts'
import { FakeSocket, fakeSockets, outputFrame } from '../support/fake-socket.ts'
import { soon, until } from '../support/helper.ts'

const ID = '01m808gre5000mhvbe2gtwpcnj'
const PIECE_BYTES = 65_536
const WINDOW_BYTES = 1_048_576

/** A client; the test acts as its service. */
function world(reconnectMs?: number) {
  const { sockets, WebSocket } = fakeSockets()
  const phone = connect({ url: 'http://phone', token: 'x', WebSocket, ...(reconnectMs && { reconnectMs }) })
  const next = async (count: number): Promise<FakeSocket> => {
    await until(() => sockets.length === count)
    const socket = sockets[count - 1]!
    socket.open()
    return socket
  }
  return { phone, sockets, next }
}

/** A started run, with its first connection. */
async function started(options: object = {}) {
  const { phone, sockets, next } = world()
  const starting = phone.run('cat', options)
  const socket = await next(1)
  socket.say({ type: 'accepted', id: ID }, { type: 'status', id: ID, status: 'running' })
  return { run: await starting, socket, sockets, next }
}

/** Timers that the test fires. */
function fakeTimers(t: { teardown(after: () => void): void }) {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval }))
  const waiting = new Map<number, () => void>()
  const heartbeats: (() => void)[] = []
  let count = 0
  const waits: number[] = []
  Object.assign(globalThis, {
    setTimeout: (call: () => void, ms = 0) => (waits.push(ms), waiting.set(++count, call), count),
    clearTimeout: (id: number) => waiting.delete(id),
    setInterval: (call: () => void) => heartbeats.push(call),
    clearInterval: () => {},
  })
  const fire = () => {
    const calls = [...waiting.values()]
    waiting.clear()
    for (const call of calls) call()
  }
  return { fire, waits, heartbeat: () => heartbeats.forEach((call) => call()) }
}

/** Collects every event. */
function reading(run: Run) {
  const events: RunEvent[] = []
  const done = (async () => {
    for await (const event of run.events()) events.push(event)
  })()
  done.catch(() => {})
  const text = () =>
    events.map((event) => (event.type === 'output' ? Buffer.from(event.bytes).toString('latin1') : '')).join('')
  return { events, done, text }
}

const result = (bytes: number) => ({
  type: 'result',
  id: ID,
  status: 'completed',
  stdout_bytes: bytes,
  stderr_bytes: 0,
})

t.test('a run counts as attached as soon as output arrives', async (t) => {
  const { phone, next } = world()
  const attaching = phone.attach(ID)
  const socket = await next(1)
  socket.say(outputFrame(ID, 0, 'early'))
  const run = await soon(attaching)
  const { done, text } = reading(run)
  socket.say({ type: 'status', id: ID, status: 'completed' }, result(5))
  await soon(done)
  t.equal(text(), 'early')
})

t.test('a followed run ends with its client, a background run does not', async (t) => {
  const followed = await started()
  t.match(followed.socket.of('exec'), [{ background: true, lease_seconds: 30, when_full: 'wait' }])
  followed.run.leave()
  const left = await started({ background: true })
  t.match(left.socket.of('exec'), [{ background: true, lease_seconds: undefined, when_full: undefined }])
  left.run.leave()
})

t.test('delivers each byte once if frames overlap after a reconnect', async (t) => {
  const { run, socket, next } = await started()
  const { done, text } = reading(run)
  socket.say(outputFrame(ID, 0, 'abcdef'))
  socket.cut()
  const again = await next(2)
  t.match(again.of('attach'), [{ id: ID, stdout: 6, stderr: 0 }])
  again.say(outputFrame(ID, 2, 'cd'), outputFrame(ID, 4, 'efgh'), outputFrame(ID, 0, 'abcdefghij'), result(10))
  await soon(done)
  t.equal(text(), 'abcdefghij')
})

t.test('repeats the offsets read on a new connection', async (t) => {
  const { run, socket, next } = await started()
  const { text } = reading(run)
  socket.say(outputFrame(ID, 0, 'abcdef'))
  await until(() => text() === 'abcdef')
  socket.cut()
  const again = await next(2)
  t.match(again.of('output_taken'), [{ id: ID, stdout: 6, stderr: 0 }])
  run.leave()
})

t.test('loses nothing of a long write and the end of stdin if neither is awaited', async (t) => {
  const { run, socket } = await started({ stdin: 'open' })
  const bytes = 5 * WINDOW_BYTES
  const writing = run.write(new Uint8Array(bytes))
  run.end()
  const pieces = () => socket.sent.filter((message) => message instanceof Uint8Array)
  const ends = () => socket.of('stdin')
  let order = ''
  for (let taken = 0; taken < bytes;) {
    await until(() => pieces().length * PIECE_BYTES >= Math.min(bytes, taken + WINDOW_BYTES))
    order += ends().length
    taken = pieces().length * PIECE_BYTES
    if (order.length > 5) break
    socket.say({ type: 'stdin_taken', id: ID, offset: taken })
  }
  await soon(writing)
  t.equal(order, '00001', 'the end follows the last byte')
  t.match(ends(), [{ id: ID, offset: bytes, end: true }])
  run.leave()
})

t.test('sends the end of stdin again after a cut', async (t) => {
  const { run, socket, next } = await started({ stdin: 'open' })
  await run.write('abc')
  run.end()
  t.equal(socket.of('stdin').length, 1)
  socket.cut()
  const again = await next(2)
  again.say({ type: 'stdin_taken', id: ID, offset: 3 })
  t.match(again.of('stdin'), [{ id: ID, offset: 3, end: true }])
  t.match(
    again.sent.findIndex((message) => message instanceof Uint8Array) < again.sent.indexOf(again.of('stdin')[0]),
    true,
  )
  run.leave()
})

t.test('opens one socket if the buffer drains while the connection is down', async (t) => {
  const { sockets, WebSocket } = fakeSockets()
  const timers = fakeTimers(t)
  const endpoint = { url: 'http://phone', token: 'x', WebSocket, reconnectMs: 120_000 }
  const link = new SocketLink(endpoint, { greet: () => [], receive: () => {}, fail: () => {} })
  sockets[0]!.open()
  sockets[0]!.say({ type: 'pong' })
  link.pauseReading()
  timers.heartbeat() // checks whether the service still answers
  sockets[1]!.cut()
  link.resumeReading()
  timers.fire()
  t.equal(sockets.filter(({ isClosed }) => !isClosed).length, 1)
  link.close()
})

t.test('a stalled reader always has a connection, and resumes on the newest one', async (t) => {
  const sockets: (FakeSocket & { isPaused?: boolean })[] = []
  class Pausable extends FakeSocket {
    isPaused = false
    constructor(_url: string) {
      super()
      sockets.push(this)
    }
    pause = () => void (this.isPaused = true)
    resume = () => void (this.isPaused = false)
  }
  const timers = fakeTimers(t)
  const endpoint = { url: 'http://phone', token: 'x', WebSocket: Pausable as SocketClass, reconnectMs: 120_000 }
  const received: unknown[] = []
  const link = new SocketLink(endpoint, { greet: () => [], receive: (data) => received.push(data), fail: () => {} })
  const states = () => sockets.map(({ isClosed, isPaused }) => (isClosed ? 'closed' : isPaused ? 'paused' : 'open'))
  sockets[0]!.open()
  link.pauseReading()
  timers.heartbeat()
  t.same(states(), ['paused', 'open'])
  sockets[1]!.open()
  sockets[1]!.say({ type: 'first' }, { type: 'second' })
  t.same(states(), ['closed', 'paused'])
  timers.heartbeat()
  sockets[2]!.cut() // the service cannot be reached for a moment
  t.same(states(), ['closed', 'paused', 'closed'])
  timers.fire()
  sockets[3]!.open()
  sockets[3]!.say({ type: 'third' }, { type: 'fourth' })
  t.same(states(), ['closed', 'closed', 'closed', 'paused'])
  t.same(received, [], 'the buffer is full')
  link.resumeReading()
  sockets[3]!.say({ type: 'fifth' })
  t.same(
    received,
    ['third', 'fourth', 'fifth'].map((type) => JSON.stringify({ type })),
  )
  t.equal(states().at(-1), 'open')
  link.close()
})

t.test('the service counts a reader on a new connection before it sends anything', async (t) => {
  const { run, socket, next } = await started()
  socket.cut()
  const types = (await next(2)).sent.map(({ type }) => type)
  t.same(types, ['auth', 'frames', 'output_taken', 'attach'])
  run.leave()
})

t.test('soon replaces a connection that is cut before its first message', async (t) => {
  const { sockets, WebSocket } = fakeSockets()
  const timers = fakeTimers(t)
  const endpoint = { url: 'http://phone', token: 'x', WebSocket, reconnectMs: 120_000 }
  const link = new SocketLink(endpoint, { greet: () => [], receive: () => {}, fail: () => {} })
  const rows = ['taken', 'taken', 'away', 'away', 'away', 'taken', 'taken']
  for (const [index, row] of rows.entries()) {
    if (row === 'taken') sockets[index]!.open()
    sockets[index]!.cut()
    timers.fire()
  }
  t.same(timers.waits, [50, 50, 100, 200, 400, 50, 50])
  link.close()
})

t.test('retries after the machine has slept before giving up', async (t) => {
  const real = { now: Date.now, monotonic: performance.now.bind(performance) }
  let sleptMs = 0
  Date.now = () => real.now() + sleptMs
  performance.now = () => real.monotonic() + sleptMs
  t.teardown(() => {
    Date.now = real.now
    performance.now = real.monotonic
  })
  const { run, socket, next } = await started()
  const { done, text } = reading(run)
  sleptMs = 3_600_000
  socket.cut()
  const second = await next(2)
  sleptMs += 3_600_000
  second.cut() // the attempt has lasted as long as the sleep
  const again = await next(3)
  t.ok(again, 'it connects')
  again?.say(outputFrame(ID, 0, 'awake'), result(5))
  await soon(done)
  t.equal(text(), 'awake')
})
