import fs from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { createStore } from '../../../src/server/store/index.ts'
import { home, open, options, reply, run } from './world.ts'

/** Reopens a history of two runs, truncated at each of these bytes: only the truncated part is lost, and a run can be added. */
export async function cutHistory(t: Test, cutsOf: (size: number, lineEnds: number[]) => number[]): Promise<void> {
  const source = home(t)
  const store = open(t, source)
  const ids = []
  for (let index = 0; index < 2; index++) {
    ids.push((await run(store, [['stdout', Buffer.from(`${index}`)]], { command: `c${index}` })).id)
  }
  store.close()
  const whole = fs.readFileSync(path.join(source, 'history', '00000001.jsonl'))
  const lineEnds = [...whole.keys()].filter((at) => whole[at] === 10)
  const directory = path.join(source, 'cut')
  fs.mkdirSync(path.join(directory, 'history'), { recursive: true })
  const wrong: object[] = []
  const cuts = cutsOf(whole.length, lineEnds)
  for (const cut of cuts) {
    fs.writeFileSync(path.join(directory, 'history', '00000001.jsonl'), whole.subarray(0, cut))
    const cutStore = createStore(options(directory))
    const added = await run(cutStore, [['stdout', Buffer.from('added')]])
    cutStore.close()
    const again = createStore(options(directory))
    // the first line is the segment's header
    const lines = lineEnds.filter((end) => end <= cut).length - 1
    const expected = ids.map((_, index) =>
      lines >= index * 2 + 2 ? 'completed' : lines === index * 2 + 1 ? 'failed' : undefined,
    )
    const found = await Promise.all(ids.map(async (id) => (await reply(again, id))?.status))
    const answered = (await reply(again, added.id))?.stdout
    if (String(found) !== String(expected) || answered !== 'added') wrong.push({ cut, found, expected, answered })
    again.close()
  }
  t.ok(cuts.length > lineEnds.length)
  t.same(wrong, [], `${cuts.length} cuts`)
}
