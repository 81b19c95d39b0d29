import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { planeHome, startPlaneProcess } from '../../test/support/chaos.ts'
import { cpuMsOf, endWithUs, becomes } from '../../test/support/helper.ts'
import { type Broker, startBroker } from '../../test/support/nats.ts'
import { enrol, planeClient, planeFile } from '../../test/support/plane.ts'
import { rssMib } from '../bench/bench-idle.ts'
import { median } from '../bench/bench-latency.ts'

type Print = (text: string, isGood?: boolean) => void
/** The fleet membership of one phone. */
type Membership = {
  name: string
  jwt: string
  seed: string
  servers: string[]
  ca: null
  plane_keys: string[]
  plane: string
}

const PROCESSES = 4
const WARM_TIMES = 5
const WARM_MS = 2_000
const DEADLINE_SECONDS = 5
/** The maximum time until all phones have reconnected. This machine needs most of it to compute the phones' signatures. */
const BACK_MS = 20_000
const BROKER_MIB = 120

/** The phones of one process, and the number of them that are connected. */
interface Group {
  process: ChildProcess
  memberships: Membership[]
  connected: number
}

async function startGroup(memberships: Membership[]): Promise<Group> {
  const path = fileURLToPath(new URL('fleet-crowd-process.ts', import.meta.url))
  const child = endWithUs(fork(path, { execArgv: ['--import', 'tsx'] }))
  await once(child, 'message')
  const group: Group = { process: child, memberships, connected: 0 }
  child.on('message', (connected: number) => (group.connected = connected)).send(memberships)
  return group
}

const percentOf = (groups: Group[], phones: number) =>
  (groups.reduce((sum, { connected }) => sum + connected, 0) / phones) * 100

/** Measures after how many seconds 10, 50, 90 and 100 percent of the phones are connected. */
async function connecting(groups: Group[], phones: number): Promise<{ text: string; ms: number }> {
  const began = performance.now()
  const lines: string[] = []
  for (const percent of [10, 50, 90, 100]) {
    if (!(await becomes(() => percentOf(groups, phones) >= percent, 60_000))) lines.push('never')
    lines.push(`${percent} % after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
  return { text: lines.join(', '), ms: performance.now() - began }
}

/** Measures many phones, each with its own connection: exec on all, with killed and with frozen phones, and after a restart of the broker. */
export async function crowd(phones: number, print: Print): Promise<void> {
  const broker = await startBroker()
  const file = await planeFile(broker)
  const plane = await startPlaneProcess(planeHome(file))
  const client = planeClient(plane.url, file)
  const processes = () => [broker.process().pid!, plane.process.pid!, ...groups.map((group) => group.process.pid!)]
  let groups: Group[] = []
  /** measures the CPU time of `work` */
  const measured = async <T>(work: () => Promise<T>): Promise<{ done: T; cost: string }> => {
    const before = processes().map(cpuMsOf)
    const done = await work()
    const [server, control, ...ofPhones] = processes().map((pid, at) => cpuMsOf(pid) - before[at]!)
    const phones = ofPhones.reduce((sum, ms) => sum + ms, 0)
    return { done, cost: `CPU of the broker ${server} ms, of the plane ${control} ms, of the phones ${phones} ms` }
  }
  const execOnAll = async (what: string, wanted: Record<string, number>, mostMs: number) => {
    const began = performance.now()
    const body = { command: 'true', phones: '*', wait_seconds: DEADLINE_SECONDS }
    const { done, cost } = await measured(async () => (await client.post('/exec', body)).json() as Promise<any>)
    const ms = performance.now() - began
    const isGood = Object.entries(wanted).every(([state, many]) => done.counts[state] === many) && ms <= mostMs
    print(`exec on all ${phones}, ${what}: ${ms.toFixed(0)} ms, ${JSON.stringify(done.counts)}; ${cost}`, isGood)
    return ms
  }

  const memberships = await enrolAll(client, phones, { servers: [broker.url], ca: null, plane_keys: file.plane_keys })
  groups = await Promise.all(quarters(memberships).map(startGroup))
  const { done: first, cost } = await measured(() => connecting(groups, phones))
  print(`${phones} phones connect: ${first.text}; ${cost}`)
  const online = async () => (await client.get('/phones')).phones.filter((one: any) => one.online).length
  await becomes(async () => (await online()) === phones, 20_000)
  await execOnAll('cold', { ended: phones }, DEADLINE_SECONDS * 1000)
  const warm: number[] = []
  for (let n = 0; n < WARM_TIMES; n++) warm.push(await execOnAll('warm', { ended: phones }, DEADLINE_SECONDS * 1000))
  print(`exec on all ${phones}, warm: median ${median(warm).toFixed(0)} ms`, median(warm) < WARM_MS)
  const [server, control] = processes().map(rssMib) as [number, number]
  print(`resident: broker ${server.toFixed(0)} MiB, plane ${control.toFixed(0)} MiB`, server < BROKER_MIB)

  const quarter = groups[0]!.memberships.length
  const [gone] = groups.splice(0, 1)
  gone!.process.kill('SIGKILL')
  await once(gone!.process, 'exit')
  const mostMs = (DEADLINE_SECONDS + 1) * 1000
  await execOnAll('a quarter killed', { ended: phones - quarter, offline: quarter }, mostMs)
  groups[0]!.process.kill('SIGSTOP')
  await execOnAll('a quarter frozen', { offline: quarter, silent: groups[0]!.memberships.length }, mostMs)
  groups[0]!.process.kill('SIGCONT')
  groups.push(await startGroup(gone!.memberships))
  await connecting(groups, phones)
  await storm(broker, groups, phones, print, measured)
  await execOnAll('after it', { ended: phones }, mostMs)
  for (const group of groups) group.process.kill('SIGKILL')
  await plane.kill('SIGTERM')
  await broker.stop()
}

async function storm(
  broker: Broker,
  groups: Group[],
  phones: number,
  print: Print,
  measured: <T>(work: () => Promise<T>) => Promise<{ done: T; cost: string }>,
): Promise<void> {
  await broker.kill()
  await becomes(() => percentOf(groups, phones) === 0, 20_000)
  await broker.restart()
  const { done, cost } = await measured(() => connecting(groups, phones))
  print(`a broker killed and restarted, ${phones} phones reconnect: ${done.text}; ${cost}`, done.ms <= BACK_MS)
}

const quarters = <T>(all: T[]): T[][] =>
  Array.from({ length: PROCESSES }, (_, at) => all.filter((_one, index) => index % PROCESSES === at))

/** Enrols the phones, 16 at a time. */
async function enrolAll(
  client: ReturnType<typeof planeClient>,
  phones: number,
  more: Pick<Membership, 'servers' | 'ca' | 'plane_keys'>,
): Promise<Membership[]> {
  const left = Array.from({ length: phones }, (_, at) => `phone-${at}`)[Symbol.iterator]()
  const memberships: Membership[] = []
  const enrolNext = async () => {
    for (const name of left) {
      const { jwt, seed } = await enrol(client, name)
      memberships.push({ name, jwt, seed, ...more, plane: client.url })
    }
  }
  await Promise.all(Array.from({ length: 16 }, enrolNext))
  return memberships
}
