/**
 * Compares `shellphone run` with `ssh` (sshd on loopback, a shared connection) in one table: exit codes, 1 GiB in both directions, speed, Ctrl-C,
 * a broken pipe, and a connection that is cut ten times. Then runs the typed client over a connection that is cut ten times, in Node 20, the
 * newest Node and Chromium.
 *
 *     npx tsx scripts/drills/drill-run.ts [MiB]
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOfSignal } from '../../src/cli/commands/exit-code.ts'
import { cutProxy } from '../../test/support/cut-proxy.ts'
import { processesWith, root, startService, becomes } from '../../test/support/helper.ts'
import { followInChromium, followInNode, PAGE_PORT } from './client-drill.ts'
import { openSshd, shell, type Way } from './run-beside-ssh.ts'

const MIB = Number(process.argv[2] ?? 1024)
const LONE_ROUNDS = 25

const folder = mkdtempSync(join(tmpdir(), 'drill-run-'))
const service = await startService({ env: { SHELLPHONE_ALLOWED_ORIGINS: `http://127.0.0.1:${PAGE_PORT}` } })
const env = { ...process.env, SHELLPHONE_HOME: service.home }
const run = (...more: string[]): Way => ({
  name: 'run',
  argv: [process.execPath, join(root, 'dist/main.js'), 'run', ...more],
})
const sshd = await openSshd(folder)
const ways = [run(), ...(sshd ? [sshd.way] : [])]
if (!sshd) console.log('ssh is skipped: openssh-server is not installed (apt-get install openssh-server)')

let failed = 0
function report(what: string, values: (string | number | null)[], isGood: boolean): void {
  if (!isGood) failed += 1
  console.log(
    `${isGood ? 'ok    ' : 'FAILED'} ${what.padEnd(44)} ${values.map((value) => String(value).padEnd(18)).join(' ')}`,
  )
}
console.log(`       ${''.padEnd(44)} ${ways.map(({ name }) => name.padEnd(18)).join(' ')}`)

for (const [script, wanted] of [
  ['exit 0', 0],
  ['exit 7', 7],
  ['exit 255', 255],
  ['kill -9 $$', 137],
  ['kill -TERM $$', 143],
] as const) {
  const codes: (number | null)[] = []
  for (const way of ways) codes.push((await shell(way, `WAY '${script}'; exit $?`, env)).code)
  report(`exit code of ${script}`, codes, codes[0] === wanted)
}

const wanted = spawnSync('sh', ['-c', `head -c ${MIB}M /dev/zero | sha256sum`], { encoding: 'utf8' }).stdout.trim()
let peakKiB = 0
const watch = setInterval(() => {
  const kib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0)
  peakKiB = Math.max(peakKiB, kib)
}, 200)
const through = []
for (const way of ways) {
  const quiet = way.name === 'run' ? '-q ' : ''
  through.push(await shell(way, `head -c ${MIB}M /dev/zero | WAY ${quiet}cat | sha256sum`, env))
}
clearInterval(watch)
report(
  `sha256 of ${MIB} MiB through cat`,
  through.map(({ out }) => out.slice(0, 12)),
  through[0]!.out === wanted,
)
const speeds = through.map(({ seconds }) => MIB / seconds)
report(
  'MiB/s in both directions',
  speeds.map((speed) => speed.toFixed(1)),
  true,
)
if (speeds[1]) console.log(`       speed ×${(speeds[0]! / speeds[1]).toFixed(2)} of ssh's`)
console.log(`       the service's peak memory ${(peakKiB / 1024).toFixed(0)} MiB`)

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!
const times = ways.map((): number[] => [])
for (let round = 0; round < LONE_ROUNDS; round++) {
  for (const [at, way] of ways.entries()) times[at]!.push((await shell(way, 'WAY true </dev/null', env)).seconds)
}
const lone = times.map(median)
report(
  'a lone command, ms',
  lone.map((seconds) => (seconds * 1000).toFixed(0)),
  true,
)
if (lone[1]) console.log(`       ×${(lone[0]! / lone[1]).toFixed(2)} of ssh's`)

/** Starts the script and presses Ctrl-C `presses` times after it has printed `up`. */
async function press({ argv }: Way, script: string, presses: number): Promise<number | null> {
  const child: ChildProcess = spawn(argv[0]!, [...argv.slice(1), script], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  await once(child.stdout!, 'data')
  for (let n = 0; n < presses; n++) {
    child.kill('SIGINT')
    await sleep(400)
  }
  const [code, signal] = await ended
  return signal === null ? code : codeOfSignal(signal)
}
const left = async (text: string) =>
  (await becomes(() => processesWith(text).length === 0, 6000)) ? 'nothing left' : 'left behind'
for (const [presses, script] of [
  [1, 'echo up; sleep 61.71'],
  [2, 'trap "" INT; echo up; sleep 61.72'],
] as const) {
  const results: string[] = []
  for (const way of ways) {
    const code = await press(way, script, presses)
    const after = await left(/sleep \S+/.exec(script)![0])
    results.push(`${code} ${after}`)
    for (const pid of processesWith(/sleep \S+/.exec(script)![0])) process.kill(pid)
  }
  report(`Ctrl-C ${presses === 1 ? 'once' : 'twice'}: exit code, leftovers`, results, results[0] === '130 nothing left')
}
const pipes: string[] = []
for (const way of ways) {
  const { out } = await shell(way, `WAY 'yes 61.73' | head -1; echo "\${PIPESTATUS[0]}"`, env)
  pipes.push(`${out.split('\n')[1]} ${await left('yes 61.73')}`)
}
report('yes | head', pipes, pipes[0] === '141 nothing left')

const cutMiB = Math.min(64, MIB)
const proxy = await cutProxy(service.port, 10, (cut) => 1_000_000 + cut * 700_000)
const cut = await shell(
  run('--port', String(proxy.port), '-q'),
  `head -c ${cutMiB}M /dev/urandom | tee ${folder}/sent | WAY cat | sha256sum; sha256sum <${folder}/sent`,
  env,
)
const [got, sent] = cut.out.split('\n')
report(
  `${cutMiB} MiB in both directions over ${proxy.cuts()} cuts`,
  [got === sent ? 'equal' : 'differs'],
  got === sent && proxy.cuts() === 10,
)
proxy.close()

const script = 'seq 1 400000'
const sum = spawnSync('sh', ['-c', `${script} | sha256sum`], { encoding: 'utf8' }).stdout.slice(0, 64)
for (const name of ['this', 'newest', 'chromium'] as const) {
  const line = await cutProxy(service.port, 10, (n) => 60_000 + n * 30_000)
  const args = [line.url, service.token, script] as const
  const followed = name === 'chromium' ? await followInChromium(...args) : await followInNode(name, ...args)
  const label = `typed client, ${name === 'chromium' ? 'Chromium' : `${name} Node`}, ${line.cuts()} cuts`
  if (followed === null) console.log(`skipped ${label}: not installed`)
  else report(label, [`${followed.bytes} bytes`], followed.sha256 === sum && line.cuts() === 10)
  line.close()
}

sshd?.stop()
await service.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(failed ? 1 : 0)
