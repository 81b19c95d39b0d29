/** Ending the service itself: by its pid, by a name or pattern that it answers to, or through what keeps it running. */
import { patternTrouble } from '../pattern-trouble.ts'
import { operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { valuesOf } from '../script.ts'
import type { Rule } from './rule.ts'

// what `ps` shows of the service and of what it stands on
const ourNames = ['node', 'nodejs', 'shellphone', 'runsv', 'runsvdir', 'com.termux', 'init', 'zygote', 'system_server']
const ourLine = 'node /data/data/com.termux/files/usr/lib/node_modules/shellphone/dist/main.js'
const MAX_PATTERN = 200

function kills(command: SimpleCommand, scene: Scene): boolean {
  const { name, args } = command
  const says = (pattern: RegExp) => args.some((arg) => pattern.test(arg))
  if (name === 'kill') return killsPid(command, scene)
  if (name === 'killall5') return true
  if (name === 'pkill' || name === 'killall' || name === 'skill') return killsName(command)
  if (name === 'sv') return says(/shellphone|\*/) && !/^(?:status|check|up|start|u|c|cont)$/.test(args[0] ?? '')
  if (name === 'sv-disable') return says(/shellphone/)
  if (name === 'service' || name === 'systemctl') return says(/shellphone/) && says(/stop|kill|disable|mask|restart/)
  if (name === 'am' || name === 'cmd') {
    return says(/^com\.termux/) && says(/^(?:force-stop|kill|stopservice|stop-app|crash)$/)
  }
  if (/^(?:npm|pnpm|yarn)$/.test(name)) return says(/^(?:uninstall|remove|rm|un|unlink)$/) && says(/^shellphone$/)
  return name === 'shellphone' && /^(?:stop|token|rotate|revoke|restart)/.test(args[0] ?? '')
}

const ourMention = /(?:^|[^\w-])(?:\[?n\]?ode|shellphone|termux)(?:[^\w.-]|$)/

function killsPid(command: SimpleCommand, scene: Scene): boolean {
  const { args, source } = command
  if (args.some((arg) => /^-(?:0|l|L)$|^--list/.test(arg))) return false
  if (/\$\{?PPID|\$\(\(/.test(source)) return true
  const signalled = args.slice(/^-[sn]$/.test(args[0] ?? '') ? 2 : /^-/.test(args[0] ?? '') && args.length > 1 ? 1 : 0)
  const ours = [-1, 1, scene.servicePid, -scene.servicePid]
  if (signalled.some((arg) => /^-?\d+$/.test(arg) && ours.includes(Number(arg)))) return true
  // the pids come from somewhere: from a search for our own name?
  const { commands } = scene.script
  return (
    command.unknownArgs &&
    commands.some(
      (other) =>
        (/^(?:pgrep|pidof)$/.test(other.name) && killsName(other)) ||
        (/grep$|^rg$/.test(other.name) && killsName(other)) ||
        (/^(?:ps|awk|sed)$/.test(other.name) && other.args.some((arg) => ourMention.test(arg))),
    )
  )
}

function killsName(command: SimpleCommand): boolean {
  const { name, args } = command
  const words = operands(command).filter((word) => command.words[command.words.indexOf(word) - 1]?.literal !== '-s')
  const names = words.flatMap((word) => valuesOf(word) ?? [])
  // -u, -g, -t and the like alone: everything of this user
  if (
    name === 'pkill' &&
    args.some((arg) => /^-[uUgGtsP]/.test(arg)) &&
    names.every((one) => /^[\d,]*$|^user$/.test(one))
  ) {
    return true
  }
  if (name === 'pidof' || (name === 'killall' && !args.some((arg) => /^-\w*r|^--regexp/.test(arg)))) {
    return names.some((one) => ourNames.includes(one))
  }
  // a grep reads whole lines of ps
  const full = !/^p/.test(name) || args.some((arg) => /^-\w*f|^--full/.test(arg))
  const targets = full ? [...ourNames, ourLine] : ourNames
  return names.some((one) => matches(one, targets))
}

function matches(pattern: string, targets: readonly string[]): boolean {
  if (pattern.length > MAX_PATTERN || patternTrouble(pattern)) return targets.some((target) => target.includes(pattern))
  const matcher = new RegExp(pattern)
  return targets.some((target) => matcher.test(target))
}

export const killRules: readonly Rule[] = [
  {
    guard: 'catastrophic',
    name: 'service-kill',
    verdict: 'deny',
    risk: 'high',
    reason:
      'This would end the service that runs your commands (it is a node process). End your own processes by their pid.',
    match: [
      'pkill node',
      'pkill -f main.js',
      'killall -9 node',
      'kill -9 -1',
      'kill 1',
      'kill $(pgrep node)',
      "ps aux | grep node | awk '{print $2}' | xargs kill -9",
      'pkill -f shellphone',
      'pkill -u 10000',
      'sv down shellphone',
      'kill $PPID',
      'kill 4242',
      'am force-stop com.termux',
    ],
    notMatch: [
      'kill 12345',
      'kill %1',
      'pkill -f "vite --port 5173"',
      'pkill -f "node server.js"',
      'killall vim',
      'kill -0 1',
      'pgrep node',
      'sv status shellphone',
      'kill -l',
      'kill -9 4321',
      'kill $(cat server.pid)',
      'kill $(lsof -t -i:3000)',
      'ps aux | grep node',
    ],
    command: kills,
  },
]
