/** Android's own commands, and those of this service. The commands of Termux:API are in phone.ts. */
import { administers, changes, type Effect, harms, power, reveals, signals, when } from './effect.ts'
import { byIntent } from './phone.ts'
import { anyLike, type Call, firstOf, has, isOn, anyOperandLike, textsOf } from './program.ts'
import { table } from './table.ts'

// `cmd package uninstall x` is `pm uninstall x`
const services: Readonly<Record<string, string>> = { package: 'pm', activity: 'am' }

// Each pattern is tried on all words of a command, one word per line, with the verb first. Disabling Wi-Fi or mobile data counts as harm,
// because the owner reaches the service through them.
const verbs: readonly { names: string; effect: Effect; words: RegExp }[] = [
  {
    names: 'pm',
    effect: harms('apps'),
    words:
      /^(?:uninstall|clear|disable|disable-user|disable-until-used|hide|suspend|reset-permissions|revoke|remove-user|uninstall-system-updates|default-state|trim-caches|set-home-activity|set-permission-enforced)\n/,
  },
  { names: 'pm', effect: changes, words: /^(?!(?:list|path|dump|get-.*|help|has-feature|check-permission|)\n)/ },
  { names: 'am', effect: harms('apps'), words: /^(?:kill-all|restart|hang|crash|switch-user|stop-user|wipe)\n/ },
  {
    names: 'am',
    effect: power,
    words: /\n.*(?:ACTION_|action\.)(?:REBOOT|SHUTDOWN|REQUEST_SHUTDOWN|ACTION_REQUEST_SHUTDOWN)/,
  },
  { names: 'am', effect: harms('settings'), words: /\n.*(?:MASTER_CLEAR|FACTORY_RESET|WIPE)/ },
  { names: 'am', effect: { does: 'reaches' }, words: /\n.*action\.CALL(?:_PRIVILEGED)?\n/ },
  { names: 'am', effect: changes, words: /^(?!(?:stack|help|get-.*|)\n)/ },
  { names: 'settings', effect: harms('settings'), words: /^(?:delete|reset)\n|^put\n(?:.*\n)*(?:global|secure)\n/ },
  { names: 'settings', effect: changes, words: /^(?!(?:get|list|)\n)/ },
  {
    names: 'content',
    effect: harms('settings'),
    words: /^delete\n|^(?:insert|update)\n(?:.*\n)*content:\/\/settings\/(?:global|secure)/,
  },
  {
    names: 'content',
    effect: reveals,
    words: /^query\n(?:.*\n)*.*content:\/\/(?:sms|mms|call_log|contacts|icc|com\.android\.(?:contacts|calendar))/,
  },
  { names: 'content', effect: changes, words: /^(?!(?:query|read|gettype)\n)/ },
  { names: 'svc', effect: power, words: /^.*\npower\n(?:.*\n)*(?:shutdown|reboot|forcesuspend)\n/ },
  { names: 'svc', effect: harms('settings'), words: /^.*\n(?:wifi|data|usb|bluetooth|nfc)\n(?:.*\n)*disable\n/ },
  {
    names: 'wifi connectivity bluetooth_manager',
    effect: harms('settings'),
    words: /\n(?:disable\w*|disabled|set-wifi-enabled\n0|airplane-mode\nenable)\n/,
  },
  { names: 'svc', effect: changes, words: /^.*\n(?!help\n)/ },
  { names: 'power', effect: power, words: /\n(?:shutdown|reboot)\n/ },
  {
    names: 'dpm',
    effect: harms('settings'),
    words: /\n.*(?:wipe|set-device-owner|set-profile-owner|remove-active-admin)/,
  },
  {
    names: 'sm',
    effect: harms('settings'),
    words: /^(?:format|partition|forget|unmount|benchmark|set-force-adoptable|mkdirs|fstrim)\n/,
  },
  { names: 'locksettings lock_settings', effect: harms('settings'), words: /^(?!(?:get-disabled|verify|help)\n)/ },
  { names: 'device_config', effect: harms('settings'), words: /^(?:reset|delete)\n/ },
  { names: 'magisk', effect: harms('settings'), words: /\n--remove-modules\n/ },
  {
    names: 'recovery uncrypt vdc bmgr',
    effect: harms('settings'),
    words: /wipe|set-device-owner|remove-active-admin|volume|cryptfs|reset/,
  },
]

function effects(call: Call): readonly Effect[] {
  const texts = textsOf(call)
  const { name, args } = call.command
  const byCmd = name === 'cmd'
  const service = byCmd ? (services[texts[0] ?? ''] ?? texts[0] ?? '') : name
  const verb = (byCmd ? texts[1] : texts[0]) ?? ''
  const rows = verbs.filter(({ names }) => isOn(names, service))
  if (byCmd && rows.length === 0) return when(!has(call, 'l'), changes)
  const given = [verb, ...args, ''].join('\n')
  const stops = service === 'am' && /^(?:force-stop|kill|stopservice|stop-app|crash)$/.test(verb)
  return [
    ...rows.filter(({ words }) => words.test(given)).map(({ effect }) => effect),
    ...when(stops, signals('app', args)),
    ...when(service === 'am', ...byIntent(args)),
  ]
}

const privateService = /^(?:notification|location|account|clipboard|telephony\.registry|isms)$/

const flashes = /^reboot(?:-|$)|^(?:flash|erase|format|-w|oem|flashing)/
const setsPower = /^(?:sys\.powerctl|ctl\.|persist\.)/

export const android = table([
  {
    names: `
      pm am cmd settings content svc dpm sm locksettings lock_settings device_config magisk recovery uncrypt vdc
      bmgr
    `,
    startsOthers: /^(?:startservice|start-foreground-service|instrument|broadcast)$|^(?:RUN_COMMAND|com\.termux\.)/,
    effects,
  },
  {
    names: 'getprop dumpsys wm logcat monkey',
    operands: 'text',
    options: { write: 'f' },
    effects: (call) => when(call.command.name === 'dumpsys' && anyOperandLike(call, privateService), reveals),
  },
  { names: 'input', operands: 'text', does: [changes], options: { write: 'f' } },
  { names: 'screencap screenrecord uiautomator', operands: 'write', does: [{ does: 'reveals', what: 'screen' }] },
  { names: 'scrcpy', operands: 'text', does: [{ does: 'reveals', what: 'screen' }], options: { write: 'r record' } },
  {
    names: 'setprop',
    operands: 'text',
    effects: (call) => [...when(setsPower.test(call.operands[0]?.prefix ?? ''), power), administers],
  },
  {
    names: 'adb',
    ordered: true,
    runs: true,
    after: 'shell exec-out exec-in',
    joined: true,
    orShell: true,
    startsOthers: /^(?:ppp|sideload|jdwp)$/,
    readOnlyVerbs: 'devices logcat version get-state help',
    options: { text: 's t H P L' },
    verbs: { '*': {} },
    effects: (call) => [
      ...when(anyOperandLike(call, /^reboot(?:-|$)/), power),
      ...when(anyOperandLike(call, /^uninstall$/), harms('apps')),
      ...when(/^(?:sideload|root|remount|disable-verity)$/.test(firstOf(call)), harms('settings')),
    ],
  },
  { names: 'fastboot', operands: 'text', effects: ({ command }) => when(anyLike(command.args, flashes), power) },
  { names: 'shellphone', operands: 'text', effects: (call) => shellphoneEffects(textsOf(call)) },
])

/** Returns the effects of `shellphone` with these arguments. */
export function shellphoneEffects(texts: readonly string[]): Effect[] {
  const stops = /^(?:stop|restart)/.test(texts[0] ?? '')
  const sets = texts[0] === 'config' && anyLike(texts, /^(?:set|unset|import)$/) // an option may stand between them
  const grants = sets || /^(?:token|rotate|revoke)/.test(texts[0] ?? '')
  const answers = anyLike(texts, /^approv(?:e|als?)$/)
  return [
    ...when(answers, { does: 'answers' }),
    ...when(grants, { does: 'grants' }),
    ...when(stops, signals('service', ['shellphone'])),
  ]
}
