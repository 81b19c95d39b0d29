/**
 * Causes each problem on a simulated healthy phone, runs doctor, checks the report, and undoes the problem. Prints the row, the state, the fix and
 * the exit code. test/server/doctor/doctor.test.ts tests problems that cannot be simulated (sleep, another clock, years of use).
 *
 *     npx tsx scripts/drills/drill-doctor.ts       as root
 */
import { cpSync, renameSync, writeFileSync } from 'node:fs'
import type { DoctorReport } from '../../src/shared/schema/index.ts'
import { launcher, type Phone, prefix, startPhone, whyNot } from '../../test/support/termux/phone.ts'
import { healthy } from '../../test/support/termux/service.ts'
import { shellEnv, type Trap, traps } from './doctor-traps.ts'

const main = '$PREFIX/lib/node_modules/shellphone/dist/main.js'
const faults: string[] = []

/** Installs a compiler, Termux:API and Termux:Boot, so that doctor finds no problem. */
async function makeHealthy(phone: Phone): Promise<void> {
  const script = (name: string, text: string) =>
    writeFileSync(phone.path(`${prefix}/bin/${name}`), `#!${prefix}/bin/sh\n${text}\n`, { mode: 0o755 })
  script('pm', 'echo package:x')
  for (const name of ['termux-notification', 'termux-notification-remove', 'termux-notification-list']) {
    script(name, 'echo []')
  }
  script('termux-battery-status', 'echo \'{"percentage": 80}\'')
  script('shellphone', `exec node ${main} "$@"`)
  cpSync(launcher, phone.path(`${prefix}/libexec/compiled`))
  renameSync(phone.path(`${prefix}/libexec/cc`), phone.path(`${prefix}/bin/cc`))
  await phone.run('pkg install -y nodejs-lts </dev/null; cp /lib/*/libdl.so.2 $PREFIX/lib/nothing.so')
  const { code, stdout, stderr } = await phone.run('shellphone setup --lan --yes', shellEnv)
  if (code !== 0) throw new Error(stdout + stderr)
}

async function examine(phone: Phone, env = shellEnv as Record<string, string>) {
  const { code, stdout, stderr } = await phone.run('shellphone doctor --json', env)
  if (!stdout.startsWith('{')) throw new Error(`doctor: exit code ${code}, ${stdout}${stderr}`)
  return { code, checks: (JSON.parse(stdout) as DoctorReport).checks }
}

type Report = Awaited<ReturnType<typeof examine>>

const problemsOf = ({ checks }: Report) =>
  checks.flatMap(({ name, status, found }) => (status === 'ok' || status === 'skipped' ? [] : [`${name}: ${found}`]))

async function drill(phone: Phone, { what, on, off, row, status, env, settles }: Trap): Promise<void> {
  if (typeof on === 'string') await phone.run(on, shellEnv)
  else await on(phone)
  await settles?.(phone)
  const report = await examine(phone, env)
  await phone.run(off, shellEnv)
  const result = report.checks.find(({ name }) => name === row)
  console.log(`${what}\n    ${row}: ${result?.found}\n    fix: ${result?.fix}\n    exit code ${report.code}`)
  if (result?.status !== status || report.code !== 1) {
    faults.push(`${what}: expected ${status} in row ${row} and exit code 1; ${problemsOf(report).join('; ')}`)
  }
}

async function mustBeHealthy(phone: Phone, after: string): Promise<void> {
  await healthy(phone)
  const report = await examine(phone)
  if (report.code !== 0) faults.push(`after ${after}: exit code ${report.code}; ${problemsOf(report).join('; ')}`)
}

const reason = whyNot()
if (reason) {
  console.log(`skipped: ${reason}`)
  process.exit(0)
}
const phone = await startPhone()
try {
  await makeHealthy(phone)
  await mustBeHealthy(phone, 'setup')
  for (const trap of traps) {
    await drill(phone, trap)
    if (trap.off !== '') await mustBeHealthy(phone, trap.what)
  }
} finally {
  await phone.stop()
}
for (const fault of faults) console.log(`FAULT ${fault}`)
console.log(`${traps.length} traps, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
