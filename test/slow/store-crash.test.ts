import t from 'tap'
import { crash } from '../server/store/crash.ts'
import { home } from '../server/store/world.ts'

t.test('kill -9 in the midst of twenty runs, 20 times: nothing that was promised is lost', async (t) => {
  const figures = await crash(home(t), 20, () => undefined)
  t.comment(JSON.stringify(figures))
  t.same(figures.wrong, [])
  t.ok(figures.answered > 50 && figures.interrupted > 50, 'it did work and it did crash')
})
