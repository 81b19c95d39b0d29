import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createButtons, isPlainPath } from './buttons.ts'
import { createNotifier, type Notifier, type NotifierParts } from './notifier.ts'

/** The facts about the machine and the service that the notifier needs. */
interface NotifierMachine extends Pick<NotifierParts, 'approvals' | 'run' | 'log'> {
  platform: NodeJS.Platform
  /** $PREFIX, on Termux */
  prefix: string | undefined
  /** the private folder for the nonces of the buttons */
  folder: string
  /** the service's address, once it listens: http://127.0.0.1:PORT */
  url(): string
}

const REST_MS = 60_000
const NOT_SHOWN = 'approval requests do not appear as notifications'

/** Opens a notifier if termux-notification exists; otherwise one that shows nothing and, on Android, warns why. */
export function openNotifier({ platform, prefix, folder, url, ...parts }: NotifierMachine): Notifier {
  const isAndroid = platform === 'android'
  const toolFolder = join(prefix ?? '/', 'bin')
  const curl = join(toolFolder, 'curl')
  if (!prefix || !existsSync(join(toolFolder, 'termux-notification'))) return silent(isAndroid ? [MISSING] : [])
  if (!existsSync(curl) || !isPlainPath(curl)) return silent([`${NOT_SHOWN}: their buttons need ${curl}`])
  if (!isPlainPath(folder))
    return silent([
      `${NOT_SHOWN}: their buttons need a path that contains only letters, digits and . _ / -, got ${folder}`,
    ])
  return createNotifier({
    ...parts,
    toolFolder,
    buttons: createButtons({ folder, curl, url }),
    probe: isAndroid,
    restMs: REST_MS,
  })
}

const silent = (warnings: string[]): Notifier => ({ warnings: () => warnings, close: async () => {} })

const MISSING = `${NOT_SHOWN}: install the app Termux:API and its package (pkg install termux-api)`
