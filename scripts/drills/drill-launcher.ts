/**
 * Measures the cost of a command: interleaved blocks of a bare child_process.spawn until 'close', of the launcher, and of a C loop around
 * posix_spawn, one at a time and eight at once. Then compares unsandboxed with sandboxed commands, and measures 256 MiB of output. Only figures
 * of the same run are comparable.
 *
 *     npx tsx scripts/drills/drill-launcher.ts [rounds=10] [commands per block=100]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, noLimits, type SpawnRequest } from '../../src/shared/schema/index.ts'
import { createChildProcessSpawner } from '../../src/server/spawn/child-process.ts'
import { createLauncherSpawner } from '../../src/server/spawn/launcher.ts'
import { buildLauncher } from '../../src/server/spawn/launcher-build.mjs'
import { buildPosixSpawn } from '../bench/posix-spawn.ts'

const [rounds = 10, perBlock = 100] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'drill-launcher-'))
/** in a directory with few entries, because each entry beside a hidden folder needs a rule */
const hidden = mkdtempSync(join(homedir(), '.drill-launcher-'))
const env = { PATH: process.env.PATH! }
const noSandbox: Sandbox = { name: 'none', network: true, writable: [], hidden: [] }
const request = (script: string, sandbox: Sandbox): SpawnRequest => ({
  script,
  shell: '/bin/sh',
  cwd: '/',
  env,
  mark: 'drill.1.1',
  stdin: 'null',
  terminal: null,
  sandbox,
  limits: noLimits,
})

type Once = () => Promise<unknown>

const bare: Once = () =>
  new Promise((resolve) => {
    const child = spawn('sh', ['-c', 'true'], { env })
    child.stdout.resume()
    child.stderr.resume()
    child.on('close', resolve)
  })

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

/** The latencies of consecutive commands, in milliseconds. */
async function oneByOne(once: Once, into: number[]) {
  for (let i = 0; i < perBlock; i++) {
    const began = performance.now()
    await once()
    into.push(performance.now() - began)
  }
}

/** The number of commands per second with eight at once, and the milliseconds of our own CPU time for each. */
async function atEight(once: Once, into: number[], cpu: number[]) {
  const began = performance.now()
  const used = process.cpuUsage()
  let left = perBlock * 2
  const worker = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const { user, system } = process.cpuUsage(used)
  into.push((perBlock * 2000) / (performance.now() - began))
  cpu.push((user + system) / 1000 / (perBlock * 2))
}

const binary = join(folder, 'launcher')
const reason = buildLauncher(binary)
if (reason) throw new Error(reason)
const posixSpawn = buildPosixSpawn(folder)
const launcher = await createLauncherSpawner({ path: binary, sandboxes: true })
const through =
  (sandbox: Sandbox): Once =>
  async () => {
    const child = await launcher.spawn(request('true', sandbox), { onOutput: () => {} })
    await Promise.all([child.exited, child.closed])
    await child.leftBehind()
  }
const ways: Record<string, Once> = { 'child_process.spawn': bare, launcher: through(noSandbox) }
if (launcher.facts.landlockAbi >= 3) {
  const sandbox: Sandbox = { name: 'read-only', network: false, writable: [], hidden: [] }
  ways['launcher, read-only'] = through(sandbox)
  ways['launcher, read-only, hidden'] = through({ ...sandbox, hidden: [hidden] })
}
const emptyLists = () => Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]))
const latencies: Record<string, number[]> = { 'posix_spawn in C': [], ...emptyLists() }
const rates = emptyLists()
const cpu = emptyLists()
for (let round = 0; round < rounds; round++) {
  for (const [name, once] of Object.entries(ways)) {
    await oneByOne(once, latencies[name]!)
    await atEight(once, rates[name]!, cpu[name]!)
  }
  latencies['posix_spawn in C']!.push(...posixSpawn(perBlock))
}
const base = { ms: median(latencies['child_process.spawn']!), rate: median(rates['child_process.spawn']!) }
for (const name of Object.keys(latencies)) {
  const ms = median(latencies[name]!)
  const rate = rates[name] ? median(rates[name]!) : null
  const eight = rate ? `  at eight ${rate.toFixed(0)}/s ×${(rate / base.rate).toFixed(2)}` : ''
  const own = cpu[name] ? `  own CPU ${median(cpu[name]!).toFixed(2)} ms` : ''
  console.log(`${name.padEnd(28)} p50 ${ms.toFixed(2)} ms ×${(ms / base.ms).toFixed(2)}${eight}${own}`)
}
for (const spawner of [createChildProcessSpawner(), launcher]) {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    let bytes = 0
    const began = performance.now()
    const onOutput = (_: string, chunk: Buffer) => {
      bytes += chunk.length
    }
    const child = await spawner.spawn(request('head -c 268435456 /dev/zero', noSandbox), { onOutput })
    await child.closed
    times.push(performance.now() - began)
    if (bytes !== 268435456) throw new Error(`${spawner.name}: ${bytes} bytes`)
  }
  console.log(`${spawner.name.padEnd(28)} 256 MiB of output in ${median(times).toFixed(0)} ms`)
}
await launcher.close()
rmSync(folder, { recursive: true })
rmSync(hidden, { recursive: true })
