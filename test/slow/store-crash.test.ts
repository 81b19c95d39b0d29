import t from 'tap'
import { crash } from '../server/store/crash.ts'
import { home } from '../server/store/world.ts'

t.test('loses nothing after kill -9 during twenty runs, 20 times', async (t) => {
  const figures = await crash(home(t), 20, () => undefined)
  t.comment(JSON.stringify(figures))
  t.same(figures.wrong, [])
  t.ok(figures.answered > 50 && figures.interrupted > 50, 'there were runs and crashes')
})
