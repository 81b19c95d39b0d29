import t from 'tap'
import { checkRows, eventNames } from './row-model.ts'

const RUNS = 150
const SEED = 29

t.test(
  'no sequence of events makes a job run twice, get lost, run although it expired, or outlive its cancel',
  async (t) => {
    const { states, ...counts } = await checkRows(RUNS, SEED)
    t.comment(JSON.stringify({ ...counts, states, kinds: eventNames }))
    t.equal(counts.runs, RUNS)
    for (const state of ['ended', 'refused', 'expired', 'withdrawn', 'unknown'])
      t.ok(states[state], `some were ${state}`)
  },
)
