import t from 'tap'
import { connect, type SocketClass } from '../../src/sdk/index.ts'
import { SocketLink } from '../../src/sdk/link.ts'
import type { LinkState } from '../../src/sdk/link-states.ts'
import { WatchSession } from '../../src/sdk/watch-session.ts'
import { FakeSocket, fakeSockets, outputFrame } from '../support/fake-socket.ts'
import { soon, until } from '../support/helper.ts'

/** Sockets, timers and a clock under the test's control, until they are restored. */
function fakeWorld(t: { teardown(after: () => void): void }) {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const now = performance.now.bind(performance)
  const restore = () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
    performance.now = now
  }
  t.teardown(restore)
  let [due, heartbeat, passedMs] = [null as (() => void) | null, () => {}, 0]
  Object.assign(globalThis, {
    setTimeout: (call: () => void) => void (due = call),
    clearTimeout: () => void (due = null),
    setInterval: (call: () => void) => void (heartbeat = call),
    clearInterval: () => void (heartbeat = () => {}),
  })
  performance.now = () => now() + passedMs
  const sockets: (FakeSocket & { isPaused: boolean })[] = []
  class Pausable extends FakeSocket {
    isPaused = false
    constructor(_url: string) {
      super()
      sockets.push(this)
    }
    pause = () => void (this.isPaused = true)
    resume = () => void (this.isPaused = false)
  }
  const endpoint = { url: 'http://phone', token: 'x', WebSocket: Pausable as SocketClass, reconnectMs: 120_000 }
  const events = {
    opened: () => sockets.at(-1)!.open(),
    message: () => sockets.at(-1)!.say({ type: 'status' }),
    broken: () => sockets.at(-1)!.cut(),
    due: () => due?.(),
    heartbeat: () => heartbeat(),
    silence() {
      for (let count = 0; count < 2; count++) {
        passedMs += 15_000
        heartbeat()
      }
    },
    /** the service answers a ping, and timers are late or early by some milliseconds */
    idle(lateMs: number) {
      passedMs += 15_000 + lateMs
      const pings = sockets.at(-1)!.of('ping').length
      heartbeat()
      passedMs += 2
      if (sockets.at(-1)!.of('ping').length > pings) sockets.at(-1)!.say({ type: 'pong' })
    },
  }
  return { endpoint, sockets, events, restore }
}

function linkWorld(t: { teardown(after: () => void): void }) {
  const { endpoint, sockets, events, restore } = fakeWorld(t)
  const received: unknown[] = []
  const link = new SocketLink(endpoint, { greet: () => [], receive: (data) => received.push(data), fail: () => {} })
  const sessionEvents = {
    full: () => link.pauseReading(),
    drained: () => link.resumeReading(),
    close: () => link.close(),
  }
  return { link, sockets, received, events: { ...events, ...sessionEvents }, restore }
}
type Event = Exclude<keyof ReturnType<typeof linkWorld>['events'], 'idle'>

/** Events that fill the buffer of a watch. */
const MAX_WAITING = 4096
const seen: Event[] = ['opened', 'message']
/** The events that lead to each state. */
const paths: Record<LinkState, Event[]> = {
  connecting: [...seen, 'broken', 'due'],
  greeting: [...seen, 'broken', 'due', 'opened'],
  live: seen,
  draining: [...seen, 'full'],
  renewing: [...seen, 'full', 'heartbeat'],
  renewed: [...seen, 'full', 'heartbeat', 'opened'],
  ended: [...seen, 'close'],
}
/** The next state for each event; other events do not change the state. */
const transitions: Record<LinkState, Partial<Record<Event, LinkState>>> = {
  connecting: { opened: 'greeting', full: 'draining', close: 'ended' },
  greeting: { message: 'live', broken: 'connecting', silence: 'connecting', full: 'draining', close: 'ended' },
  live: { broken: 'connecting', silence: 'connecting', full: 'draining', close: 'ended' },
  draining: { heartbeat: 'renewing', silence: 'renewing', drained: 'live', close: 'ended' },
  renewing: { opened: 'renewed', drained: 'connecting', close: 'ended' },
  renewed: { message: 'draining', broken: 'renewing', silence: 'renewing', drained: 'greeting', close: 'ended' },
  ended: {},
}
const all: Event[] = ['opened', 'message', 'broken', 'full', 'drained', 'close', 'due', 'heartbeat', 'silence']

t.test('every event leads from every state to the expected state', async (t) => {
  for (const [from, path] of Object.entries(paths) as [LinkState, Event[]][]) {
    for (const event of all) {
      // nothing arrives before its socket is open
      if (event === 'message' && (from === 'connecting' || from === 'renewing')) continue
      const { link, sockets, events, restore } = linkWorld(t)
      for (const step of path) events[step]()
      const before = link.state
      events[event]()
      const after = link.state
      const open = sockets.filter(({ isClosed }) => !isClosed)
      const reading = open.filter(({ isPaused }) => !isPaused)
      restore()
      t.equal(before, from)
      t.equal(after, transitions[from][event] ?? from, `${from}, ${event}`)
      t.ok(
        reading.length <= 1 && open.length <= 2,
        `${from}, ${event}: one connection, beside the one that it replaces`,
      )
      if (after === 'ended') t.same(open, [], `${from}, ${event}: none is left`)
    }
  }
})

t.test('follows sequences of events', async (t) => {
  /** [events, final state, delivered messages] */
  const rows: [Event[], LinkState, number][] = [
    [['broken'], 'ended', 0], // the first attempt must succeed
    [['opened', 'broken', 'due', 'opened', 'message'], 'live', 1],
    [[...seen, 'full', 'message', 'message', 'drained'], 'live', 3],
    [[...seen, 'full', 'broken', 'drained'], 'connecting', 1],
    [[...seen, 'full', 'message', 'broken', 'drained', 'opened', 'message'], 'live', 2],
    [[...seen, 'full', 'heartbeat', 'opened', 'message', 'message', 'drained'], 'live', 3],
    [[...seen, 'full', 'heartbeat', 'opened', 'message', 'heartbeat', 'opened', 'message', 'drained'], 'live', 2],
    [[...seen, 'full', 'heartbeat', 'broken', 'due', 'opened', 'message', 'drained', 'message'], 'live', 3],
    [[...seen, 'full', 'heartbeat', 'drained', 'opened', 'message'], 'live', 2],
    [[...seen, 'silence', 'due', 'opened', 'message', 'heartbeat'], 'live', 2],
  ]
  for (const [path, state, messages] of rows) {
    const { link, received, events, restore } = linkWorld(t)
    for (const step of path) events[step]()
    const found = link.state
    link.close()
    restore()
    t.equal(found, state, path.join(' '))
    t.equal(received.length, messages, path.join(' '))
  }
})

t.test('keeps an idle connection whose service answers, however exact its timers are', (t) => {
  const { link, sockets, events, restore } = linkWorld(t)
  for (const step of seen) events[step]()
  for (const lateMs of [0, -3, 5, 5, -5, 20, 0, -1, 100, -100, 3, 3]) events.idle(lateMs)
  restore()
  t.same([link.state, sockets.length], ['live', 1])
  t.ok(sockets[0]!.of('ping').length >= 6)
  link.close()
  t.end()
})

const ID = '01m808gre5000mhvbe2gtwpcnj'
const result = { type: 'result', id: ID, status: 'completed', stdout_bytes: 0, stderr_bytes: 0 }

t.test('any first message of the service confirms an attached run', async (t) => {
  const rows: Record<string, object | Uint8Array> = {
    accepted: { type: 'accepted', id: ID },
    status: { type: 'status', id: ID, status: 'running' },
    note: { type: 'note', id: ID, note: 'waits', approval: { id: 'a', expires_at: '' } },
    output: outputFrame(ID, 0, 'x'),
    stdin_taken: { type: 'stdin_taken', id: ID, offset: 0 },
    result,
    pong: { type: 'pong' },
  }
  for (const [name, message] of Object.entries(rows)) {
    const { sockets, WebSocket } = fakeSockets()
    const attaching = connect({ url: 'http://phone', token: 'x', WebSocket }).attach(ID, { gaps: 'report' })
    await until(() => sockets.length === 1)
    sockets[0]!.open()
    sockets[0]!.say(message)
    const run = await soon(attaching)
    t.equal(run.id, ID, name)
    run.leave()
  }
})

t.test('a watch reports each new connection, also one that replaces a paused one', async (t) => {
  const { endpoint, sockets, events, restore } = fakeWorld(t)
  const watch = new WatchSession(endpoint)
  for (const step of ['opened', 'message'] as const) events[step]()
  for (let count = 0; count < MAX_WAITING; count++) events.message()
  t.ok(sockets[0]!.isPaused, 'its buffer is full')
  for (const step of ['heartbeat', 'opened', 'message'] as const) events[step]()
  restore()
  const types: string[] = []
  for await (const { type } of watch.events()) {
    types.push(type)
    if (types.filter((one) => one === 'connected').length === 2) break
  }
  t.same([...new Set(types)], ['connected', 'status'])
  t.equal(types.at(-1), 'connected')
})
