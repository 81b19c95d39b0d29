import t from 'tap'
import { rot } from '../server/store/rot.ts'
import { home } from '../server/store/world.ts'

t.test('reports only correct data after disk faults, and reports every loss', async (t) => {
  const figures = await rot(home(t), 15, () => undefined)
  t.comment(JSON.stringify(figures))
  t.same(figures.wrong, [])
  t.equal(figures.keysLost, 0)
  t.ok(figures.noticed > 8, 'there was damage')
})
