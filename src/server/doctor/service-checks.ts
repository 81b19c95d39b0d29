import { existsSync } from 'node:fs'
import { serviceFolder, unitFile } from '../../shared/package/index.ts'
import { isLoopback } from '../../shared/schema/index.ts'
import { canConnect, canListen } from './probe-network.ts'
import { logFolder, readServiceLog } from './service-log.ts'
import { type DoctorCheck, error, noAnswer, ofHealth, ok, type DoctorScene, skipped, warning } from './world.ts'

const CRASH_LOOP_MS = 600_000
const CRASH_LOOP_ENDS = 3
const NO_UNIT = 'it is not a systemd service here'
/** svlogd keeps ten files of 1 MB. */
const MAX_LOG_BYTES = 20_000_000

/** Whether the service runs, stays up, is supervised and can be reached. */
export const serviceChecks: DoctorCheck[] = [
  {
    name: 'settings',
    inspect: ({ settingsError }) => (settingsError === null ? ok('readable') : error(settingsError)),
    why: 'The service does not start with a wrong or unknown setting.',
    fix: 'Correct it; shellphone help settings lists all settings.',
  },
  {
    name: 'service',
    needsSettings: true,
    inspect: ({ health }) =>
      health().then(
        ({ status, uptime_seconds: up }) =>
          status === 'ok' ? ok(`responds, up for ${up} s`) : warning(`is ${status} and accepts no more commands`),
        ({ message }: Error) => error(message),
      ),
    why: 'Without the service, no agent can use this machine.',
    fix: 'Run shellphone setup to install it as a service that starts at boot, or shellphone serve to start it now.',
  },
  {
    name: 'supervisor',
    lane: 'programs',
    inspect: (scene) => (scene.prefix === undefined ? inspectSystemd(scene) : inspectRunit(scene, scene.prefix)),
    why: 'The supervisor restarts the service after a crash, or after Android has killed it.',
    fix: 'Run shellphone setup',
  },
  {
    name: 'crash loop',
    inspect: ({ prefix, env, home, nowMs }) => {
      if (prefix === undefined) {
        const hasUnit = existsSync(unitFile({ env, home }))
        return skipped(hasUnit ? 'the journal has the log: journalctl --user -u shellphone' : NO_UNIT)
      }
      const recent = readServiceLog(logFolder(prefix, env)).crashes.filter(({ atMs }) => nowMs - atMs < CRASH_LOOP_MS)
      if (recent.length < CRASH_LOOP_ENDS) return ok(`${recent.length} crashes in the last 10 minutes`)
      return error(
        `it crashed ${recent.length} times in the last 10 minutes; its last log line: ${recent.at(-1)!.reason}`,
      )
    },
    why: 'A service that keeps crashing is unavailable and drains the battery.',
    fix: 'Fix the problem in its last log line, then: sv restart $PREFIX/var/service/shellphone',
  },
  {
    name: 'SVDIR',
    inspect: ({ prefix, env }) => {
      if (prefix === undefined) return skipped('not Termux')
      return env.SVDIR ? ok(env.SVDIR) : warning('not set in this shell')
    },
    why: 'Without SVDIR, sv and sv-enable fail with "unable to change to service directory"; bash sets it, but fish, zsh and xonsh do not.',
    fix: "Add export SVDIR=$PREFIX/var/service to the shell's start-up file, or pass the full path of the service to sv.",
  },
  {
    name: 'log',
    inspect: ({ prefix, env }) => {
      if (prefix === undefined) return skipped('not Termux')
      const folder = logFolder(prefix, env)
      const { bytes } = readServiceLog(folder)
      const found = `${Math.ceil(bytes / 1000)} kB in ${folder}`
      return bytes <= MAX_LOG_BYTES ? ok(found) : warning(found)
    },
    why: 'The log should be limited to ten files of 1 MB; a larger log could fill the disk.',
    fix: 'If that directory contains a file "config", remove it, then: sv restart $PREFIX/var/service/shellphone/log',
  },
  {
    name: 'port',
    needsSettings: true,
    inspect: async ({ health, settings: { host, port } }) => {
      const where = `${host} port ${port}`
      const isOurs = await health().then(
        () => true,
        () => false,
      )
      if (isOurs) return ok(`the service listens at ${where}`)
      const refused = await canListen(host, port)
      return refused === null ? ok(`${where} is free for the service`) : error(`cannot listen at ${where}: ${refused}`)
    },
    why: 'The service cannot start while another program listens on its port.',
    fix: 'Stop that program, or choose another port: shellphone setup --port 8030',
  },
  {
    name: 'own addresses',
    needsSettings: true,
    lane: 'programs',
    inspect: async ({ health, settings: { host, port }, addresses }) => {
      if (isLoopback(host)) return ok('listens on this machine only')
      if (!(await health().catch(() => null))) return skipped('the service does not respond')
      const all = ['0.0.0.0', '::'].includes(host) ? await addresses() : [host]
      if (all.length === 0) return warning('no address beyond loopback: there is no network, or Android hides it')
      const refused = await Promise.all(all.map((address) => canConnect(address, port)))
      const open = all.filter((_, index) => refused[index] === null)
      if (open.length > 0) return ok(`reachable at ${open.map((address) => `${address} port ${port}`).join(', ')}`)
      return error(`not reachable at ${all.join(', ')} port ${port}: ${refused[0]}`)
    },
    why: 'If this machine cannot connect to its own address, other machines cannot either.',
    fix: 'Connect to Wi-Fi, make sure that no firewall or VPN app blocks the port, then: shellphone setup --upgrade',
  },
  {
    name: 'Node',
    inspect: ({ nodeVersion }) => {
      const [major = 0, minor = 0] = nodeVersion.slice(1).split('.').map(Number)
      return major > 20 || (major === 20 && minor >= 15)
        ? ok(nodeVersion)
        : error(`${nodeVersion}, expected v20.15 or newer`)
    },
    why: 'Older versions lack features that the service needs.',
    fix: "Install a newer version: pkg install nodejs-lts (on Linux, from nodejs.org or the distribution's package)",
  },
  {
    name: 'version',
    needsSettings: true,
    inspect: ofHealth((health, { version }) =>
      health.version === version ? ok(version) : warning(`${health.version} is running, but ${version} is installed`),
    ),
    why: 'An upgrade takes effect at the next start.',
    fix: 'Run shellphone setup --upgrade',
  },
  {
    name: 'launcher',
    needsSettings: true,
    inspect: ofHealth(({ spawner: { name, reason } }) => (name === 'launcher' ? ok(reason) : warning(reason))),
    why: 'The launcher starts commands faster, kills their process trees more reliably, and provides sandboxes and limits.',
    fix: 'Install a C compiler (pkg install clang; on Linux gcc), then: shellphone setup --upgrade',
  },
  {
    name: 'sandboxes',
    needsSettings: true,
    inspect: ofHealth(({ sandbox: { available, reason } }, { platform }) => {
      if (reason === null) return ok(available.join(', '))
      return platform === 'android' ? ok(`${available.join(', ')}; ${reason}`) : warning(reason)
    }),
    why: 'Only the kernel can keep a command from changing files or using the network.',
    fix: 'Sandboxes need the launcher and a kernel with Landlock, or the setting sandbox.command.',
  },
  {
    name: 'warnings',
    needsSettings: true,
    inspect: ofHealth(({ warnings }, { knownWarnings }) => {
      const others = warnings.filter((one) => !knownWarnings.includes(one))
      return others.length === 0 ? ok('the service reports no others') : warning(others.join('; '))
    }),
    why: 'The service itself reports a problem (GET /health).',
    fix: 'Follow the advice in the warning.',
  },
]

async function inspectRunit({ tool, limits }: DoctorScene, prefix: string) {
  const folder = serviceFolder(prefix)
  if (!existsSync(folder)) return warning('runit does not supervise the service')
  const { ending, stdout, stderr } = await tool(['sv', 'status', folder])
  const said = (stdout || stderr).trim().split('\n')[0]!
  if (ending === 'not_started')
    return error('sv is not installed', 'pkg install termux-services, then: shellphone setup')
  if (ending === 'killed') return noAnswer('sv', limits)
  if (said.startsWith('run: ')) return ok(said)
  if (said.startsWith('down: ')) return error(said, `sv up ${folder}`)
  return error(said, 'Close Termux (Exit in its notification), open it again, then run shellphone setup')
}

async function inspectSystemd({ tool, home, env, limits }: DoctorScene) {
  if (!existsSync(unitFile({ env, home }))) return skipped(NO_UNIT)
  const { ending, stdout, stderr } = await tool(['systemctl', '--user', 'is-active', 'shellphone.service'])
  if (ending === 'killed') return noAnswer('systemctl', limits)
  const said = (stdout || stderr).trim().split('\n')[0]!
  return said === 'active' ? ok('systemd: active') : error(`systemd: ${said}`, 'systemctl --user restart shellphone')
}
