import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, root, startService, becomes } from '../../test/support/helper.ts'
import { agentAttacks } from './agent-attacks.ts'
import {
  type Attack,
  attackedSettings,
  attacks,
  type Outcome,
  type PlainAttack,
  type Row,
  tlsAttacks,
} from './attacks.ts'
import { planeAttacks } from './plane-attacks.ts'

/**
 * Attacks a service on loopback, one attack after the other, while its owner requests /health over a separate connection. Prints the owner's
 * delay compared with the delay just before (the machine may be busy), the longest time that the event loop was blocked, the memory growth and
 * the leftovers. If the attack works on any Node server, also prints the delay of the owner of a bare server.
 *
 *     npx tsx scripts/drills/drill-attack.ts [checkout [part of a name]]       checkout: a built checkout (default: this one)
 *
 * Exit code 1 if a bound is exceeded, if an agent gets more than its rights allow, or if an attempt fails that passes by design ("What guards cannot
 * see" in src/server/policy/README.md). Each attack has 10 s. A service that does not answer after
 * that is killed, and the next attack gets a new service.
 */
const [, , checkout = root, wanted = ''] = process.argv
const MAX_P99_MS = 100
/** … or this many times the delay without an attack or the delay of the owner of a bare server. */
const MAX_TIMES = 3
const MAX_GROWTH_MIB = 64
const QUIET_MS = 500
const ATTACK_MS = 10_000
const MiB = 1_048_576

interface Figures {
  count: number
  p50: number
  p99: number
  max: number
  lost: number
}

const folder = mkdtempSync(join(tmpdir(), 'shellphone-attack-'))
const loopFile = join(folder, 'loop')
let count = 0
let broken = 0
let service: Service
let owner: ChildProcess

async function start(env: Record<string, string> = {}): Promise<void> {
  writeFileSync(loopFile, '')
  const probe = ['--import', join(root, 'scripts/drills/loop-probe.mjs')]
  service = await startService({
    checkout,
    node: probe,
    env: { ...attackedSettings, LOOP_PROBE_FILE: loopFile, ...env },
  })
  await service.exec({ command: 'true' })
  owner = openOwner(service.port, service.token)
  await pause(QUIET_MS)
}

const openOwner = (port: number, token: string) =>
  fork(join(root, 'scripts/drills/owner-probe.mjs'), [String(port), token], { execArgv: [] })

async function stop(): Promise<void> {
  owner.disconnect()
  await Promise.race([service.stop(), pause(5_000)])
  await service.kill('SIGKILL')
}

/** A key and its certificate, for TLS on loopback. */
function makeCertificate(): [string, string] {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')] as const
  const what = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-days',
    '2',
  ]
  execFileSync('openssl', ['req', '-x509', ...what, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return [key, certificate]
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function ownerSaw(by = owner): Promise<Figures> {
  const report = once(by, 'message')
  by.send('report')
  return (await report)[0] as Figures
}

/** The delays of the owner of a bare server under the attack: of a request, and of a new connection. */
async function drillBare(
  attack: PlainAttack,
  files: string[],
): Promise<{ p99: number; cameInAfterMs: number; grown: number }> {
  const server = fork(join(root, 'scripts/drills/bare-server.mjs'), files, { execArgv: [] })
  const [[port, ownersPort]] = (await once(server, 'message')) as [[number, number]]
  const bareOwner = openOwner(ownersPort, '')
  await pause(QUIET_MS)
  await ownerSaw(bareOwner)
  const sockets: Socket[] = []
  const growth = watchGrowth(() => rssBytesOf(server.pid!))
  const { cameInAfterMs = 0 } = await perform(() => attack({ port, token: '' }, sockets), sockets)
  const { p99 } = await ownerSaw(bareOwner)
  const grown = growth()
  for (const socket of sockets) socket.destroy()
  for (const child of [server, bareOwner]) child.disconnect()
  return { p99, cameInAfterMs, grown }
}

const rssBytesOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024

/** Returns the maximum growth since this call, in MiB. */
function watchGrowth(rssBytes: () => number): () => number {
  const before = rssBytes()
  let peak = before
  const look = () => {
    peak = Math.max(peak, rssBytes())
  }
  const timer = setInterval(look, 20)
  return () => {
    clearInterval(timer)
    look()
    return (peak - before) / MiB
  }
}

const isAlive = async () => (await Promise.race([service.request('/health').catch(() => null), pause(5_000)])) != null

/** The longest time that the event loop was blocked since then, in milliseconds. */
function longestBlockMs(since: number): number {
  const lines = readFileSync(loopFile, 'utf8').trim().split('\n')
  const times = lines.map((line) => line.split(' ').map(Number)).filter(([at]) => at! > since)
  return Math.max(0, ...times.map(([, ms]) => ms!))
}

/** Whether the attack has left nothing behind: connections, runs, memory. */
async function isNothingLeft(descriptors: number, rssBytes: number): Promise<boolean> {
  return becomes(async () => {
    const { pool } = (await (await service.request('/health')).json()) as { pool: { running: number; queued: number } }
    const isGone = service.descriptors().length <= descriptors + 8 && pool.running + pool.queued === 0
    return isGone && service.rssBytes() - rssBytes < MAX_GROWTH_MIB * MiB
  })
}

/** Runs one attack, and stops it when its time is over. Also returns how long the owner waited to connect, if the attack tries to prevent that. */
async function perform(
  attack: Attack,
  sockets: Socket[],
): Promise<{ inTime: boolean; cameInAfterMs?: number; got?: string[] }> {
  const done = attack(service, sockets).then(
    (seen) => ({ inTime: true, ...seen }),
    () => ({ inTime: true }), // the service may disconnect an attacker
  )
  return Promise.race([done, pause(ATTACK_MS).then(() => ({ inTime: false }))])
}

async function drill([name, attack, plain]: Row, files: string[]): Promise<boolean> {
  const bare = plain && (await drillBare(plain, files))
  await ownerSaw()
  await pause(QUIET_MS)
  const quiet = await ownerSaw()
  const [descriptors, rssBytes] = [service.descriptors().length, service.rssBytes()]
  const growth = watchGrowth(service.rssBytes)
  const sockets: Socket[] = []
  const [began, since] = [performance.now(), Date.now()]
  const { inTime, cameInAfterMs = 0, got = [] } = await perform(attack, sockets)
  const seconds = (performance.now() - began) / 1000
  const answers = await Promise.race([isAlive(), pause(ATTACK_MS / 4)])
  await pause(150) // the loop probe writes one more line
  const saw = await ownerSaw()
  const [grown, blockMs] = [growth(), longestBlockMs(since)]
  for (const socket of sockets) socket.destroy()
  const isGone = answers ? await isNothingLeft(descriptors, rssBytes) : false
  const allowedMs = Math.max(MAX_P99_MS, MAX_TIMES * quiet.p99)
  const isQuick =
    saw.p99 < Math.max(allowedMs, bare?.p99 ?? 0) &&
    cameInAfterMs < Math.max(allowedMs, bare?.cameInAfterMs ?? 0) &&
    saw.lost === 0
  const isMet = inTime && answers === true && isQuick && grown < MAX_GROWTH_MIB && isGone && got.length === 0
  const waits = `p99 ${saw.p99.toFixed(1)} ms (quiet ${quiet.p99.toFixed(1)}), max ${saw.max.toFixed(0)}, ${saw.count} looks, ${saw.lost} lost`
  const words = [
    `${seconds.toFixed(1)} s`,
    waits,
    `loop blocked ${blockMs.toFixed(0)} ms`,
    `+${grown.toFixed(0)} MiB`,
    isGone ? 'nothing left' : 'something left',
    ...got.map((what) => `succeeded: ${what}`),
    ...(cameInAfterMs > 0 ? [`the owner connected after ${cameInAfterMs.toFixed(0)} ms`] : []),
    ...(bare
      ? [
          `a bare server: p99 ${bare.p99.toFixed(1)} ms, +${bare.grown.toFixed(0)} MiB, connected after ${bare.cameInAfterMs.toFixed(0)} ms`,
        ]
      : []),
    ...(inTime && answers ? [] : ['the service no longer answered']),
  ]
  console.log(`${isMet ? ' ' : '!'} ${name}: ${words.join('; ')}`)
  if (!isMet) broken++
  return answers === true && isGone
}

async function drillAll(rows: Row[], env: Record<string, string> = {}, files: string[] = []): Promise<void> {
  await start(env)
  for (const row of rows.filter(([name]) => name.includes(wanted))) {
    count++
    if (await drill(row, files)) continue
    await stop()
    await start(env)
  }
  await stop()
}

/** Runs the attacks on rights, for which only the success counts. */
async function drillRights(outcomes: AsyncIterable<Outcome>): Promise<void> {
  for await (const { name, got, expected = [] } of outcomes) {
    count++
    const others = got.filter((what) => !expected.includes(what))
    const failed = expected.filter((what) => !got.includes(what))
    const isMet = others.length + failed.length === 0
    if (!isMet) broken++
    const words = [
      `succeeded: ${others.join('; ') || 'nothing'}`,
      ...expected.map(
        (what) => `${got.includes(what) ? 'expected, passes by design' : 'expected, but failed'}: ${what}`,
      ),
    ]
    console.log(`${isMet ? ' ' : '!'} ${name}: ${words.join('; ')}`)
  }
}

await drillAll(attacks)
const [key, certificate] = makeCertificate()
await drillAll(tlsAttacks, { SHELLPHONE_TLS_CERTIFICATE: certificate, SHELLPHONE_TLS_KEY: key }, [key, certificate])
await drillRights(agentAttacks(checkout, wanted))
await drillRights(planeAttacks(wanted))
rmSync(folder, { recursive: true })
console.log(
  `${count - broken} of ${count} within the bounds: the owner's p99 under ${MAX_P99_MS} ms or ${MAX_TIMES} times that without an attack or of a bare server, memory growth under ${MAX_GROWTH_MIB} MiB, no leftovers`,
)
process.exit(broken > 0 ? 1 : 0)
