import t from 'tap'
import { newRunId, type OutputPiece } from '../../src/server/store/index.ts'
import { cutHistory } from '../server/store/cut-history.ts'
import { pipeInto } from '../server/store/pipe-into.ts'
import { home, MIB, open } from '../server/store/world.ts'

t.test('stalled readers cost no memory, and the others get every byte', async (t) => {
  const store = open(t, home(t), { maxRunSpoolBytes: 256 * MIB })
  const spool = store.spool(newRunId(0))
  const size = 256 * MIB
  const stalled = Array.from({ length: 45 }, () => spool.follow({ stdout: 0, stderr: 0 })[Symbol.asyncIterator]())
  const first = stalled.map((reader) => reader.next())
  const digest = async (pieces: AsyncIterable<OutputPiece>): Promise<number> => {
    let total = 0
    for await (const { data } of pieces) total += data.length
    return total
  }
  const readers = Array.from({ length: 5 }, () => digest(spool.follow({ stdout: 0, stderr: 0 })))
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }, 5)
  await pipeInto(spool, ['head', '-c', String(size), '/dev/zero'])
  await spool.finish()
  t.same(await Promise.all(readers), Array(5).fill(size))
  clearInterval(watch)
  await Promise.all(first)
  t.comment(`most memory beside: ${(most / MIB).toFixed(1)} MiB`)
  t.ok(most < 128 * MIB, `${most} bytes`)
  for (const reader of stalled) await reader.return?.()
})

t.test('a history cut at any byte opens, loses only the cut part, and continues', (t) =>
  cutHistory(t, (size) => Array.from({ length: size + 1 }, (_, cut) => cut)),
)
