/**
 * Installs the Debian package of the release in dist/release in a new Debian 12 with a systemd of its own and without a network, as a user would:
 * the user's service, curl, MCP, an upgrade and a rollback under load, a reboot, removal. Every run with an idempotency key must have one
 * record, and none may run twice.
 *
 *     npx tsx scripts/drills/drill-debian.ts [workers=8] [seconds of load=12]       as root, after npm run release
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../test/support/helper.ts'
import { until } from '../../test/support/termux/service.ts'
import { cachedNode } from './cached.ts'
import { copyDebian } from './debian-tree.ts'
import { artifactOf, megabytes, nodePackage, withVersion } from './packages.ts'
import { expect, seconds, talk } from './phone-steps.ts'

const [workers = 8, loadSeconds = 12] = process.argv.slice(2).map(Number)
const UNIT = '/usr/lib/systemd/user/shellphone.service'
const folder = mkdtempSync(join(tmpdir(), 'drill-debian-'))
const tree = join(folder, 'tree')
const cgroup = `${existsSync('/sys/fs/cgroup/cgroup.procs') ? '/sys/fs/cgroup' : '/sys/fs/cgroup/unified'}/drill-debian-${process.pid}`
const run = promisify(execFile)

let booted: { script: ChildProcess; pid: number }

/** Starts Debian, and resolves when its systemd is ready. */
async function boot(): Promise<void> {
  const script = spawn('sh', [join(root, 'scripts/drills/boot-debian.sh'), tree, cgroup], {
    stdio: 'ignore',
  })
  const isSystemd = (pid: string) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'systemd\n'
  const child = () => readFileSync(`/proc/${script.pid}/task/${script.pid}/children`, 'utf8').trim()
  await until('the first process', () => {
    try {
      return isSystemd(child())
    } catch {
      return false // a child that has ended, or none yet
    }
  })
  booted = { script, pid: Number(child()) }
  // after a power cut, systemd can report that a unit failed
  await until('systemd', async () =>
    /running|degraded/.test(await inside('systemctl is-system-running --wait || true').catch(String)),
  )
}

async function shutDown(): Promise<void> {
  const ended = new Promise((resolve) => booted.script.once('exit', resolve))
  process.kill(booted.pid, 'SIGKILL')
  await ended
  const groups = readdirSync(cgroup, { recursive: true, withFileTypes: true }).filter((one) => one.isDirectory())
  for (const { parentPath, name } of groups.reverse()) rmdirSync(join(parentPath, name))
  rmdirSync(cgroup)
}

/** Runs a script in Debian. Resolves with its output; rejects with it if the script fails. */
async function inside(script: string, user = 'root'): Promise<string> {
  const enter = ['-t', String(booted.pid), '-a', 'runuser', '-u', user, '--']
  const env = ['env', '-i', 'PATH=/usr/bin:/bin:/usr/sbin:/sbin', `HOME=${user === 'root' ? '/root' : `/home/${user}`}`]
  const argv = [
    ...enter,
    ...env,
    'XDG_RUNTIME_DIR=/run/user/1000',
    'DEBIAN_FRONTEND=noninteractive',
    'sh',
    '-c',
    `cd; ${script}`,
  ]
  try {
    return (await run('nsenter', argv, { maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${script}: ${stdout}${stderr}`.slice(0, 3000))
  }
}

const asUser = (script: string) => inside(script, 'user')

const health = () => asUser('curl -fsS http://127.0.0.1:8029/health -H "Authorization: Bearer $(cat token)"')
const isRunning = (version: string) =>
  until(`version ${version}`, () =>
    health().then(
      (text) => text.includes(`"version":"${version}"`),
      () => false,
    ),
  )

/** Runs one command with curl and one over MCP. */
async function runsCommands(): Promise<void> {
  const curl = `curl -fsS -H "Authorization: Bearer $(cat token)" -H 'content-type: application/json' -d '{"command": "echo by curl"}' http://127.0.0.1:8029/exec`
  expect('curl', await asUser(curl), /"stdout":"by curl\\n"/)
  const call = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const hello = call(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'drill', version: '1' },
  })
  const exec = call(2, 'tools/call', { name: 'exec', arguments: { command: 'echo by mcp' } })
  expect('MCP', await asUser(`${talk(`'${hello}' '${exec}'`)} | shellphone mcp >out; cat out`), /"stdout":"by mcp\\n"/)
}

/** Does `work` while clients run commands, and returns what they saw. */
async function underLoad(marks: string, work: () => Promise<unknown>): Promise<string> {
  const load = asUser(
    `node /opt/keyed-load.mjs http://127.0.0.1:8029 "$(cat token)" ${workers} ${loadSeconds} ~/${marks}`,
  )
  load.catch(() => {})
  await until('the load', () =>
    asUser(`test -s ${marks}`).then(
      () => true,
      () => false,
    ),
  )
  const took = await seconds(work)
  const { runs, cutOff, retries, awayMs, faults } = JSON.parse(await load)
  if (faults.length > 0) throw new Error(faults.slice(0, 10).join('; '))
  return `${took} under load, unreachable for ${Math.round(awayMs)} ms: ${runs} runs with keys, ${cutOff} reported as interrupted, ${retries} retries, none lost`
}

async function drill(version: string): Promise<void> {
  const print = (text: string) => console.log(text)
  await inside('useradd --create-home --shell /bin/bash user; loginctl enable-linger user')
  await until('the user’s systemd', () =>
    asUser('systemctl --user show-environment').then(
      () => true,
      () => false,
    ),
  )
  print(`installed in ${await seconds(() => inside('apt-get install -qq -y /opt/nodejs.deb /opt/first.deb'))}`)
  const files = (await inside('dpkg -L shellphone')).trim().split('\n').length
  print(
    `${files} files and directories, ${(await inside("dpkg-query -W -f='${Installed-Size}' shellphone")).trim()} KiB`,
  )
  print(`systemd-analyze verify: ${(await asUser(`systemd-analyze --user verify ${UNIT} 2>&1`)).trim() || 'no error'}`)
  const started = await seconds(async () => {
    await asUser('systemctl --user enable --now shellphone')
    await until('the token', () =>
      asUser('umask 077; shellphone token create drill >token && test -s token').then(
        () => true,
        () => false,
      ),
    )
    await isRunning(version)
  })
  print(`service up after ${started}`)
  await runsCommands()
  print(
    `curl and MCP: ok; memory ${(await asUser('systemctl --user show -P MainPID shellphone | { read pid; grep VmRSS /proc/$pid/status; }')).trim()}`,
  )
  print(
    `upgrade: ${await underLoad('upgrade', async () => {
      await inside('apt-get install -qq -y /opt/second.deb')
      await isRunning('0.9.0')
    })}`,
  )
  await runsCommands()
  print(
    `rollback: ${await underLoad('rollback', async () => {
      await inside('apt-get install -qq -y --allow-downgrades /opt/first.deb')
      await isRunning(version)
    })}`,
  )
  await runsCommands()
  const rebooted = await seconds(async () => {
    await shutDown()
    await boot()
    await isRunning(version)
  })
  print(`reboot: service up after ${rebooted}`)
  await runsCommands()
  await inside('apt-get remove -qq -y shellphone')
  expect('processes after removal', `[${(await asUser('pgrep -f [d]ist/main.js || true')).trim()}]`, /^\[\]$/)
  expect('home after removal', await asUser('ls -d ~/.shellphone'), /shellphone/)
  await inside('apt-get purge -qq -y shellphone')
  const left = await inside(
    "dpkg -l shellphone 2>/dev/null | grep ^.[^n] | grep shellphone; find / -xdev -name '*shellphone*' -not -path '/home/*' -not -path '/opt/*' -not -path '/proc/*'; true",
  )
  expect('left after purge', `[${left.trim()}]`, /^\[\]$/)
  print('removed: the service has ended; purged: nothing is left outside the user’s home')
}

const first = artifactOf(join(root, 'dist/release'), /_amd64\.deb$/)
const reason = copyDebian(tree)
if (reason) {
  console.log(`skipped: ${reason}`)
  process.exit(0)
}
try {
  nodePackage(cachedNode(24) ?? process.execPath, join(tree, 'opt/nodejs.deb'))
  cpSync(first, join(tree, 'opt/first.deb'))
  withVersion(first, '0.9.0', join(tree, 'opt/second.deb'))
  cpSync(join(root, 'scripts/drills/keyed-load.mjs'), join(tree, 'opt/keyed-load.mjs'))
  console.log(`the package: ${megabytes(first)}`)
  await boot()
  await drill(/_([^_]+)_/.exec(first)![1]!).catch((error: Error) => {
    console.log(`FAULT ${error.message}`)
    process.exitCode = 1
  })
  await shutDown()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
