import t from 'tap'
import { createCanceler } from '../../src/fleet/plane/calls/cancel.ts'
import type { ExecutionParts } from '../../src/fleet/plane/calls/execution.ts'
import type { PhoneRequest } from '../../src/fleet/plane/calls/phone-request.ts'

/** A phone that answers each question with the next of `answers`; 0: not at all. */
function pretendPhone() {
  const [asked, answers]: [string[], number[]] = [[], []]
  const asking = {
    async whole({ method, path }: PhoneRequest) {
      asked.push(`${method} ${path}`)
      const status = answers.shift() ?? 0
      if (status === 0) throw new Error('no answer')
      return { status }
    },
  }
  const parts = { asking, clock: { pause: async () => {} } } as unknown as ExecutionParts
  return { parts, asked, answers }
}

t.test('a cancel that the phone has not confirmed is sent again at every contact, until it has', async (t) => {
  for (const unconfirmed of [0, 401, 429, 503]) {
    const { parts, asked, answers } = pretendPhone()
    const canceler = createCanceler(parts, () => ({ name: 'pixel', by: 'owner' }))
    canceler.want()
    answers.push(unconfirmed, unconfirmed, unconfirmed)
    await canceler.contact('r1')
    t.same(asked, Array(3).fill('DELETE /runs/r1'), 'three times at one contact')
    answers.push(200)
    await canceler.contact('r1')
    t.equal(asked.length, 4, `after ${unconfirmed} it is asked for again`)
    await canceler.contact('r1')
    t.equal(asked.length, 4, 'once it is confirmed no more')
  }
})

t.test('a run whose job nobody cancels is left alone', async (t) => {
  const { parts, asked } = pretendPhone()
  await createCanceler(parts, () => ({ name: 'pixel', by: 'owner' })).contact('r1')
  t.same(asked, [])
})

t.test('a phone that has no such run has confirmed that it ends', async (t) => {
  const { parts, asked, answers } = pretendPhone()
  const canceler = createCanceler(parts, () => ({ name: 'pixel', by: 'owner' }))
  canceler.want()
  answers.push(404)
  await canceler.contact('r1')
  await canceler.contact('r1')
  t.equal(asked.length, 1)
})
