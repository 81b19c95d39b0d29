/** The commands of Termux:API, which are shell scripts that call one program, and those of Shizuku. */
import { literalWord } from '../script/script.ts'
import { administers, changes, type Effect, harms, hidden, reveals, when } from './effect.ts'
import { pathsOf } from './paths.ts'
import { type Call, firstOf, has, splitValues } from './program.ts'
import { table } from './table.ts'

const reaches: Effect = { does: 'reaches' }

// the effects of `termux-api METHOD`; a method that is not listed may do anything
const methods: Readonly<Record<string, readonly Effect[]>> = {
  ...named(
    'CallLog ContactList Location NotificationList SAF SmsInbox SpeechToText TelephonyCellInfo TelephonyDeviceInfo',
    reveals,
  ),
  ...named('CameraPhoto MicRecorder', reveals, changes),
  ...named('SmsSend TelephonyCall', reaches, changes),
  ...named('JobScheduler', hidden, changes),
  ...named(
    'Brightness Download InfraredTransmit Keystore MediaPlayer MediaScanner Nfc Share StorageGet Usb Wallpaper WifiEnable',
    changes,
  ),
  ...named(
    'AudioInfo BatteryStatus CameraInfo Dialog Fingerprint InfraredFrequencies Notification NotificationChannel NotificationRemove Sensor TextToSpeech Toast Torch Vibrate Volume WifiConnectionInfo WifiScanInfo',
  ),
}

function named(names: string, ...effects: Effect[]): Record<string, Effect[]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, effects]))
}

function ofMethod(method: string, args: readonly string[]): readonly Effect[] {
  if (method === 'Clipboard') return args.includes('set') ? [] : [reveals]
  return methods[method] ?? [reveals, reaches]
}

/** Returns the effects of an intent that `am` sends to Termux:API. */
export function byIntent(args: readonly string[]): readonly Effect[] {
  if (!args.some((arg) => /com\.termux\.api\b/.test(arg))) return []
  const at = args.lastIndexOf('api_method')
  return ofMethod(at < 0 ? '' : (args[at + 1] ?? ''), args)
}

// the scripts leave some values unquoted, so such a value can add a file: -c 'text/plain --es file PATH'
const brought = (call: Call): Effect[] =>
  splitValues(call)
    .flat()
    .flatMap((word) => pathsOf(literalWord(word), false))
    .map((path) => ({ does: 'reads', path }))

export const phone = table([
  { names: 'termux-reset', does: [harms('settings')] },
  {
    names: `
      termux-notification termux-clipboard-set termux-battery-status termux-dialog termux-open-url termux-volume
      termux-sensor termux-brightness termux-wifi-connectioninfo termux-wifi-scaninfo termux-camera-info
      termux-audio-info termux-fingerprint termux-info termux-wake-lock termux-wake-unlock termux-wallpaper
    `,
    operands: 'text',
    scripted: true,
    options: {
      read: 'image-path f',
      code: `
        action button1-action button2-action button3-action on-delete media-next media-pause media-play
        media-previous
      `,
    },
  },
  {
    names: 'termux-toast termux-tts-speak termux-vibrate termux-torch',
    operands: 'text',
    scripted: true,
    unquoted: 'b c g e l n v p r s d',
    options: { text: 'b c g e l n v p r s d' },
    effects: brought,
  },
  {
    names: `
      termux-contact-list termux-sms-list termux-sms-inbox termux-call-log termux-location termux-clipboard-get
      termux-notification-list termux-telephony-cellinfo termux-telephony-deviceinfo termux-speech-to-text
      termux-saf-read termux-saf-ls termux-saf-dirs termux-saf-stat
    `,
    operands: 'text',
    scripted: true,
    unquoted: 'l o t f n p r',
    does: [reveals],
    options: { text: 'l o t f n d p r' },
    effects: brought,
  },
  {
    names: 'termux-camera-photo',
    operands: 'write',
    scripted: true,
    unquoted: 'c operands',
    does: [changes, reveals],
    options: { text: 'c' },
    effects: brought,
  },
  {
    names: 'termux-microphone-record',
    operands: 'text',
    scripted: true,
    does: [changes],
    options: { write: 'f', text: 'l e b r c' },
    effects: (call) => when(!has(call, 'q i h'), reveals),
  },
  {
    names: 'termux-sms-send termux-telephony-call',
    operands: 'text',
    scripted: true,
    unquoted: 'n s',
    does: [changes, reaches],
    options: { text: 'n s' },
    effects: brought,
  },
  {
    names: 'termux-share',
    operands: 'read',
    scripted: true,
    unquoted: 'a c t',
    does: [changes],
    options: { text: 'a c t' },
    effects: brought,
  },
  { names: 'termux-media-player termux-download termux-setup-storage', scripted: true, does: [changes] },
  {
    names: 'termux-job-scheduler',
    scripted: true,
    does: [administers, hidden],
    options: { code: 's script', text: 'job-id period-ms network' },
  },
  { names: 'termux-usb', operands: 'name', scripted: true, options: { code: 'e' } },
  { names: 'termux-api termux-api-broadcast', effects: (call) => ofMethod(firstOf(call), call.command.args) },
  {
    names: 'rish',
    scripted: true,
    ordered: true,
    does: [{ does: 'privilege' }],
    runs: true,
    joined: true,
    orShell: true,
    options: { code: 'c' },
  },
  { names: 'app_process app_process32 app_process64', dashed: true, does: [hidden], options: { code: 'c' } },
])
