import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type Service, root, startService, until } from '../test/helper.ts'
import { attacks } from './attacks.ts'

/**
 * Attacks on a service on loopback, one after the other, while its owner asks for /health over a connection of his own: what he waits,
 * what the service grows by, what is left. `npx tsx scripts/drill-attack.ts [checkout]` (a built one, default this); exit code 1 when a
 * bound is broken. One attack has 10 s; a service that does not answer by then is killed, and the next attack gets a new one.
 */
const checkout = process.argv[2] ?? root
const MAX_P99_MS = 100
const MAX_GROWTH_MIB = 64
const ATTACK_MS = 10_000
const MiB = 1_048_576

interface Figures {
  count: number
  p50: number
  p99: number
  max: number
  lost: number
}

let broken = 0
let service: Service
let owner: ChildProcess

async function start(): Promise<void> {
  service = await startService({ checkout, env: { SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '20' } })
  await service.exec({ command: 'true' })
  owner = fork(join(root, 'scripts/owner-probe.mjs'), [String(service.port), service.token], { execArgv: [] })
  await pause(500)
}

async function stop(): Promise<void> {
  owner.disconnect()
  await Promise.race([service.stop(), pause(5_000)])
  await service.kill('SIGKILL')
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function ownerSaw(): Promise<Figures> {
  const told = once(owner, 'message')
  owner.send('tell')
  return (await told)[0] as Figures
}

/** Most that it has grown by from now on. */
function watchGrowth(): () => number {
  const before = service.rssBytes()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, service.rssBytes())
  }, 20)
  return () => {
    clearInterval(timer)
    return (Math.max(peak, service.rssBytes()) - before) / MiB
  }
}

const isAlive = async () => (await Promise.race([service.request('/health').catch(() => null), pause(5_000)])) != null

async function drill([name, attack]: (typeof attacks)[number]): Promise<void> {
  await ownerSaw()
  const descriptors = service.descriptors().length
  const growth = watchGrowth()
  const sockets: Socket[] = []
  const began = performance.now()
  const inTime = await Promise.race([
    attack(service, sockets).then(
      () => true,
      () => true,
    ),
    pause(ATTACK_MS),
  ]) // an attacker may be cut off
  const seconds = (performance.now() - began) / 1000
  const answers = await Promise.race([isAlive(), pause(ATTACK_MS / 4)])
  const { count, p50, p99, max, lost } = await ownerSaw()
  const grown = growth()
  for (const socket of sockets) socket.destroy()
  const isGone = answers ? await until(() => service.descriptors().length <= descriptors + 8) : false
  const isFine = inTime && answers && p99 < MAX_P99_MS && grown < MAX_GROWTH_MIB && lost === 0 && isGone
  if (!isFine) broken++
  const words = inTime && answers ? '' : '; it did not answer any more'
  const left = isGone ? 'nothing left' : 'connections left'
  const figures = `${count} looks, p50 ${p50?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms, max ${max?.toFixed(0)} ms, ${lost} lost`
  console.log(
    `${isFine ? ' ' : '!'} ${name}: ${seconds.toFixed(1)} s; ${figures}; +${grown.toFixed(0)} MiB; ${left}${words}`,
  )
  if (answers && grown < MAX_GROWTH_MIB) return
  await stop()
  await start()
}

await start()
for (const attack of attacks) await drill(attack)
await stop()
process.exit(broken > 0 ? 1 : 0)
