import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createButtons, isPlainPath } from './buttons.ts'
import { createNotifier, type Notifier, type NotifierParts } from './notifier.ts'

/** What it must know of the machine and of the service beside the questions. */
interface NotifierMachine extends Pick<NotifierParts, 'questions' | 'run' | 'log'> {
  platform: NodeJS.Platform
  /** $PREFIX, on Termux */
  prefix: string | undefined
  /** private; for what the buttons must keep to themselves */
  folder: string
  /** where the service listens, once it does: http://127.0.0.1:PORT */
  url(): string
}

const REST_MS = 60_000
const NOT_SHOWN = 'questions do not show as notifications'

/** A notifier where there is a termux-notification; elsewhere one that shows nothing, and on Android says why. */
export function openNotifier({ platform, prefix, folder, url, ...parts }: NotifierMachine): Notifier {
  const isAndroid = platform === 'android'
  const toolFolder = join(prefix ?? '/', 'bin')
  const curl = join(toolFolder, 'curl')
  if (!prefix || !existsSync(join(toolFolder, 'termux-notification'))) return silent(isAndroid ? [MISSING] : [])
  if (!existsSync(curl) || !isPlainPath(curl)) return silent([`${NOT_SHOWN}: their buttons need ${curl}`])
  if (!isPlainPath(folder)) return silent([`${NOT_SHOWN}: their buttons need a plain path, and ${folder} is none`])
  return createNotifier({
    ...parts,
    toolFolder,
    buttons: createButtons({ folder, curl, url }),
    probe: isAndroid,
    restMs: REST_MS,
  })
}

/** Shows nothing. */
const silent = (warnings: string[]): Notifier => ({ warnings: () => warnings, close: async () => {} })

const MISSING = `${NOT_SHOWN}: install the app Termux:API and its package (pkg install termux-api)`
