import fc from 'fast-check'
import { RowWorld, type Travel } from './row-world.ts'

/** The state that decides whether an event is possible; everything else is in the world. */
interface Model {
  jobs: number
  isConnected: boolean
}

type Act = (world: RowWorld, model: Model) => void | Promise<void>

class Event implements fc.AsyncCommand<Model, RowWorld, false> {
  constructor(
    readonly label: string,
    readonly act: Act,
    readonly check: (model: Readonly<Model>) => boolean = ({ jobs }) => jobs > 0,
  ) {}

  async run(model: Model, world: RowWorld): Promise<void> {
    await this.act(world, model)
    await world.step(0, 'timeout') // nothing arrives, and every plane reports its state
    if (world.wrongs.length > 0) throw new Error(world.wrongs.join('; '))
  }

  toString = () => this.label
}

const MAX_JOBS = 2
const plane = fc.nat({ max: 1 })
const travel = fc.constantFrom<Travel>('arrives', 'arrives', 'arrives', 'arrives', 'timeout', 'lost', 'twice')

/** Every event that can happen to one phone's row, by name. */
const events = {
  sent: fc
    .tuple(fc.constantFrom(20, 600), fc.constantFrom({}, {}, { asks: true }, { isWrong: true }))
    .map(([ttl, request]) => {
      const submit: Act = (world, model) => {
        model.jobs += 1
        world.submit(ttl, request)
      }
      return new Event(`submit(${ttl}, ${JSON.stringify(request)})`, submit, ({ jobs }) => jobs < MAX_JOBS)
    }),
  message: fc.array(fc.tuple(fc.nat({ max: 9 }), travel), { minLength: 1, maxLength: 8 }).map(
    (hops) =>
      new Event(`travel(${hops.map(([n, how]) => `${n} ${how}`).join(', ')})`, async (world) => {
        for (const [n, how] of hops) await world.step(n, how)
      }),
  ),
  'link cut': fc.constant(
    new Event(
      'link cut',
      (world, model) => {
        model.isConnected = false
        world.connectPhone(false)
      },
      ({ isConnected }) => isConnected,
    ),
  ),
  'link back': fc.constant(
    new Event('link back', (world, model) => {
      model.isConnected = true
      world.connectPhone(true)
    }),
  ),
  'broker cut': plane.map((at) => new Event(`broker cut(${at})`, (world) => void (world.planes[at]!.isUp = false))),
  'broker back': plane.map((at) => new Event(`broker back(${at})`, (world) => void (world.planes[at]!.isUp = true))),
  cancel: fc.tuple(plane, fc.nat({ max: MAX_JOBS - 1 })).map(
    ([at, n]) =>
      new Event(`cancel(${at}, ${n})`, (world) => {
        void world.planes[at]!.cancel(world.known[n % world.known.length]!)
      }),
  ),
  answer: fc.constant(new Event('runs end', (world) => world.phone.endRuns(() => true))),
  approval: fc.constant(new Event('approved', (world) => world.phone.approve())),
  deadline: fc
    .constantFrom(1_000, 16_000, 31_000, 700_000)
    .map((ms) => new Event(`${ms} ms pass`, (world) => void (world.nowMs += ms))),
  'plane restart': plane.map((at) => new Event(`plane restart(${at})`, (world) => world.restartPlane(at))),
  'phone restart': fc.constant(
    new Event('phone restart', (world, model) => {
      world.connectPhone(false)
      world.phone.restart()
      world.connectPhone((model.isConnected = true))
    }),
  ),
  'phone wiped': fc.constant(
    new Event('phone wiped', (world, model) => {
      world.connectPhone(false)
      world.phone.wipe()
      world.connectPhone((model.isConnected = true))
    }),
  ),
  'clock stepped': fc
    .tuple(plane, fc.constantFrom(-3_600_000, -40_000, 0, 2_000))
    .map(
      ([at, ms]) => new Event(`clock of plane ${at} stepped by ${ms}`, (world) => void (world.planes[at]!.skewMs = ms)),
    ),
  sweep: plane.map((at) => new Event(`sweep(${at})`, (world) => world.planes[at]!.kick())),
}
export const eventNames = Object.keys(events)

/** Messages travel more often than other events happen. */
const weights: Record<string, number> = { message: 8, sent: 2, sweep: 2 }
const some = Object.entries(events).flatMap(([name, event]) =>
  Array.from({ length: weights[name] ?? 1 }, () => event as fc.Arbitrary<fc.AsyncCommand<Model, RowWorld, false>>),
)

interface Found {
  runs: number
  events: number
  starts: number
  states: Record<string, number>
}

/** Runs random sequences of events, each followed by a recovery; throws with the shortest sequence that breaks an invariant. */
export async function checkRows(runs: number, seed: number): Promise<Found> {
  const found: Found = { runs: 0, events: 0, starts: 0, states: {} }
  const sequences = fc.commands<Model, RowWorld, false>(some, { maxCommands: 60, size: 'max' })
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const world = new RowWorld()
    await fc.asyncModelRun(() => ({ model: { jobs: 0, isConnected: true }, real: world }), sequence)
    await world.heal()
    for (const known of world.known) {
      const state = world.stateOf(known)
      found.states[state] = (found.states[state] ?? 0) + 1
      found.starts += known.starts
    }
    found.runs += 1
    found.events += [...sequence].length
    const broken = Object.entries({ ...world.broken(), wrong: world.wrongs }).filter(([, ids]) => ids.length > 0)
    for (const one of world.planes) one.stop()
    if (broken.length > 0) throw new Error(JSON.stringify(Object.fromEntries(broken)))
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: false })
  return found
}
