import { mock } from 'node:test'
import t from 'tap'
import { AUTH_DEADLINE_MS, guardSocket, PendingClients } from '../../src/http/index.ts'
import { createStranger } from '../support/stranger.ts'

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

/** A WebSocket without a token at the gate; `seen`: the tokens it was opened with, and 'late'. */
function atGate(pending = new PendingClients({ perAddress: 2, inAll: 2 })) {
  const stranger = createStranger()
  const seen: string[] = []
  guardSocket(stranger.socket, stranger.request, pending, {
    open: (token) => seen.push(token),
    late: () => seen.push('late'),
  })
  return { ...stranger, pending, seen }
}

t.test('a WebSocket that shows no token within 5 s is late, once', async (t) => {
  const { seen } = atGate()
  mock.timers.tick(AUTH_DEADLINE_MS - 1)
  t.same(seen, [], 'not before')
  mock.timers.tick(1)
  t.same(seen, ['late'])
})

t.test('a token just within 5 s opens it, and nothing ends it later', async (t) => {
  const { says, seen, ending, pending } = atGate()
  mock.timers.tick(AUTH_DEADLINE_MS - 1)
  says({ type: 'auth', token: 'right' })
  mock.timers.tick(AUTH_DEADLINE_MS)
  t.same([seen, ending, pending.size], [['right'], [], 0])
})

t.test('the one that has waited longest makes room for the next', async (t) => {
  const first = atGate()
  const [second, third] = [atGate(first.pending), atGate(first.pending)]
  t.same([first.ending, second.ending, third.ending], [['terminated'], [], []])
  second.socket.emit('close')
  t.equal(first.pending.size, 1, 'who has gone makes room')
})
