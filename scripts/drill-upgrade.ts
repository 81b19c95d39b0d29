import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, type Service, startService } from '../test/helper.ts'
import type { ExecRecord } from '../src/schema/index.ts'

/**
 * Two versions are packed and installed with --prefix one over the other, under a service that is busy; it is restarted as setup does.
 * Nothing is lost: every run that was asked for under a key has one record, none ran twice, those that were cut off say so.
 * `npx tsx scripts/drill-upgrade.ts [workers] [seconds of load]`; exit code 1 when a bound is broken.
 */
const WORKERS = Number(process.argv[2] ?? 12)
const LOAD_MS = Number(process.argv[3] ?? 20) * 1000
const ENDINGS = ['completed', 'canceled', 'failed']
const CUT_OFF = /the service is stopping|the service stopped while this ran|canceled before it was started/
const folder = mkdtempSync(join(tmpdir(), 'shellphone-upgrade-'))
const [home, prefix, marks] = ['home', 'prefix', 'marks'].map((name) => join(folder, name)) as [string, string, string]
const installed = join(prefix, 'lib/node_modules/shellphone')
const faults: string[] = []

/** A tarball of this checkout under another version. */
function pack(version: string): string {
  const copy = join(folder, version)
  for (const name of [...readdirSync(root)].filter((one) => !['node_modules', 'dist', '.git', '.tap'].includes(one))) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const file = join(copy, 'package.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }))
  execFileSync('npm', ['run', '--silent', 'pack'], { cwd: copy, stdio: ['ignore', 'ignore', 'pipe'] })
  return join(copy, `shellphone-${version}.tgz`)
}

const install = (tarball: string) =>
  execFileSync('npm', ['install', '--silent', '--offline', '--global', '--prefix', prefix, tarball], {
    stdio: 'ignore',
  })

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  server.close()
  return String(port)
}

const port = await freePort()
const start = () =>
  startService({
    home,
    checkout: installed,
    flags: ['--port', port],
    env: { SHELLPHONE_MAX_RUNNING: '8', MARKS: marks },
  })
let service: Service

/** What was answered for each key. */
const answers = new Map<string, ExecRecord>()
let retries = 0

/** Asks under one key until there is an answer: a client that knows what it wants, and not what goes on. */
async function runKeyed(key: string, command: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      const reply = await service.post('/exec', { command }, { 'idempotency-key': key })
      const body = (await reply.json()) as ExecRecord & { error?: { type: string } }
      if (reply.status === 200) return void answers.set(key, body)
      if (body.error?.type !== 'pool_full') faults.push(`${key}: HTTP ${reply.status} ${JSON.stringify(body.error)}`)
    } catch {
      // the connection went with the service
    }
    retries++
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  faults.push(`${key}: never answered`)
}

/** Short and long ones in turn; each leaves one line where it began. */
async function work(worker: number, endMs: number): Promise<void> {
  for (let i = 0; performance.now() < endMs; i++) {
    const key = `key-${worker}-${i}`
    await runKeyed(key, `echo ${key} >> "$MARKS"; ${i % 3 === 0 ? 'sleep 2' : 'sleep 0.05'}; echo ${key}`)
  }
}

function check(key: string, record: ExecRecord, begun: number, kept: ExecRecord | null): void {
  const isCutOff = record.status !== 'completed'
  if (!ENDINGS.includes(record.status)) faults.push(`${key}: ${record.status}`)
  if (isCutOff && !record.notes.some((note) => CUT_OFF.test(note))) {
    faults.push(`${key}: says not why it ended: ${record.notes}`)
  }
  if (!isCutOff && (record.stdout !== `${key}\n` || begun !== 1)) {
    faults.push(`${key}: ended well, began ${begun} times`)
  }
  if (begun > 1) faults.push(`${key}: ran ${begun} times`)
  if (kept?.id !== record.id || kept.status !== record.status) faults.push(`${key}: its record says ${kept?.status}`)
}

const versionOf = async () => ((await (await service.request('/health')).json()) as { version: string }).version

try {
  const [first, second] = [pack('0.1.1'), pack('0.1.2')]
  install(first)
  service = await start()
  const before = await versionOf()
  const load = Array.from({ length: WORKERS }, (_one, worker) => work(worker, performance.now() + LOAD_MS))
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS / 3))
  const installedAt = performance.now()
  install(second) // under the service that runs
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS / 6))
  const stoppedAt = performance.now()
  const code = await service.kill('SIGTERM')
  service = await start()
  const downMs = performance.now() - stoppedAt
  await Promise.all(load)
  const after = await versionOf()
  if (before !== '0.1.1' || after !== '0.1.2') faults.push(`expected 0.1.1 and 0.1.2, got ${before} and ${after}`)
  if (code !== 0) faults.push(`the old service ended with ${code}`)

  const lines = readFileSync(marks, 'utf8').trim().split('\n')
  for (const [key, record] of answers) {
    const reply = await service.request(`/runs/${record.id}`)
    const kept = reply.status === 200 ? ((await reply.json()) as ExecRecord) : null
    check(key, record, lines.filter((line) => line === key).length, kept)
  }
  const unanswered = lines.filter((line) => !answers.has(line))
  if (unanswered.length > 0) faults.push(`ran and was never answered: ${unanswered}`)
  const cutOff = [...answers.values()].filter(({ status }) => status !== 'completed').length
  if (cutOff === 0) faults.push('nothing was cut off: the load was too light to show anything')
  console.log(
    `${before} → ${after}: reinstalled in ${Math.round(stoppedAt - installedAt - LOAD_MS / 6)} ms, away for ${Math.round(downMs)} ms`,
  )
  console.log(
    `${answers.size} keyed runs: ${answers.size - cutOff} completed, ${cutOff} cut off and say so, ${retries} retries`,
  )
  await service.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`)
console.log(faults.length === 0 ? 'no run lost' : `${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
