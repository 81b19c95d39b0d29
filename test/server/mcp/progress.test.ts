import { mock } from 'node:test'
import t from 'tap'
import type { Watched } from '../../../src/server/exec/index.ts'
import { reportOutput } from '../../../src/server/mcp/progress.ts'

t.test('does not report output that is still being read when the call is answered', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const reads: ((bytes: Buffer) => void)[] = []
  const size = (stream: string) => (stream === 'stdout' ? 5 * (reads.length + 1) : 0)
  const read = () => new Promise<Buffer>((resolve) => reads.push(resolve))
  const run = { output: { size, keptBytes: size, read }, waitsFor: null } as unknown as Watched
  const reported: string[] = []
  const stop = reportOutput(run, (bytes, text) => reported.push(`${bytes} ${text}`))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  for (const text of ['first', 'later']) {
    mock.timers.tick(1000)
    if (text === 'later') stop()
    reads.at(-1)!(Buffer.from(text))
    await turn()
  }
  t.same(reported, ['5 first'], 'a second report would follow the reply')
})
