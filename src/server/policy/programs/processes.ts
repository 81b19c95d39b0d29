/** Programs that signal, find and show processes, and that power the device off. */
import {
  administers,
  changes,
  type Effect,
  finds,
  harms,
  hidden,
  power,
  signals,
  type SignalTarget,
  when,
} from './effect.ts'
import { anyLike, wantsHelp, type Call, firstOf, has, anyOperandLike, textsOf } from './program.ts'
import { table } from './table.ts'

function kills(call: Call): Effect[] {
  const { args, source, unknownArgs } = call.command
  if (anyLike(args, /^-(?:0|l|L)$|^--list/)) return []
  const [first = '', second = ''] = args
  const hard = /^(?:-[sn]|--signal)$/.test(first)
    ? /^(?:9|(?:SIG)?KILL)$/i.test(second)
    : /^-(?:[1-9]\d*|s?(?:SIG)?KILL|n9)$|^--signal=(?:9|(?:SIG)?KILL)$/i.test(first)
  const texts = args.slice(/^-[sn]$/.test(first) ? 2 : /^-/.test(first) && args.length > 1 ? 1 : 0)
  const parent = /\$\{?PPID|\$\(\(/.test(source) ? ['$PPID'] : []
  // the pids come from another command
  const found = when(unknownArgs, signals('found', [], hard))
  return [signals('pid', [...texts, ...parent], hard), ...found]
}

// only options such as -u, -g and -t, without a name, select every process of this user
function namedBy(call: Call): [by: SignalTarget['by'], texts: string[]] {
  const { name } = call.command
  const texts = textsOf(call)
  const wide =
    has(call, name === 'killall' ? 'u user' : 'u U g G t s P') && texts.every((text) => /^[\d,]*$|^user$/.test(text))
  if (wide) return ['all', texts]
  if (name === 'pidof' || (name === 'killall' && !has(call, 'r regexp'))) return ['name', texts]
  return [!/^p/.test(name) || has(call, 'f full') ? 'line' : 'pattern', texts]
}

const ends = (call: Call) => signals('service', textsOf(call))

function services(call: Call): readonly Effect[] {
  const ending = /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|emergency|rescue|soft-reboot)$/
  const reading = /^(?:status|show|cat|help|is-\w+|list-.*|get-\w+|--version)$/
  if (anyOperandLike(call, ending)) return [power]
  if (firstOf(call) === '' || anyOperandLike(call, reading)) return []
  return [administers, ...when(anyOperandLike(call, /stop|kill|disable|mask|restart/), ends(call))]
}

// the commands of runit
function sv(call: Call): readonly Effect[] {
  const { name, args } = call.command
  const verb = args[0] ?? ''
  if (name === 'sv' && /^(?:status|check)$/.test(verb)) return []
  const stops = name === 'sv-disable' || (name === 'sv' && !/^(?:up|start|u|c|cont)$/.test(verb))
  return [changes, ...when(stops && firstOf(call) !== '', ends(call))]
}

function system(call: Call): readonly Effect[] {
  const { args, name } = call.command
  const remounts = anyLike(args, /remount/) && anyLike(args, /^\/(?:system|vendor|product|odm)?$/)
  return wantsHelp(call) ? [] : [administers, ...when(remounts || name === 'setenforce', harms('settings'))]
}

// words that are not option letters
const namesIn = (call: Call) => textsOf(call).filter((text) => /[a-z]{3}/.test(text))

export const processes = table([
  { names: 'kill!', operands: 'text', plain: true, effects: kills },
  {
    names: 'pkill killall skill',
    operands: 'text',
    plain: true,
    options: { text: 's signal g u U G t P n o y older-than younger-than' },
    effects: (call) => [signals(...namedBy(call), true)],
  },
  { names: 'killall5', does: [signals('all', [], true)] },
  {
    names: 'fuser',
    operands: 'text',
    options: { text: 'n signal' },
    effects: (call) => [
      finds('line', textsOf(call)),
      ...when(has(call, 'k kill'), signals('found', textsOf(call), true)),
    ],
  },
  {
    names: 'pgrep pidof',
    operands: 'text',
    plain: true,
    options: { text: 's signal g u U G t P n o y older-than younger-than' },
    effects: (call) => [finds(...namedBy(call))],
  },
  { names: 'lsof ss netstat', operands: 'text', plain: true, effects: ({ command }) => [finds('line', command.args)] },
  { names: 'ps! pstree top htop', operands: 'text', plain: true, effects: (call) => [finds('line', namesIn(call))] },
  {
    names: 'shutdown reboot! poweroff halt',
    operands: 'text',
    effects: (call) => [has(call, 'help version c show') ? administers : power],
  },
  { names: 'init telinit', operands: 'text', effects: (call) => when(/^[06]$/.test(firstOf(call)), power) },
  {
    names: 'systemctl loginctl service rc-service initctl',
    operands: 'text',
    startsOthers: /^(?:edit|-H|link|set-environment|enable|start)$|\.(?:service|timer|sh)$|\//,
    options: { text: 'H M t p n o host machine type property lines output' },
    effects: services,
  },
  { names: 'sv sv-disable sv-enable', operands: 'text', effects: sv },
  {
    names: `
      useradd userdel usermod groupadd groupdel passwd umount iptables ip6tables nft ufw firewall-cmd setenforce insmod
      rmmod modprobe sysctl swapoff
    `,
    effects: system,
  },
  { names: 'mount swapon', stream: 'devices', effects: system },
  {
    names: 'crontab',
    operands: 'read',
    language: 'sh',
    stdin: true,
    timed: true,
    idle: 'l r e',
    options: { text: 'u' },
    effects: (call) => when(!has(call, 'l'), administers, hidden),
  },
  {
    names: 'at',
    operands: 'text',
    plain: true,
    language: 'sh',
    interactive: true,
    does: [administers, hidden],
    options: { script: 'f', text: 'q t' },
  },
])
