import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { damageRounds } from './damage-rounds.ts'
import { processesWith, type Service, startService, becomes } from '../../test/support/helper.ts'

/**
 * Kills the service with kill -9 during 20 runs, repeatedly with the same home. The history must open every time, no reported record may be lost,
 * no process may be orphaned, no unfinished run may be reported as completed, and no run may start twice with one idempotency key. Then the
 * drill damages files. Every response must stay correct, and the service must report every loss.
 *
 *     npx tsx scripts/drills/drill-crash.ts [rounds] [rounds of damage]       exit code 1 if a bound is exceeded
 */
const ROUNDS = Number(process.argv[2] ?? 200)
const DAMAGE_ROUNDS = Number(process.argv[3] ?? 60)
const RUNS = 20
const home = mkdtempSync(join(tmpdir(), 'shellphone-crash-'))
const napSeconds = 800_000 + process.pid
const nap = `sleep ${napSeconds}`
const scripts = [
  nap,
  `setsid ${nap}; :`,
  `seq 1 20000; ${nap}`,
  `trap "" TERM; ${nap}; ${nap}`,
  `(setsid ${nap} &); echo a; ${nap}`,
]

const faults: string[] = []
/** runs that ended before a kill, with their idempotency keys */
const answered = new Map<string, { key: string; command: string; stdout: string; exit_code: number }>()
/** background runs that were accepted (202) and do not end on their own */
const begun = new Set<string>()
let cutOff = 0
let startMs = 0

async function begin(): Promise<Service> {
  const service = await startService({
    home,
    env: { SHELLPHONE_MAX_RUNNING: String(RUNS), SHELLPHONE_MAX_BACKGROUND_RUNNING: String(RUNS) },
  })
  startMs = Math.max(startMs, service.startupMs)
  return service
}

async function answerSome(service: Service, round: number): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const key = `round-${round}-${n}`
    const command = `echo ${round}-${n}; exit ${n}`
    const record = (await (await service.post('/exec', { command }, { 'idempotency-key': key })).json()) as ExecRecord
    answered.set(record.id, { key, command, stdout: record.stdout, exit_code: record.exit_code })
  }
}

/** Starts 20 runs and kills the service at a random time, which can be before the first or after the last has started. */
async function crashDuring(service: Service): Promise<void> {
  const going = Array.from({ length: RUNS }, async (_, n) => {
    const command = scripts[n % scripts.length]!
    const response = await service
      .post('/exec', { command, background: n % 2 === 0, timeout_seconds: 100 })
      .catch(() => null)
    const body = (await response?.json().catch(() => null)) as { id?: string } | null | undefined
    if (response?.status === 202 && body?.id) begun.add(body.id)
  })
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 400))
  await service.kill('SIGKILL')
  await Promise.all(going)
}

async function inspect(service: Service, round: number): Promise<void> {
  const orphans = processesWith(nap)
  if (orphans.length > 0 && !(await becomes(() => processesWith(nap).length === 0, 3000))) {
    faults.push(`round ${round}: ${orphans.length} orphans`)
  }
  const { runs } = (await (await service.request('/runs?limit=200')).json()) as { runs: ExecRecord[] }
  for (const run of runs) {
    const isOurs = answered.has(run.id)
    if (isOurs) continue
    if (run.status !== 'failed' || !run.notes.some(({ code }) => code === 'SERVICE_STOPPED')) {
      faults.push(`round ${round}: ${run.command} is reported as ${run.status} (${JSON.stringify(run.notes)})`)
    }
    cutOff++
  }
  const recent = [...answered].slice(-60)
  for (const [id, { stdout, exit_code }] of recent) {
    const record = (await (await service.request(`/runs/${id}`)).json()) as ExecRecord
    if (record.stdout !== stdout || record.exit_code !== exit_code) {
      faults.push(`round ${round}: answered run ${id} is now ${JSON.stringify(record).slice(0, 200)}`)
    }
  }
  for (const id of [...begun].slice(-RUNS)) {
    const { status } = (await (await service.request(`/runs/${id}`)).json()) as ExecRecord
    if (status !== 'failed') faults.push(`round ${round}: background run ${id} was accepted and is now ${status}`)
  }
  const [id, { key, command }] = recent[Math.floor(Math.random() * recent.length)]!
  const replay = (await (await service.post('/exec', { command }, { 'idempotency-key': key })).json()) as ExecRecord
  if (replay.id !== id) faults.push(`round ${round}: key ${key} ran again`)
}

let service = await begin()
const began = performance.now()
let round = 0
for (; round < ROUNDS && faults.length < 20; round++) {
  await answerSome(service, round)
  await crashDuring(service)
  service = await begin()
  await inspect(service, round)
  if (round % 20 === 19) {
    console.log(`${round + 1} rounds, ${faults.length} faults, slowest start ${startMs.toFixed(0)} ms`)
  }
}
let lost = 0
for (const id of answered.keys()) if ((await service.request(`/runs/${id}`)).status !== 200) lost++
const code = await service.stop()
if (DAMAGE_ROUNDS > 0) faults.push(...(await damageRounds(home, DAMAGE_ROUNDS)))
rmSync(home, { recursive: true, force: true })
console.log(`${round} rounds of ${RUNS} runs in ${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(
  `answered ${answered.size}, lost ${lost}; reported as interrupted ${cutOff} (counted again in later rounds); accepted in the background ${begun.size}`,
)
console.log(
  `orphans now ${processesWith(nap).length}; slowest start ${startMs.toFixed(0)} ms; exit code at the end ${code}`,
)
console.log(faults.length === 0 ? 'no faults' : faults.join('\n'))
process.exit(faults.length + lost > 0 || code !== 0 ? 1 : 0)
