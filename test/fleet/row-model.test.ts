import t from 'tap'
import { checkRows, eventNames } from '../support/row-model.ts'
import { RowWorld } from '../support/row-world.ts'

const RUNS = 150
const SEED = 29

t.test(
  'no sequence of events makes a job run twice, get lost, run although it expired, or outlive its cancel',
  async (t) => {
    const { states, ...counts } = await checkRows(RUNS, SEED)
    t.comment(JSON.stringify({ ...counts, states, kinds: eventNames }))
    t.equal(counts.runs, RUNS)
    for (const state of ['ended', 'refused', 'expired', 'withdrawn', 'unknown'])
      t.ok(states[state], `some jobs were ${state}`)
  },
)

/** Delivers messages in order until the next one has this label. */
async function arriveUntil(world: RowWorld, label: string): Promise<void> {
  for (let hops = 0; !world.traveling[0]?.label.startsWith(label); hops++) {
    if (hops > 50) throw new Error(`no ${label} in ${world.traveling.map((one) => one.label).join(', ')}`)
    await world.step(0, 'arrives')
  }
}

/** A world with one working plane and one job. */
function worldWith(ttlSeconds: number, request: object): RowWorld {
  const world = new RowWorld()
  world.planes[1]!.isUp = false
  world.submit(ttlSeconds, request)
  return world
}

t.test('a run that waits for approval is accepted, and running only once it has started', async (t) => {
  const world = worldWith(600, { asks: true })
  const states = () => world.known.map((known) => world.stateOf(known))
  await arriveUntil(world, 'GET /runs/')
  t.ok(world.nowMs >= 2_000, 'it has been reported by now')
  t.same(states(), ['accepted'])
  world.phone.approve()
  await arriveUntil(world, 'write')
  await world.step(0, 'arrives')
  t.same(states(), ['running'])
})

t.test('a job that expires while its phone is probed is not sent', async (t) => {
  const world = worldWith(20, {})
  await arriveUntil(world, 'answer to /health')
  world.nowMs += 25_000 // a row that is written now counts
  await world.step(0, 'arrives')
  await world.heal()
  t.match(world.known, [{ saidExpired: true, starts: 0 }])
  t.equal(world.row(world.known[0]!.job), null, 'nothing was written')
})

t.test('a cancel does not revive a row that the broker accepted too late', async (t) => {
  const world = worldWith(20, {})
  await arriveUntil(world, 'write')
  const late = world.traveling.shift()!
  late.giveUp()
  world.planes[0]!.isUp = false
  world.planes[1]!.isUp = true
  void world.planes[1]!.cancel(world.known[0]!)
  await arriveUntil(world, 'write')
  world.nowMs += 40_000
  late.arrive()
  await world.heal()
  t.match(world.known, [{ saidExpired: true, starts: 0, cancel: 'settled' }])
  t.same(world.wrongs, [])
})
