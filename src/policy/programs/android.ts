/** The phone's own commands: Android's, and Termux's. */
import { administers, changes, type Effect, harms, power, signals, when } from './effect.ts'
import { anyLike, type Call, firstOf, has, says, textsOf } from './program.ts'
import { readTable } from './table.ts'

// `cmd package uninstall x` is `pm uninstall x`
const services: Readonly<Record<string, string>> = { package: 'pm', activity: 'am' }

// the verb and, a line each, all words: what they do
const table: readonly (readonly [names: string, words: RegExp, effect: Effect])[] = [
  [
    'pm',
    /^(?:uninstall|clear|disable|disable-user|disable-until-used|hide|suspend|reset-permissions|revoke|remove-user|uninstall-system-updates|default-state|trim-caches|set-home-activity|set-permission-enforced)\n/,
    harms('apps'),
  ],
  ['pm', /^(?!(?:list|path|dump|get-.*|help|has-feature|check-permission|)\n)/, changes],
  ['am', /^(?:kill-all|restart|hang|crash|switch-user|stop-user|wipe)\n/, harms('apps')],
  ['am', /\n.*(?:ACTION_|action\.)(?:REBOOT|SHUTDOWN|REQUEST_SHUTDOWN|ACTION_REQUEST_SHUTDOWN)/, power],
  ['am', /\n.*(?:MASTER_CLEAR|FACTORY_RESET|WIPE)/, harms('settings')],
  ['am', /^(?!(?:stack|help|get-.*|)\n)/, changes],
  ['settings', /^(?:delete|reset)\n|^put\n(?:.*\n)*(?:global|secure)\n/, harms('settings')],
  ['settings', /^(?!(?:get|list|)\n)/, changes],
  ['content', /^delete\n|^(?:insert|update)\n(?:.*\n)*content:\/\/settings\/(?:global|secure)/, harms('settings')],
  ['content', /^(?!(?:query|read|gettype)\n)/, changes],
  ['svc', /^.*\npower\n(?:.*\n)*(?:shutdown|reboot|forcesuspend)\n/, power],
  // the owner reaches the service through these
  ['svc', /^.*\n(?:wifi|data|usb|bluetooth|nfc)\n(?:.*\n)*disable\n/, harms('settings')],
  [
    'wifi connectivity bluetooth_manager',
    /\n(?:disable\w*|disabled|set-wifi-enabled\n0|airplane-mode\nenable)\n/,
    harms('settings'),
  ],
  ['svc', /^.*\n(?!help\n)/, changes],
  ['power', /\n(?:shutdown|reboot)\n/, power],
  ['dpm', /\n.*(?:wipe|set-device-owner|set-profile-owner|remove-active-admin)/, harms('settings')],
  ['sm', /^(?:format|partition|forget|unmount|benchmark|set-force-adoptable|mkdirs|fstrim)\n/, harms('settings')],
  ['locksettings lock_settings', /^(?!(?:get-disabled|verify|help)\n)/, harms('settings')],
  ['device_config', /^(?:reset|delete)\n/, harms('settings')],
  ['magisk', /\n--remove-modules\n/, harms('settings')],
  ['recovery uncrypt vdc bmgr', /wipe|set-device-owner|remove-active-admin|volume|cryptfs|reset/, harms('settings')],
]

function effects(call: Call): readonly Effect[] {
  const texts = textsOf(call)
  const { name, args } = call.command
  const byCmd = name === 'cmd'
  const service = byCmd ? (services[texts[0] ?? ''] ?? texts[0] ?? '') : name
  const verb = (byCmd ? texts[1] : texts[0]) ?? ''
  const rows = table.filter(([names]) => names.split(' ').includes(service))
  if (byCmd && rows.length === 0) return when(!has(call, 'l'), changes)
  const given = [verb, ...args, ''].join('\n')
  const stops = service === 'am' && /^(?:force-stop|kill|stopservice|stop-app|crash)$/.test(verb)
  return [
    ...rows.filter(([, words]) => words.test(given)).map(([, , effect]) => effect),
    ...when(stops, signals('app', args)),
  ]
}

function adb(call: Call): readonly Effect[] {
  return [
    ...when(says(call, /^reboot(?:-|$)/), power),
    ...when(says(call, /^uninstall$/), harms('apps')),
    ...when(/^(?:sideload|root|remount|disable-verity)$/.test(firstOf(call)), harms('settings')),
  ]
}

const flashes = /^reboot(?:-|$)|^(?:flash|erase|format|-w|oem|flashing)/
const setsPower = /^(?:sys\.powerctl|ctl\.|persist\.)/

export const android = readTable(
  String.raw`
pm am cmd settings content svc dpm sm locksettings lock_settings device_config magisk recovery uncrypt vdc bmgr =
  others: /^(?:startservice|start-foreground-service|instrument|broadcast)$|^(?:RUN_COMMAND|com\.termux\.)/
getprop dumpsys wm logcat monkey (text) = write: f
input (text) = write: f; does: changes
setprop (text)
adb = ordered; text: s t H P L; runs; after: shell exec-out exec-in; joined; orShell; others: /^(?:ppp|sideload|jdwp)$/;
  looks: devices logcat version get-state help
  > *
fastboot (text)
termux-reset
termux-notification termux-toast termux-clipboard-set termux-tts-speak termux-vibrate termux-battery-status termux-location termux-dialog termux-open-url termux-volume termux-torch termux-sensor termux-brightness termux-contact-list termux-sms-list termux-call-log termux-wifi-connectioninfo termux-clipboard-get termux-wifi-scaninfo termux-camera-info termux-audio-info termux-fingerprint termux-info termux-wake-lock termux-wake-unlock termux-wallpaper (text) =
  read: image-path f; code: action button1-action button2-action button3-action on-delete media-next media-pause media-play media-previous
termux-sms-send termux-telephony-call termux-camera-photo termux-microphone-record termux-media-player termux-share termux-download termux-setup-storage =
  does: changes
termux-job-scheduler = does: administers hidden; code: s script; text: job-id period-ms network
shellphone (text)
`,
  {
    pm: { effects },
    setprop: { effects: (call) => [...when(setsPower.test(call.operands[0]?.prefix ?? ''), power), administers] },
    adb: { effects: adb },
    fastboot: { effects: ({ command }) => when(anyLike(command.args, flashes), power) },
    'termux-reset': { does: [harms('settings')] },
    shellphone: { effects: (call) => ours(textsOf(call)) },
  },
)

/** What the service's own command line does with these words. */
export function ours(texts: readonly string[]): Effect[] {
  const stops = /^(?:stop|token|rotate|revoke|restart)/.test(texts[0] ?? '')
  const answers = anyLike(texts, /^approv(?:e|als?)$/)
  return [...when(answers, { does: 'answers' }), ...when(stops, signals('service', ['shellphone']))]
}
