import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopback } from '../../shared/schema/index.ts'
import { canConnect, canListen } from './probe-network.ts'
import { logFolder, readServiceLog } from './service-log.ts'
import { type Check, error, noAnswer, ofHealth, ok, type Scene, skipped, warning } from './world.ts'

const CRASH_LOOP_MS = 600_000
const CRASH_LOOP_ENDS = 3
/** svlogd keeps ten files of 1 MB. */
const MAX_LOG_BYTES = 20_000_000

const serviceFolder = (prefix: string) => join(prefix, 'var/service/shellphone')

/** Is it there, does it stay up, who keeps it up, can it be reached? */
export const serviceChecks: Check[] = [
  {
    name: 'settings',
    look: ({ settingsTrouble }) => (settingsTrouble === null ? ok('can be read') : error(settingsTrouble)),
    why: 'A setting that is wrong or unknown stops the start.',
    mend: 'Correct it; src/server/config/README.md has the table of all settings, shellphone help the list.',
  },
  {
    name: 'service',
    look: ({ health }) =>
      health().then(
        ({ status, uptime_seconds: up }) =>
          status === 'ok' ? ok(`answers, up for ${up} s`) : warning(`is ${status}, and takes no more commands`),
        ({ message }: Error) => error(message),
      ),
    why: 'Without it no agent reaches this machine.',
    mend: 'shellphone setup makes it a service that starts by itself; shellphone serve starts it here and now.',
  },
  {
    name: 'supervisor',
    lane: 'programs',
    look: (scene) => (scene.prefix === undefined ? lookAtSystemd(scene) : lookAtRunit(scene, scene.prefix)),
    why: 'It starts the service again when it has ended, by itself or by Android.',
    mend: 'shellphone setup',
  },
  {
    name: 'crash loop',
    look: ({ prefix, env, nowMs }) => {
      if (prefix === undefined) return skipped('not Termux: journalctl --user -u shellphone has the log')
      const recent = readServiceLog(logFolder(prefix, env)).ends.filter(({ atMs }) => nowMs - atMs < CRASH_LOOP_MS)
      if (recent.length < CRASH_LOOP_ENDS) return ok(`${recent.length} ends of the last 10 minutes were no stops`)
      return error(`it ended ${recent.length} times in the last 10 minutes; last words: ${recent.at(-1)!.words}`)
    },
    why: 'A service that ends as soon as it has started serves nobody and drains the battery.',
    mend: 'Mend what its last words say, then: sv restart $PREFIX/var/service/shellphone',
  },
  {
    name: 'SVDIR',
    look: ({ prefix, env }) => {
      if (prefix === undefined) return skipped('not Termux')
      return env.SVDIR ? ok(env.SVDIR) : warning('is not set here')
    },
    why: 'Without it sv and sv-enable say "unable to change to service directory"; bash sets it, fish, zsh and xonsh do not.',
    mend: 'export SVDIR=$PREFIX/var/service in the shell’s start-up file, or name the service by its whole path.',
  },
  {
    name: 'log',
    look: ({ prefix, env }) => {
      if (prefix === undefined) return skipped('not Termux')
      const folder = logFolder(prefix, env)
      const { bytes } = readServiceLog(folder)
      const found = `${Math.ceil(bytes / 1000)} kB in ${folder}`
      return bytes <= MAX_LOG_BYTES ? ok(found) : warning(found)
    },
    why: 'It is bounded to ten files of 1 MB; more fills the disk.',
    mend: 'Is there a file "config" in that folder that says otherwise? Remove it, then: sv restart $PREFIX/var/service/shellphone/log',
  },
  {
    name: 'port',
    look: async ({ health, settings: { host, port } }) => {
      const where = `${host} port ${port}`
      const isOurs = await health().then(
        () => true,
        () => false,
      )
      if (isOurs) return ok(`the service listens at ${where}`)
      const refused = await canListen(host, port)
      return refused === null
        ? ok(`${where} is free for the service`)
        : error(`${where} cannot be listened at: ${refused}`)
    },
    why: 'The service cannot start where something else listens already.',
    mend: 'Stop what listens there, or choose another: shellphone setup --port 8030',
  },
  {
    name: 'own addresses',
    lane: 'programs',
    look: async ({ health, settings: { host, port }, addresses }) => {
      if (isLoopback(host)) return ok('only this machine is listened to')
      if (!(await health().catch(() => null))) return skipped('the service does not answer')
      const all = ['0.0.0.0', '::'].includes(host) ? await addresses() : [host]
      if (all.length === 0) return warning('no address beyond loopback: there is no network, or Android hides it')
      const refused = await Promise.all(all.map((address) => canConnect(address, port)))
      const open = all.filter((_, index) => refused[index] === null)
      if (open.length > 0) return ok(`reached at ${open.map((address) => `${address} port ${port}`).join(', ')}`)
      return error(`not reached at ${all.join(', ')} port ${port}: ${refused[0]}`)
    },
    why: 'A call from here to its own address fails where other machines’ calls fail too.',
    mend: 'Join the Wi-Fi, see that no firewall or VPN app stands between, then: shellphone setup --upgrade',
  },
  {
    name: 'Node',
    look: ({ nodeVersion }) => {
      const [major = 0, minor = 0] = nodeVersion.slice(1).split('.').map(Number)
      return major > 20 || (major === 20 && minor >= 15)
        ? ok(nodeVersion)
        : error(`${nodeVersion}, expected v20.15 or newer`)
    },
    why: 'Older ones lack what the service is built on.',
    mend: 'pkg install nodejs-lts (elsewhere nodejs.org or the distribution’s package)',
  },
  {
    name: 'version',
    look: ofHealth((health, { version }) =>
      health.version === version ? ok(version) : warning(`${health.version} runs, ${version} is installed`),
    ),
    why: 'An upgrade takes hold with the next start.',
    mend: 'shellphone setup --upgrade',
  },
  {
    name: 'launcher',
    look: ofHealth(({ spawner: { name, reason } }) => (name === 'launcher' ? ok(reason) : warning(reason))),
    why: 'It starts commands faster, ends their trees more surely, and puts them in boxes and limits.',
    mend: 'Install a C compiler (pkg install clang; elsewhere gcc), then: shellphone setup --upgrade',
  },
  {
    name: 'boxes',
    look: ofHealth(({ sandbox: { available, reason } }, { platform }) => {
      if (reason === null) return ok(available.join(', '))
      return platform === 'android' ? ok(`${available.join(', ')}; ${reason}`) : warning(reason)
    }),
    why: 'A command that is to change nothing can be kept from it by the kernel alone.',
    mend: 'See src/server/spawn/README.md: boxes need the launcher and a kernel with Landlock, or the setting sandbox.command.',
  },
  {
    name: 'warnings',
    look: ofHealth(({ warnings }, { knownWarnings }) => {
      const others = warnings.filter((one) => !knownWarnings.includes(one))
      return others.length === 0 ? ok('the service has none of its own') : warning(others.join('; '))
    }),
    why: 'The service itself says that something is not as it should be (GET /health).',
    mend: 'Do as it says.',
  },
]

async function lookAtRunit({ tool, limits }: Scene, prefix: string) {
  const folder = serviceFolder(prefix)
  if (!existsSync(folder)) return warning('it is no service of runit')
  const { ending, stdout, stderr } = await tool(['sv', 'status', folder])
  const said = (stdout || stderr).trim().split('\n')[0]!
  if (ending === 'not_started') return error('sv is not there', 'pkg install termux-services, then: shellphone setup')
  if (ending === 'killed') return noAnswer('sv', limits)
  if (said.startsWith('run: ')) return ok(said)
  if (said.startsWith('down: ')) return error(said, `sv up ${folder}`)
  return error(said, 'Close Termux (Exit in its notification), open it again, then: shellphone setup')
}

async function lookAtSystemd({ tool, home, env, limits }: Scene) {
  const unit = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd/user/shellphone.service')
  if (!existsSync(unit)) return skipped('it is no service of systemd here')
  const { ending, stdout, stderr } = await tool(['systemctl', '--user', 'is-active', 'shellphone.service'])
  if (ending === 'killed') return noAnswer('systemctl', limits)
  const said = (stdout || stderr).trim().split('\n')[0]!
  return said === 'active' ? ok('systemd: active') : error(`systemd: ${said}`, 'systemctl --user restart shellphone')
}
