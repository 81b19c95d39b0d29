/** Android's own commands, and this service's. Those of Termux:API: phone.ts. */
import { administers, changes, type Effect, effectNamed, harms, power, reveals, signals, when } from './effect.ts'
import { byIntent } from './phone.ts'
import { anyLike, type Call, firstOf, has, says, textsOf } from './program.ts'
import { patternOf, readTable } from './table.ts'

// `cmd package uninstall x` is `pm uninstall x`
const services: Readonly<Record<string, string>> = { package: 'pm', activity: 'am' }

// what they do, by patterns for the verb and, a line each, all words; the owner reaches the service through wifi, data and the like
const verbs = String.raw`
pm = harms-apps /^(?:uninstall|clear|disable|disable-user|disable-until-used|hide|suspend|reset-permissions|revoke|remove-user|uninstall-system-updates|default-state|trim-caches|set-home-activity|set-permission-enforced)\n/
pm = changes /^(?!(?:list|path|dump|get-.*|help|has-feature|check-permission|)\n)/
am = harms-apps /^(?:kill-all|restart|hang|crash|switch-user|stop-user|wipe)\n/
am = power /\n.*(?:ACTION_|action\.)(?:REBOOT|SHUTDOWN|REQUEST_SHUTDOWN|ACTION_REQUEST_SHUTDOWN)/
am = harms-settings /\n.*(?:MASTER_CLEAR|FACTORY_RESET|WIPE)/
am = reaches /\n.*action\.CALL(?:_PRIVILEGED)?\n/
am = changes /^(?!(?:stack|help|get-.*|)\n)/
settings = harms-settings /^(?:delete|reset)\n|^put\n(?:.*\n)*(?:global|secure)\n/
settings = changes /^(?!(?:get|list|)\n)/
content = harms-settings /^delete\n|^(?:insert|update)\n(?:.*\n)*content:\/\/settings\/(?:global|secure)/
content = reveals-private /^query\n(?:.*\n)*.*content:\/\/(?:sms|mms|call_log|contacts|icc|com\.android\.(?:contacts|calendar))/
content = changes /^(?!(?:query|read|gettype)\n)/
svc = power /^.*\npower\n(?:.*\n)*(?:shutdown|reboot|forcesuspend)\n/
svc = harms-settings /^.*\n(?:wifi|data|usb|bluetooth|nfc)\n(?:.*\n)*disable\n/
wifi connectivity bluetooth_manager = harms-settings /\n(?:disable\w*|disabled|set-wifi-enabled\n0|airplane-mode\nenable)\n/
svc = changes /^.*\n(?!help\n)/
power = power /\n(?:shutdown|reboot)\n/
dpm = harms-settings /\n.*(?:wipe|set-device-owner|set-profile-owner|remove-active-admin)/
sm = harms-settings /^(?:format|partition|forget|unmount|benchmark|set-force-adoptable|mkdirs|fstrim)\n/
locksettings lock_settings = harms-settings /^(?!(?:get-disabled|verify|help)\n)/
device_config = harms-settings /^(?:reset|delete)\n/
magisk = harms-settings /\n--remove-modules\n/
recovery uncrypt vdc bmgr = harms-settings /wipe|set-device-owner|remove-active-admin|volume|cryptfs|reset/
`
const table = [...verbs.matchAll(/^(.+) = ([\w-]+) (.*)$/gm)].map(([, names, does, words]) => ({
  names: names!.split(' '),
  effect: effectNamed(does!),
  words: patternOf(words!),
}))

function effects(call: Call): readonly Effect[] {
  const texts = textsOf(call)
  const { name, args } = call.command
  const byCmd = name === 'cmd'
  const service = byCmd ? (services[texts[0] ?? ''] ?? texts[0] ?? '') : name
  const verb = (byCmd ? texts[1] : texts[0]) ?? ''
  const rows = table.filter(({ names }) => names.includes(service))
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

export const android = readTable(
  String.raw`
pm am cmd settings content svc dpm sm locksettings lock_settings device_config magisk recovery uncrypt vdc bmgr =
  others: /^(?:startservice|start-foreground-service|instrument|broadcast)$|^(?:RUN_COMMAND|com\.termux\.)/
getprop dumpsys wm logcat monkey (text) = write: f
input (text) = write: f; does: changes
screencap screenrecord uiautomator (write) = does: reveals-screen
scrcpy (text) = write: r record; does: reveals-screen
setprop (text)
adb = ordered; text: s t H P L; runs; after: shell exec-out exec-in; joined; orShell; others: /^(?:ppp|sideload|jdwp)$/;
  looks: devices logcat version get-state help
  > *
fastboot (text)
shellphone (text)
`,
  {
    pm: effects,
    getprop: (call) => when(call.command.name === 'dumpsys' && says(call, privateService), reveals),
    setprop: (call) => [...when(setsPower.test(call.operands[0]?.prefix ?? ''), power), administers],
    adb: (call) => [
      ...when(says(call, /^reboot(?:-|$)/), power),
      ...when(says(call, /^uninstall$/), harms('apps')),
      ...when(/^(?:sideload|root|remount|disable-verity)$/.test(firstOf(call)), harms('settings')),
    ],
    fastboot: ({ command }) => when(anyLike(command.args, flashes), power),
    shellphone: (call) => ours(textsOf(call)),
  },
)

/** What the service's own command line does with these words. */
export function ours(texts: readonly string[]): Effect[] {
  const stops = /^(?:stop|token|rotate|revoke|restart)/.test(texts[0] ?? '')
  const answers = anyLike(texts, /^approv(?:e|als?)$/)
  return [...when(answers, { does: 'answers' }), ...when(stops, signals('service', ['shellphone']))]
}
