/** Killing the service itself, and reading or writing its own files ($SHELLPHONE_HOME: tokens, keys, history). */

import { pathsOf } from '../path-words.ts'
import { canBe, isWithin, leafOf } from '../paths.ts'
import { located, operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { valuesOf } from '../script.ts'
import type { Rule } from './rule.ts'

const guard = 'catastrophic'
const ourNames = [
  'shellphone',
  'node',
  'nodejs',
  'runsv',
  'runsvdir',
  'com.termux',
  'termux',
  'init',
  'system_server',
  'zygote',
]
const nameLists = /^(?:pgrep|pidof)$/

function kills(command: SimpleCommand, scene: Scene): boolean {
  const { name, args } = command
  if (name === 'kill') return killsPid(command, scene)
  if (name === 'pkill' || name === 'killall' || name === 'killall5' || name === 'skill')
    return name === 'killall5' || killsName(command)
  if (name === 'sv' || name === 'runsv')
    return (
      /^(?:d|down|stop|x|exit|k|kill|t|term|force-.*|shutdown|restart|once|p|pause|i|h|q|1|2|a|alarm)$/.test(
        args[0] ?? '',
      ) && args.some((arg) => /shellphone|\*/.test(arg))
    )
  if (name === 'sv-disable' || name === 'service' || name === 'systemctl')
    return (
      args.some((arg) => arg.includes('shellphone')) &&
      (name === 'sv-disable' || args.some((arg) => /stop|kill|disable|mask|restart/.test(arg)))
    )
  if (name === 'am')
    return (
      /^(?:force-stop|kill|stopservice|stop-app|crash)$/.test(args[0] ?? '') &&
      args.some((arg) => arg.startsWith('com.termux'))
    )
  if (/^(?:npm|pnpm|yarn)$/.test(name))
    return args.some((arg) => /^(?:uninstall|remove|rm|un|unlink)$/.test(arg)) && args.includes('shellphone')
  return (
    name === 'shellphone' && /^(?:stop|token|rotate|revoke|approve|approvals|restart|uninstall)/.test(args[0] ?? '')
  )
}

function killsPid(command: SimpleCommand, scene: Scene): boolean {
  if (command.args.some((arg) => arg === '-0' || arg === '-l' || arg === '-L')) return false
  const numbers = command.args.filter(
    (arg, index) =>
      /^-?\d+$/.test(arg) && !(index === 0 && /^-\d+$/.test(arg)) && !/^-(?:s|n)$/.test(command.args[index - 1] ?? ''),
  )
  if (numbers.some((pid) => ['-1', '1', String(scene.servicePid), String(-scene.servicePid)].includes(pid))) return true
  if (command.args[0] === '-1' && command.args.length === 1) return true
  if (/\$\{?PPID/.test(command.source)) return true
  // the pids that pgrep and pidof find
  const lists = scene.script.commands.filter((other) => nameLists.test(other.name))
  return command.unknownArgs && lists.some(killsName)
}

function killsName(command: SimpleCommand): boolean {
  const names = operands(command).flatMap((word) => valuesOf(word) ?? [])
  return names.some((name) => {
    const plain = name.replace(/^\^|\$$/g, '')
    if (plain === '' || plain === '.' || plain === '.*') return true
    return (
      ourNames.includes(plain) ||
      plain.includes('shellphone') ||
      (command.name !== 'killall' && plain.length > 1 && ourNames.slice(0, 3).some((ours) => ours.startsWith(plain)))
    )
  })
}

function touchesHome(command: SimpleCommand, scene: Scene): boolean {
  if (/\$\{?SHELLPHONE_/.test(command.source)) return true
  const ours = new Set([scene.serviceHome, scene.realpath(scene.serviceHome) ?? scene.serviceHome])
  return pathsOf(command).some((path) =>
    (path.values ?? [path.prefix]).some(
      (value) =>
        value !== '' &&
        located(value, command, scene).some((at) =>
          [...ours].some((home) => isWithin(at, home) || reaches(at, home, command)),
        ),
    ),
  )
}

// a pattern that matches the directory; tools that only list names may
function reaches(pattern: string, home: string, command: SimpleCommand): boolean {
  if (!/[*?[]/.test(pattern)) return false
  const depth = home.split('/').length
  const head = pattern.split('/').slice(0, depth).join('/')
  if (!canBe(head, home) || !leafOf(head).startsWith('.')) return false
  return pattern.split('/').length > depth || !/^(?:ls|du|stat|echo|file|printf|test|\[)$/.test(command.name)
}

function spies(command: SimpleCommand, scene: Scene): boolean {
  return pathsOf(command).some((path) =>
    (path.values ?? []).some((value) => {
      const match = /^\/proc\/([^/]+)\/(?:task\/[^/]+\/)?(?:environ|mem|fd|root|cwd|auxv|maps)(?:\/|$)/.exec(
        value.replace(/\/+/g, '/'),
      )
      return match !== null && (match[1] === String(scene.servicePid) || /[*?[]/.test(match[1]!))
    }),
  )
}

export const serviceRules: readonly Rule[] = [
  {
    guard,
    name: 'service-kill',
    verdict: 'deny',
    risk: 'high',
    reason:
      'This would end the service that runs your commands (it is a node process). End your own processes by their pid.',
    match: [
      'pkill node',
      'killall -9 node',
      'kill -9 -1',
      'kill 1',
      'kill $(pgrep node)',
      'pkill -f shellphone',
      'sv down shellphone',
      'kill $PPID',
      'am force-stop com.termux',
    ],
    notMatch: [
      'kill 12345',
      'kill %1',
      'pkill -f "vite --port 5173"',
      'kill -0 1',
      'pgrep node',
      'sv status shellphone',
      'kill -l',
      'kill -9 4321',
    ],
    command: kills,
  },
  {
    guard,
    name: 'service-home',
    verdict: 'deny',
    risk: 'high',
    reason: "The service's own directory holds its tokens, settings and history: commands may not read or write it.",
    match: [
      'cat ~/.shellphone/config.yaml',
      'ls $SHELLPHONE_HOME',
      'echo x > ~/.shellphone/tokens',
      'cat ~/.shell*/tokens',
      'cd ~/.shellphone && cat tokens',
      'tar czf x.tgz ~/.shellphone',
    ],
    notMatch: ['ls ~', 'ls -d ~/.*', 'echo shellphone', 'cat ~/.shellphonerc', 'grep -rn shellphone src'],
    command: touchesHome,
    script: (scene) => isWithin(scene.cwd, scene.serviceHome),
  },
  {
    guard,
    name: 'service-memory',
    verdict: 'deny',
    risk: 'high',
    reason: "This would read the service's own environment or memory.",
    match: ['cat /proc/4242/environ', 'strings /proc/*/environ'],
    notMatch: ['cat /proc/meminfo', 'cat /proc/self/status', 'ls /proc'],
    command: spies,
  },
]
