/** Programs that signal, find and show processes, and that switch the machine off. */
import type { Effect, Target } from './effect.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

const power = (): Effect[] => [{ does: 'power' }]
const administers = (): Effect[] => [{ does: 'administers' }]
const says = (call: Call, pattern: RegExp) => operandTexts(call).some((text) => pattern.test(text))

function kills(call: Call): Effect[] {
  const { args, source } = call.command
  if (args.some((arg) => /^-(?:0|l|L)$|^--list/.test(arg))) return []
  const [first = '', second = ''] = args
  const hard = /^(?:-[sn]|--signal)$/.test(first)
    ? /^(?:9|(?:SIG)?KILL)$/i.test(second)
    : /^-(?:[1-9]\d*|s?(?:SIG)?KILL|n9)$|^--signal=(?:9|(?:SIG)?KILL)$/i.test(first)
  const texts = args.slice(/^-[sn]$/.test(first) ? 2 : /^-/.test(first) && args.length > 1 ? 1 : 0)
  const parent = /\$\{?PPID|\$\(\(/.test(source) ? ['$PPID'] : []
  const found: Effect[] = [{ does: 'kills', target: { by: 'pid', texts: [...texts, ...parent] }, hard }]
  // the pids come from somewhere
  if (call.command.unknownArgs) found.push({ does: 'kills', target: { by: 'found', texts: [] }, hard })
  return found
}

// -u, -g, -t and the like alone: everything of this user
function namedBy(call: Call): Target {
  const { name } = call.command
  const texts = operandTexts(call)
  const wide =
    has(call, name === 'killall' ? 'u user' : 'u U g G t s P') && texts.every((text) => /^[\d,]*$|^user$/.test(text))
  if (wide) return { by: 'all', texts }
  if (name === 'pidof' || (name === 'killall' && !has(call, 'r regexp'))) return { by: 'name', texts }
  return { by: !/^p/.test(name) || has(call, 'f full') ? 'line' : 'pattern', texts }
}

const service = (call: Call, verbs: RegExp): Effect[] =>
  says(call, verbs) ? [{ does: 'kills', target: { by: 'service', texts: operandTexts(call) }, hard: false }] : []

const signals = { text: 's signal g u U G t P n o y older-than younger-than' }

export const processes: readonly Program[] = [
  { names: 'kill', operands: 'text', others: null, effects: kills },
  {
    names: 'pkill killall skill',
    operands: 'text',
    options: signals,
    others: null,
    effects: (call) => [{ does: 'kills', target: namedBy(call), hard: true, mass: true }],
  },
  { names: 'killall5', effects: () => [{ does: 'kills', target: { by: 'all', texts: [] }, hard: true, mass: true }] },
  {
    names: 'fuser',
    operands: 'text',
    options: { text: 'n signal' },
    effects: (call) =>
      has(call, 'k kill') ? [{ does: 'kills', target: { by: 'found', texts: operandTexts(call) }, hard: true }] : [],
  },
  {
    names: 'pgrep pidof',
    operands: 'text',
    options: signals,
    others: null,
    effects: (call) => [{ does: 'finds', target: namedBy(call) }],
  },
  {
    names: 'ps pstree top htop lsof',
    operands: 'text',
    others: null,
    effects: (call) => [
      { does: 'finds', target: { by: 'line', texts: operandTexts(call).filter((text) => /[a-z]{3}/.test(text)) } },
    ],
  },
  {
    names: 'shutdown reboot poweroff halt',
    operands: 'text',
    effects: (call) => (has(call, 'help version c show') ? administers() : power()),
  },
  {
    names: 'init telinit',
    operands: 'text',
    effects: (call) => (/^[06]$/.test(operandTexts(call)[0] ?? '') ? power() : []),
  },
  {
    names: 'systemctl loginctl service rc-service initctl',
    operands: 'text',
    options: { text: 'H M t p n o host machine type property lines output' },
    others: /^(?:edit|-H|link|set-environment|enable|start)$|\.(?:service|timer|sh)$|\//,
    effects: (call) => {
      if (says(call, /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|emergency|rescue|soft-reboot)$/)) {
        return power()
      }
      const reads = /^(?:status|show|cat|help|is-\w+|list-.*|get-\w+|--version)$/
      const texts = operandTexts(call)
      return texts.length === 0 || texts.some((text) => reads.test(text))
        ? []
        : [...administers(), ...service(call, /stop|kill|disable|mask|restart/)]
    },
  },
  {
    names: 'sv sv-disable sv-enable',
    operands: 'text',
    effects: (call) => {
      const { name, args } = call.command
      if (name === 'sv' && /^(?:status|check)$/.test(args[0] ?? '')) return []
      const stops = name === 'sv-disable' || (name === 'sv' && !/^(?:up|start|u|c|cont)$/.test(args[0] ?? ''))
      return [{ does: 'changes' }, ...(stops ? service(call, /./) : [])]
    },
  },
  {
    names:
      'useradd userdel usermod groupadd groupdel passwd mount umount iptables ip6tables nft ufw firewall-cmd setenforce insmod rmmod modprobe sysctl swapon swapoff',
    operands: 'maybe',
    effects: (call) => {
      const remounts =
        call.command.args.some((arg) => /remount/.test(arg)) &&
        call.command.args.some((arg) => /^\/(?:system|vendor|product|odm)?$/.test(arg))
      const harms = remounts || call.command.name === 'setenforce'
      if (call.words.length > 0 && call.words.every(({ literal }) => /^--(?:version|help)$/.test(literal ?? ''))) {
        return []
      }
      return [...administers(), ...(harms ? [{ does: 'harms', what: 'settings' } as const] : [])]
    },
  },
  {
    names: 'crontab at',
    operands: 'maybe',
    options: { text: 'u' },
    effects: (call) => (has(call, 'l') ? [] : [...administers(), { does: 'runs', what: 'hidden' }]),
  },
]
