import t from 'tap'
import { createCanceler } from '../../src/fleet/plane/calls/cancel.ts'
import type { ExecutionParts } from '../../src/fleet/plane/calls/execution.ts'
import type { PhoneRequest } from '../../src/fleet/plane/calls/phone-request.ts'

/** A phone that responds to each request with the next status of `answers`; 0: no response. */
function pretendPhone() {
  const [sent, answers]: [string[], number[]] = [[], []]
  const phoneRequests = {
    async fetch({ method, path }: PhoneRequest) {
      sent.push(`${method} ${path}`)
      const status = answers.shift() ?? 0
      if (status === 0) throw new Error('no answer')
      return { status }
    },
  }
  const parts = { phoneRequests, clock: { pause: async () => {} } } as unknown as ExecutionParts
  return { parts, sent, answers }
}

t.test('sends an unconfirmed cancel again at every contact', async (t) => {
  for (const unconfirmed of [0, 401, 429, 503]) {
    const { parts, sent, answers } = pretendPhone()
    const canceler = createCanceler(parts, () => ({ name: 'pixel', by: 'owner' }))
    canceler.want()
    answers.push(unconfirmed, unconfirmed, unconfirmed)
    await canceler.contact('r1')
    t.same(sent, Array(3).fill('DELETE /runs/r1'), 'three times at one contact')
    answers.push(200)
    await canceler.contact('r1')
    t.equal(sent.length, 4, `sends it again after ${unconfirmed}`)
    await canceler.contact('r1')
    t.equal(sent.length, 4, 'sends nothing after the confirmation')
  }
})

t.test('sends no cancel for a job that is not canceled', async (t) => {
  const { parts, sent } = pretendPhone()
  await createCanceler(parts, () => ({ name: 'pixel', by: 'owner' })).contact('r1')
  t.same(sent, [])
})

t.test('404 confirms a cancel', async (t) => {
  const { parts, sent, answers } = pretendPhone()
  const canceler = createCanceler(parts, () => ({ name: 'pixel', by: 'owner' }))
  canceler.want()
  answers.push(404)
  await canceler.contact('r1')
  await canceler.contact('r1')
  t.equal(sent.length, 1)
})
