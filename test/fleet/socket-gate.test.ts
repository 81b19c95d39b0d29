import { mock } from 'node:test'
import t from 'tap'
import { guardSocket } from '../../src/fleet/plane/api/socket-gate.ts'
import { createStranger } from '../support/stranger.ts'

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

/** A stranger at a control plane; `opened`: the tokens that it was let on with. */
function atGate() {
  const stranger = createStranger()
  const opened: string[] = []
  guardSocket(stranger.socket, stranger.request, (token) => opened.push(token))
  return { ...stranger, opened }
}

t.test('a control plane closes a WebSocket that shows no token within 5 s', async (t) => {
  const { socket, ending, opened } = atGate()
  mock.timers.tick(4_999)
  t.same(ending, [], 'not before')
  mock.timers.tick(1)
  t.same(ending, [[1008, 'no token within 5 s']])
  socket.emit('close')
  t.same(opened, [])
})

t.test('a control plane takes a token just within 5 s', async (t) => {
  const { says, ending, opened } = atGate()
  mock.timers.tick(4_999)
  says({ type: 'auth', token: 'right' })
  mock.timers.tick(5_000)
  t.same([opened, ending], [['right'], []])
})

t.test('a control plane has room for 64 WebSockets that have shown no token', async (t) => {
  const waiting = Array.from({ length: 64 }, atGate)
  const late = atGate()
  t.same(late.ending, [[1013, 'too many have shown no token yet']])
  for (const { socket } of waiting) socket.emit('close')
  t.same(atGate().ending, [], 'who has gone makes room')
})
