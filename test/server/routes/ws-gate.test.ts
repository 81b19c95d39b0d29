import { mock } from 'node:test'
import t from 'tap'
import { AUTH_DEADLINE_MS, PendingClients } from '../../../src/http/index.ts'
import { guardUpgrade } from '../../../src/server/routes/ws-gate.ts'
import { createStranger } from '../../support/stranger.ts'

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

/** An unauthenticated connection at a gate that accepts every token; `opened`: the number of times it was admitted. */
function atGate() {
  const stranger = createStranger()
  let opened = 0
  const security = { authenticate: () => {}, refuse: () => t.fail() as never }
  const pending = new PendingClients({ perAddress: 1, inAll: 1 })
  guardUpgrade(stranger.socket, stranger.request, { security, pending }, () => opened++)
  return { ...stranger, pending, opened: () => opened }
}

t.test('closes the connection without a token within 5 s', async (t) => {
  const { ending, pending, opened } = atGate()
  mock.timers.tick(AUTH_DEADLINE_MS - 1)
  t.same([ending, pending.size], [[], 1], 'not before')
  mock.timers.tick(1)
  t.match(ending, [{ type: 'error', error: { type: 'unauthorized' } }, [1008, 'unauthorized'], 'terminated'])
  t.equal(opened(), 0)
})

t.test('accepts a token just before 5 s have passed', async (t) => {
  const { says, ending, pending, opened } = atGate()
  mock.timers.tick(AUTH_DEADLINE_MS - 1)
  says({ type: 'auth', token: 'right' })
  t.same([opened(), pending.size], [1, 0], 'it is let in, and no stranger any more')
  mock.timers.tick(AUTH_DEADLINE_MS)
  t.same(ending, [], 'nothing ends it')
})
