import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { PLANE_FILE, type PlaneFile } from '../../src/fleet/plane/index.ts'
import { type Phone, startPhone } from './fleet.ts'
import { HANG_MS, root, soon, spawnBeside, until } from './helper.ts'
import { type LinkProxy, linkProxy } from './link-proxy.ts'
import type { Broker } from './nats.ts'
import { enrol, type PlaneClient, planeClient, planeFile } from './plane.ts'
import { createRandom, pick } from './random.ts'

/** The result of a round of chaos; the first five must be 0. */
interface ChaosReport {
  ranTwice: number
  lost: number
  expiredButRan: number
  endedNeverRan: number
  /** a cancel returned "canceling" but the command ran to its end, or "withdrawn" but the command ran at all */
  canceledButRanOn: number
  /** commands whose cancel returned "canceling" */
  canceling: number
  jobs: number
  pairs: number
  states: Record<string, number>
  /** records of runs that a stop of the service ended */
  stopped: number
  faults: Record<string, number>
  seed: number
  details: string[]
}

interface ChaosOptions {
  brokers: Broker[]
  seconds: number
  seed: number
  phones?: number
  planes?: number
}

/** A control plane in a separate process. */
interface PlaneProcess {
  url: string
  process: ChildProcess
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** `home`: the directory that contains plane/plane.json. */
export async function startPlaneProcess(home: string): Promise<PlaneProcess> {
  const child = spawnBeside(process.execPath, [join(root, 'dist/main.js'), 'fleet', 'serve', '--plane-port', '0'], {
    env: { ...process.env, SHELLPHONE_HOME: home },
  })
  const lines = createInterface({ input: child.stdout })
  const listening = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the plane ended with ${code}`)))
    lines.on('line', (line) => {
      const { msg, address } = JSON.parse(line)
      if (msg === 'listening') resolve(address)
    })
  })
  const url = await soon(listening, SETTLE_MS) // it listens once a broker responds
  return {
    url,
    process: child,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

export function planeHome(file: PlaneFile): string {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-plane-'))
  mkdirSync(join(home, 'plane'))
  writeFileSync(join(home, 'plane', PLANE_FILE), JSON.stringify(file), { mode: 0o600 })
  return home
}

/** A phone behind a link that breaks; it is killed and restarted with the same home. */
interface Victim {
  name: string
  link: LinkProxy
  home: string
  phone: Phone
  start(): Promise<void>
}

interface Submitted {
  key: string
  ttl: number
  /** empty until the plane has accepted it */
  id: string
  isCanceled: boolean
  /** the responses to the cancel, by the phone's name */
  answers: Record<string, string>
}

/** The maximum wait for a job to start before it is canceled. */
const MAX_START_MS = 20_000
/** A client cancels one of this many jobs. */
const CANCEL_EVERY = 6
/**
 * The duration of a command whose job is canceled: longer than any fault, and than planes take to check again whether a job is canceled, so
 * that no command ends before its cancel can reach it.
 */
const CANCELED_SECONDS = 120

/**
 * The minimum of a round: on a busy machine it lasts longer than requested, until it has had more than these, and a cancel of a running job. The
 * last jobs are submitted without faults: a machine whose phones start more slowly than they are killed would run none of them.
 */
const [MIN_JOBS, MIN_FAULTS] = [20, 10]

/**
 * Kills random phones, planes and brokers with kill -9 and disturbs random links while jobs are submitted; then compares the state of each
 * job with the commands that ran.
 */
export async function chaos({ brokers, seconds, seed, phones = 4, planes = 2 }: ChaosOptions): Promise<ChaosReport> {
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-chaos-'))
  const log = join(folder, 'ran')
  writeFileSync(log, '')
  const file = { ...(await planeFile(brokers[0]!)), servers: brokers.map(({ url }) => url) }
  const home = planeHome(file)
  const running = await Promise.all(Array.from({ length: planes }, () => startPlaneProcess(home)))
  const ask = asker(() => pick(random, running).url, file.token)
  const victims = await Promise.all(
    Array.from({ length: phones }, (_, at) =>
      startVictim(brokers[at % brokers.length]!, `phone-${at}`, {
        plane: planeClient(running[0]!.url, file),
        log,
        folder,
      }),
    ),
  )
  await until(
    async () => (await ask('GET', '/phones')).body?.phones?.filter((one: any) => one.online).length === phones,
  )

  const faults: Record<string, number> = {}
  const busy = new Set<unknown>()
  /** causes a fault, and undoes it after `ms`; each target has one fault at a time */
  const causeFault = async (name: string, target: unknown, cause: () => unknown, undo: () => unknown, ms: number) => {
    if (busy.has(target)) return
    busy.add(target)
    faults[name] = (faults[name] ?? 0) + 1
    await cause()
    await pause(ms)
    await undo()
    busy.delete(target)
  }
  const kinds: (() => Promise<void>)[] = [
    () => {
      const victim = pick(random, victims)
      return causeFault('phone killed', victim, () => victim.phone.kill('SIGKILL'), victim.start, random() * 1000)
    },
    () => {
      const at = Math.floor(random() * running.length)
      const again = async () => void (running[at] = await startPlaneProcess(home))
      return causeFault('plane killed', running.length + at, () => running[at]!.kill(), again, random() * 500)
    },
    () => {
      const broker = pick(random, brokers)
      return causeFault('broker killed', brokers, () => broker.kill(), broker.restart, random() * 800)
    },
    () => {
      const { link } = pick(random, victims)
      return causeFault(
        'link frozen',
        link,
        () => link.freeze(true),
        () => link.freeze(false),
        random() * 3000,
      )
    },
    () => {
      const { link } = pick(random, victims)
      return causeFault(
        'link cut',
        link,
        () => link.cut(),
        () => {},
        100,
      )
    },
    () => {
      const { link } = pick(random, victims)
      return causeFault(
        'link slow',
        link,
        () => link.delay(100),
        () => link.delay(0),
        random() * 2000,
      )
    },
  ]
  const end = performance.now() + seconds * 1000
  const jobs: Submitted[] = []
  const faultCount = () => Object.values(faults).reduce((sum, count) => sum + count, 0)
  const hasCanceled = () => jobs.some(({ answers }) => Object.values(answers).includes('canceling'))
  const isCalm = () => performance.now() >= end && faultCount() > MIN_FAULTS
  const isOver = () => isCalm() && jobs.length > MIN_JOBS && hasCanceled()
  const pendingFaults: Promise<void>[] = []
  const breaking = (async () => {
    while (!isCalm()) {
      pendingFaults.push(pick(random, kinds)())
      await pause(200 + random() * 900)
    }
  })()
  const submitting = Array.from({ length: 3 }, async (_, client) => {
    for (let n = 0; !isOver(); n++) {
      const isCanceled = n % CANCEL_EVERY === CANCEL_EVERY - 1
      const ttl = !isCanceled && random() < 0.25 ? 1 + random() * 2 : 3600
      const job: Submitted = { key: `${seed}-${client}-${n}`, ttl, id: '', isCanceled, answers: {} }
      jobs.push(job)
      await submit(ask, job)
      if (isCanceled) {
        await waitForStart(ask, job, random() * MAX_START_MS)
        await cancel(ask, job)
      }
      await pause(random() * 250)
    }
  })
  await Promise.all([breaking, ...submitting])
  await Promise.all(pendingFaults)
  const report = await settle(ask, jobs, log)
  await Promise.all(victims.map(({ phone }) => phone.stop().catch(() => null)))
  await Promise.all(running.map((plane) => plane.kill('SIGTERM')))
  for (const { link } of victims) link.close()
  for (const path of [folder, home]) rmSync(path, { recursive: true, force: true })
  return { ...report, faults, seed }
}

type Ask = (method: string, path: string, body?: object, key?: string) => Promise<{ status: number; body: any }>

const asker =
  (url: () => string, token: string): Ask =>
  async (method, path, body, key) => {
    try {
      const answer = await fetch(url() + path, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(key ? { 'idempotency-key': key } : {}),
        },
        signal: AbortSignal.timeout(15_000),
      })
      return { status: answer.status, body: await answer.json() }
    } catch {
      return { status: 0, body: null }
    }
  }

async function startVictim(
  broker: Broker,
  name: string,
  { plane, log, folder }: { plane: PlaneClient; log: string; folder: string },
): Promise<Victim> {
  const planeKeys = plane.file.plane_keys
  const link = await linkProxy(Number(new URL(broker.url).port))
  const home = join(folder, name)
  mkdirSync(home)
  const credentials = await enrol(plane, name)
  const env = { CHAOS_PHONE: name, CHAOS_LOG: log, SHELLPHONE_FLEET_BEAT_SECONDS: '5', SHELLPHONE_LOG_LEVEL: 'info' }
  const behind = { ...broker, url: `nats://127.0.0.1:${link.port}` }
  const victim: Victim = {
    ...{ name, link, home },
    phone: await startPhone(behind, { name, home, credentials, planeKeys, env }),
    async start() {
      victim.phone = await startPhone(behind, { name, home, credentials, planeKeys, env, isConnected: false })
    },
  }
  return victim
}

/** Submits a job; retries until there is a response. With the same key it stays one job. */
async function submit(ask: Ask, job: Submitted): Promise<void> {
  const note = (word = '') => `echo "${job.key} $CHAOS_PHONE${word}" >> "$CHAOS_LOG"`
  const command = job.isCanceled ? `${note()}; sleep ${CANCELED_SECONDS}; ${note(' end')}` : note()
  const request = { phones: '*', command, timeout_seconds: 2 * CANCELED_SECONDS, queue_seconds: job.ttl }
  await until(async () => {
    const { status, body } = await ask('POST', '/exec', request, job.key)
    if (status === 202) job.id = body.job
    return status === 202
  })
}

/** Waits until a phone has the job, at most `maxMs`: a job that is canceled earlier is never sent. */
async function waitForStart(ask: Ask, { id }: Submitted, maxMs: number): Promise<void> {
  for (const end = performance.now() + maxMs; performance.now() < end; await pause(100)) {
    const { body } = await ask('GET', `/jobs/${id}`)
    if (body?.counts?.running > 0 || body?.counts?.accepted > 0) return
  }
}

/** Cancels a job; retries until there is a response. */
async function cancel(ask: Ask, job: Submitted): Promise<void> {
  await until(async () => {
    const { status, body } = await ask('DELETE', `/jobs/${job.id}`)
    if (status === 200) job.answers = body.phones
    return status === 200
  })
}

const SETTLED = ['ended', 'refused', 'expired', 'unknown', 'withdrawn']
const SETTLE_MS = 5 * HANG_MS
const STOPPED = /the service stopped during this run/

/** Waits until all jobs are settled, and compares their states with the commands that ran. */
async function settle(ask: Ask, jobs: Submitted[], log: string): Promise<Omit<ChaosReport, 'faults' | 'seed'>> {
  const report = {
    ranTwice: 0,
    lost: 0,
    expiredButRan: 0,
    endedNeverRan: 0,
    canceledButRanOn: 0,
    canceling: 0,
    jobs: 0,
    pairs: 0,
    stopped: 0,
  }
  const states: Record<string, number> = {}
  const details: string[] = []
  const bodies = new Map<string, any>()
  const end = performance.now() + SETTLE_MS
  const isSettled = (body: any) => Object.values<any>(body.phones).every(({ state }) => SETTLED.includes(state))
  for (const { id, key } of jobs) {
    for (;;) {
      const { status, body } = await ask('GET', `/jobs/${id}`)
      if (status === 200) bodies.set(key, body)
      if (status === 200 && isSettled(body)) break
      if (performance.now() > end) break
      await pause(250)
    }
  }
  const ran = new Map<string, number>()
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) ran.set(line, (ran.get(line) ?? 0) + 1)
  for (const { key, answers } of jobs) {
    report.jobs += 1
    const body = bodies.get(key)
    if (body === undefined) {
      report.lost += 1
      details.push(`${key}: not found`)
      continue
    }
    for (const [name, phone] of Object.entries<any>(body.phones)) {
      report.pairs += 1
      states[phone.state] = (states[phone.state] ?? 0) + 1
      const times = ran.get(`${key} ${name}`) ?? 0
      const answer = answers[name]
      if (answer === 'canceling') report.canceling += 1
      const hasRunOn = answer === 'canceling' ? ran.has(`${key} ${name} end`) : answer === 'withdrawn' && times > 0
      const isStopped = STOPPED.test(phone.output ?? '') || phone.status === 'failed' || phone.status === 'canceled'
      if (isStopped) report.stopped += 1
      const wrong = [
        [times > 1, 'ranTwice'],
        [!SETTLED.includes(phone.state) || phone.state === 'unknown' || phone.state === 'refused', 'lost'],
        [phone.state === 'expired' && times > 0, 'expiredButRan'],
        [phone.state === 'ended' && times === 0 && !isStopped, 'endedNeverRan'],
        [hasRunOn, 'canceledButRanOn'],
      ] as const
      for (const [is, what] of wrong) {
        if (!is) continue
        report[what] += 1
        details.push(`${what} ${key} ${name}: ${times} times, ${JSON.stringify(phone)}`)
      }
    }
  }
  const foreign = [...ran.keys()].filter((line) => !jobs.some(({ key }) => line.startsWith(`${key} `)))
  if (foreign.length > 0) details.push(`${foreign.length} lines of unknown jobs`)
  return { ...report, states, details: details.slice(0, 20) }
}
