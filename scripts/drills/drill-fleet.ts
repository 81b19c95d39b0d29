/**
 * Measures a fleet under load. Exit code 1 if a bound is exceeded. Without a name, it runs all four parts, one after the other.
 *
 *     npx tsx scripts/drills/drill-fleet.ts [chaos|phones|lone|idle] [seconds=120] [seed=…] [brokers=1|3] [phones=1000] [rounds=60]
 *
 * chaos: jobs during `seconds` of kill -9 and broken links, with one broker and with a cluster of three. phones: see fleet-crowd.ts. lone: a
 * single `true` through a control plane (in a separate process) and a broker, compared with the same call to the phone. idle: a phone in a fleet
 * compared with a phone without a fleet.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { chaos, planeHome, startPlaneProcess } from '../../test/support/chaos.ts'
import { type Phone, startPhone } from '../../test/support/fleet.ts'
import { freePort, startService, becomes } from '../../test/support/helper.ts'
import { type Broker, natsVersion, newerNatsServer, startBroker } from '../../test/support/nats.ts'
import { addPhone, planeClient, planeFile } from '../../test/support/plane.ts'
import { toMessage } from '../bench/bench-contenders.ts'
import { rssMib, wakeUps } from '../bench/bench-idle.ts'
import { measure, median } from '../bench/bench-latency.ts'
import { crowd } from './fleet-crowd.ts'

const words = process.argv.slice(2)
const options = Object.fromEntries(words.map((word) => word.split('=') as [string, string | undefined]))
const count = (name: string, usual: number) => Number(options[name] ?? usual)

/** Prints a figure and the machine's load. If the figure exceeds a bound, the drill exits with 1. */
function print(text: string, isWell = true): void {
  console.log(`${isWell ? '' : 'BROKEN '}${text} (load ${loadavg()[0]!.toFixed(1)})`)
  if (!isWell) process.exitCode = 1
}

async function chaosOn(what: string, start: () => Promise<Broker[]>): Promise<void> {
  const brokers = await start()
  const seed = count('seed', Date.now() % 1_000_000)
  const { details, ...report } = await chaos({ brokers, seconds: count('seconds', 120), seed })
  await Promise.all(brokers.map((broker) => broker.stop()))
  const { ranTwice, lost, expiredButRan, endedNeverRan, canceledButRanOn } = report
  const isWell = ranTwice + lost + expiredButRan + endedNeverRan + canceledButRanOn === 0
  print(`chaos, ${what}: ${JSON.stringify(report)}`, isWell)
  for (const detail of details) console.log(`  ${detail}`)
}

/** Three brokers of one fleet, connected to each other. */
async function startCluster(binary: string): Promise<Broker[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const routes = ports.map((port) => `127.0.0.1:${port}`)
  const shared = { name: 'drill', host: '127.0.0.1', routes, password: 'secret' }
  const clusterOf = (at: number) => ({ ...shared, node: `n${at}`, port: ports[at]! })
  const first = await startBroker({ binary, config: { cluster: clusterOf(0) } })
  const { keys, tokens } = first
  const others = [1, 2].map((at) => startBroker({ binary, keys, tokens, config: { cluster: clusterOf(at) } }))
  return [first, ...(await Promise.all(others))]
}

/** The maximum ratio of a call through the plane to the same call directly. */
const MOST = 1.8

async function lone(): Promise<void> {
  const broker = await startBroker()
  const file = await planeFile(broker)
  const plane = await startPlaneProcess(planeHome(file))
  const phone = await addPhone(planeClient(plane.url, file), broker, 'pixel')
  const to = (name: string, port: number, path: string, headers: Record<string, string>) => {
    const message = toMessage(path, { command: 'true' }, headers)
    return { name, port, message, stop: async () => {} }
  }
  const own = { Authorization: `Bearer ${phone.token}` }
  const contenders = [
    to('direct', phone.port, '/exec', own),
    to('direct, with a key', phone.port, '/exec', { ...own, 'Idempotency-Key': 'UNIQUE' }),
    to('plane', Number(new URL(plane.url).port), '/phones/pixel/exec', { Authorization: `Bearer ${file.token}` }),
  ]
  const rounds = count('rounds', 60)
  const phases = [
    { rounds: 20, perBlock: 40, atOnce: 1 },
    { rounds, perBlock: 1, atOnce: 1, gapMs: 750 },
    { rounds, perBlock: 20, atOnce: 1 },
  ]
  const [, alone, warm] = await measure(contenders, phases)
  for (const [what, taken] of Object.entries({ lone: alone!, warm: warm! })) {
    const [direct, keyed, through] = taken.map(({ times }) => median(times)) as [number, number, number]
    const ratio = through / keyed
    const times = [direct, keyed, through].map((ms) => ms.toFixed(2)).join(', ')
    const beside = `×${ratio.toFixed(2)} of the same direct call with a key, which a plane sets, at most ×${MOST}`
    const plain = `×${(through / direct).toFixed(2)} of a direct call without a key`
    print(`${what} true through plane and broker: ${beside}; ${plain}; p50 ${times} ms`, ratio <= MOST)
  }
  await phone.stop()
  await plane.kill('SIGTERM')
  await broker.stop()
}

/** After this time, the garbage of the start has been collected. */
const SETTLE_MS = 75_000

/** Waits until the log shows that the phone is connected. A request over HTTP would leave an open connection, which causes wake-ups. */
async function startQuiet(broker: Broker): Promise<Phone> {
  const phone = await startPhone(broker, { isConnected: false, env: { SHELLPHONE_LOG_LEVEL: 'info' } })
  if (await becomes(() => phone.log.some((line) => line.includes('connected to the fleet')), 20_000)) return phone
  throw new Error('the phone is not connected')
}

async function idle(): Promise<void> {
  const broker = await startBroker()
  const startMs: number[][] = [[], []]
  for (let round = 0; round < 5; round++) {
    for (const [at, start] of [() => startService(), () => startQuiet(broker)].entries()) {
      const service = await start()
      startMs[at]!.push(service.startupMs)
      await service.stop()
    }
  }
  const pair = [await startService(), await startQuiet(broker)]
  await sleep(SETTLE_MS)
  const [without, withOne] = pair.map(({ pid }) => rssMib(pid)) as [number, number]
  const seconds = count('seconds', 60)
  const [asleep, beating] = (await Promise.all(pair.map(({ pid }) => wakeUps(pid, seconds)))) as [number, number]
  print(`start to listening: ${median(startMs[0]!).toFixed(0)} ms, with a fleet ${median(startMs[1]!).toFixed(0)} ms`)
  print(`idle resident: ${without.toFixed(1)} MiB, with a fleet ${withOne.toFixed(1)} MiB`)
  const more = (beating - asleep) * 20
  const rates = `${asleep.toFixed(3)} and ${beating.toFixed(3)} a second`
  print(`wake-ups over ${seconds} s: ${rates}: ${more.toFixed(2)} more in 20 s, at most 1`, more <= 1)
  await Promise.all(pair.map((service) => service.stop()))
  await broker.stop()
}

const parts: Record<string, () => Promise<void>> = {
  lone,
  idle,
  phones: () => crowd(count('phones', 1000), print),
  chaos: async () => {
    if (options.brokers !== '3') await chaosOn('one broker', async () => [await startBroker()])
    if (options.brokers === '1') return
    const newer = newerNatsServer()
    if (newer === null) print('chaos, three brokers: skipped, because they need nats-server 2.10 or later')
    else await chaosOn(`three brokers of ${natsVersion(newer)}`, () => startCluster(newer))
  },
}
print(`nats-server ${natsVersion()}`)
const named = words.filter((word) => word in parts)
for (const name of named.length > 0 ? named : Object.keys(parts)) await parts[name]!()
