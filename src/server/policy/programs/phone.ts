/** The commands of Termux:API, which are shell scripts before one program, and Shizuku's. */
import { literalWord } from '../script/script.ts'
import { changes, type Effect, hidden, reveals, when } from './effect.ts'
import { pathsOf } from './paths.ts'
import { type Call, firstOf, has, splitValues } from './program.ts'
import { readTable } from './table.ts'

const reaches: Effect = { does: 'reaches' }

// what `termux-api METHOD` does; of another method that is not known anything
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

/** What an intent that `am` sends to Termux:API does there. */
export function byIntent(args: readonly string[]): readonly Effect[] {
  if (!args.some((arg) => /com\.termux\.api\b/.test(arg))) return []
  const at = args.lastIndexOf('api_method')
  return ofMethod(at < 0 ? '' : (args[at + 1] ?? ''), args)
}

// a value that the script leaves unquoted can bring a file along: -c 'text/plain --es file PATH'
const brought = (call: Call): Effect[] =>
  splitValues(call)
    .flat()
    .flatMap((word) => pathsOf(literalWord(word), false))
    .map((path) => ({ does: 'reads', path }))

export const phone = readTable(
  `
termux-reset = does: harms-settings
termux-notification termux-clipboard-set termux-battery-status termux-dialog termux-open-url termux-volume termux-sensor termux-brightness termux-wifi-connectioninfo termux-wifi-scaninfo termux-camera-info termux-audio-info termux-fingerprint termux-info termux-wake-lock termux-wake-unlock termux-wallpaper (text) =
  scripted; read: image-path f; code: action button1-action button2-action button3-action on-delete media-next media-pause media-play media-previous
termux-toast termux-tts-speak termux-vibrate termux-torch (text) = scripted; text: b c g e l n v p r s d; unquoted: b c g e l n v p r s d
termux-contact-list termux-sms-list termux-sms-inbox termux-call-log termux-location termux-clipboard-get termux-notification-list termux-telephony-cellinfo termux-telephony-deviceinfo termux-speech-to-text termux-saf-read termux-saf-ls termux-saf-dirs termux-saf-stat (text) =
  scripted; text: l o t f n d p r; unquoted: l o t f n p r; does: reveals-private
termux-camera-photo (write) = scripted; text: c; unquoted: c operands; does: changes reveals-private
termux-microphone-record (text) = scripted; write: f; text: l e b r c; does: changes
termux-sms-send termux-telephony-call (text) = scripted; text: n s; unquoted: n s; does: changes reaches
termux-share (read) = scripted; text: a c t; unquoted: a c t; does: changes
termux-media-player termux-download termux-setup-storage = scripted; does: changes
termux-job-scheduler = scripted; does: administers hidden; code: s script; text: job-id period-ms network
termux-usb (name) = scripted; code: e
termux-api termux-api-broadcast
rish = scripted; ordered; does: privilege; code: c; runs; joined; orShell
app_process app_process32 app_process64 = dashed; does: hidden; code: c
`,
  {
    'termux-toast termux-contact-list termux-camera-photo termux-sms-send termux-share': brought,
    'termux-microphone-record': (call) => when(!has(call, 'q i h'), reveals),
    'termux-api': (call) => ofMethod(firstOf(call), call.command.args),
  },
)
