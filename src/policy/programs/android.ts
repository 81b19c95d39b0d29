/** The phone's own commands: Android's, and Termux's. */
import type { Effect } from './effect.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

const power: Effect = { does: 'power' }
const harms = (what: 'apps' | 'settings'): Effect => ({ does: 'harms', what })
const changes: Effect = { does: 'changes' }

// `cmd package uninstall x` is `pm uninstall x`
const services: Readonly<Record<string, string>> = {
  package: 'pm',
  activity: 'am',
  power: 'svc-power',
  settings: 'settings',
}

type Judge = (verb: string, texts: readonly string[]) => Effect[]
const table: Readonly<Record<string, Judge>> = {
  pm: (verb) =>
    /^(?:uninstall|clear|disable|disable-user|disable-until-used|hide|suspend|reset-permissions|revoke|remove-user|uninstall-system-updates|default-state|trim-caches|set-home-activity|set-permission-enforced)$/.test(
      verb,
    )
      ? [harms('apps'), changes]
      : /^(?:list|path|dump|get-.*|help|has-feature|check-permission|)$/.test(verb)
        ? []
        : [changes],
  am: (verb, texts) => [
    ...(/^(?:kill-all|restart|hang|crash|switch-user|stop-user|wipe)$/.test(verb) ? [harms('apps')] : []),
    ...(texts.some((text) =>
      /(?:ACTION_|action\.)(?:REBOOT|SHUTDOWN|REQUEST_SHUTDOWN|ACTION_REQUEST_SHUTDOWN)/.test(text),
    )
      ? [power]
      : []),
    ...(texts.some((text) => /MASTER_CLEAR|FACTORY_RESET|WIPE/.test(text)) ? [harms('settings')] : []),
    ...(/^(?:force-stop|kill|stopservice|stop-app|crash)$/.test(verb)
      ? [{ does: 'kills', target: { by: 'app', texts }, hard: false } as const]
      : []),
    ...(/^(?:stack|help|get-.*|)$/.test(verb) ? [] : [changes]),
  ],
  settings: (verb, texts) => [
    ...(/^(?:delete|reset)$/.test(verb) || (verb === 'put' && texts.some((text) => /^(?:global|secure)$/.test(text)))
      ? [harms('settings')]
      : []),
    ...(/^(?:get|list|)$/.test(verb) ? [] : [changes]),
  ],
  content: (verb) => [
    ...(verb === 'delete' ? [harms('settings')] : []),
    ...(/^(?:query|read|gettype)$/.test(verb) ? [] : [changes]),
  ],
  svc: (_verb, texts) => [
    ...(texts[0] === 'power' && texts.some((text) => /^(?:shutdown|reboot|forcesuspend)$/.test(text)) ? [power] : []),
    // the owner reaches the service through these
    ...(/^(?:wifi|data|usb|bluetooth|nfc)$/.test(texts[0] ?? '') && texts.includes('disable')
      ? [harms('settings')]
      : []),
    ...(texts[0] === 'help' ? [] : [changes]),
  ],
  'svc-power': (_verb, texts) => (texts.some((text) => /^(?:shutdown|reboot)$/.test(text)) ? [power] : []),
  dpm: (_verb, texts) =>
    texts.some((text) => /wipe|set-device-owner|set-profile-owner|remove-active-admin/.test(text))
      ? [harms('settings')]
      : [],
  sm: (verb) =>
    /^(?:format|partition|forget|unmount|benchmark|set-force-adoptable|mkdirs|fstrim)$/.test(verb)
      ? [harms('settings')]
      : [],
  locksettings: (verb) => (/^(?:get-disabled|verify|help)$/.test(verb) ? [] : [harms('settings')]),
  lock_settings: (verb) => (/^(?:get-disabled|verify|help)$/.test(verb) ? [] : [harms('settings')]),
  device_config: (verb) => (/^(?:reset|delete)$/.test(verb) ? [harms('settings')] : []),
  magisk: (_verb, texts) => (texts.includes('--remove-modules') ? [harms('settings')] : []),
}
const wiping = (verb: string, texts: readonly string[]): Effect[] =>
  [verb, ...texts].some((text) => /wipe|set-device-owner|remove-active-admin|volume|cryptfs|reset/.test(text))
    ? [harms('settings')]
    : []
for (const name of ['recovery', 'uncrypt', 'vdc', 'bmgr']) Object.assign(table, { [name]: wiping })

function effects(call: Call): Effect[] {
  const texts = operandTexts(call)
  const { name, args } = call.command
  if (name !== 'cmd') return table[name]?.(texts[0] ?? '', args) ?? []
  const service = services[texts[0] ?? ''] ?? texts[0] ?? ''
  return Object.hasOwn(table, service) ? table[service]!(texts[1] ?? '', args) : has(call, 'l') ? [] : [changes]
}

const notify =
  'termux-notification termux-toast termux-clipboard-set termux-tts-speak termux-vibrate termux-battery-status termux-location termux-dialog termux-open-url termux-volume termux-torch termux-sensor termux-brightness termux-contact-list termux-sms-list termux-call-log termux-wifi-connectioninfo termux-clipboard-get termux-wifi-scaninfo termux-camera-info termux-audio-info termux-fingerprint termux-info termux-wake-lock termux-wake-unlock termux-wallpaper'

export const android: readonly Program[] = [
  {
    names:
      'pm am cmd settings content svc dpm sm locksettings lock_settings device_config magisk recovery uncrypt vdc bmgr',
    operands: 'maybe',
    others: /^(?:startservice|start-foreground-service|instrument|broadcast)$|^(?:RUN_COMMAND|com\.termux\.)/,
    effects,
  },
  {
    names: 'getprop dumpsys wm input logcat monkey',
    operands: 'text',
    options: { write: 'f' },
    effects: (call) => (call.command.name === 'input' ? [changes] : []),
  },
  {
    names: 'setprop',
    operands: 'text',
    effects: (call) => [
      ...(/^(?:sys\.powerctl|ctl\.|persist\.)/.test(call.operands[0]?.prefix ?? '') ? [power] : []),
      { does: 'administers' },
    ],
  },
  {
    names: 'adb',
    ordered: true,
    options: { text: 's t H P L' },
    verbs: { '*': {} },
    runs: { after: 'shell exec-out exec-in', joined: true, shell: true },
    others: /^(?:ppp|sideload|jdwp)$/,
    effects: (call) => {
      const texts = operandTexts(call)
      const root: Effect[] = /^(?:devices|logcat|version|get-state|help|)$/.test(texts[0] ?? '') ? [] : [changes]
      if (texts.some((text) => /^reboot(?:-|$)/.test(text))) root.push(power)
      if (texts.includes('uninstall')) root.push(harms('apps'))
      if (/^(?:sideload|root|remount|disable-verity)$/.test(texts[0] ?? '')) root.push(harms('settings'))
      return root
    },
  },
  {
    names: 'fastboot',
    operands: 'text',
    effects: (call) =>
      call.command.args.some((arg) => /^reboot(?:-|$)|^(?:flash|erase|format|-w|oem|flashing)/.test(arg))
        ? [power]
        : [],
  },
  { names: 'termux-reset', effects: () => [harms('settings')] },
  {
    names: notify,
    operands: 'text',
    options: {
      read: 'image-path f',
      code: 'action button1-action button2-action button3-action on-delete media-next media-pause media-play media-previous',
    },
  },
  {
    names:
      'termux-sms-send termux-telephony-call termux-camera-photo termux-microphone-record termux-media-player termux-share termux-download termux-setup-storage',
    operands: 'maybe',
    effects: () => [changes],
  },
  {
    names: 'termux-job-scheduler',
    options: { code: 's script', text: 'job-id period-ms network' },
    effects: () => [{ does: 'administers' }, { does: 'runs', what: 'hidden' }],
  },
  { names: 'shellphone', operands: 'text', effects: (call) => ours(operandTexts(call)) },
]

/** What the service's own command line does with these words. */
export function ours(texts: readonly string[]): Effect[] {
  const answers = texts.some((text) => /^approv(?:e|als?)$/.test(text))
  const stops = /^(?:stop|token|rotate|revoke|restart)/.test(texts[0] ?? '')
  return [
    ...(answers ? [{ does: 'answers' } as const] : []),
    ...(stops ? [{ does: 'kills', target: { by: 'service', texts: ['shellphone'] }, hard: false } as const] : []),
  ]
}
