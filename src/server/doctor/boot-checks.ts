import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { logFolder, readServiceLog } from './service-log.ts'
import { type DoctorCheck, error, ok, onAndroid, skipped, warning } from './world.ts'

const SOON_AFTER_BOOT_MS = 5 * 60_000

const bootFolder = (home: string) => join(home, '.termux/boot')

/** Checks whether the service starts again after the phone restarts. */
export const bootChecks: DoctorCheck[] = [
  {
    name: 'boot script',
    inspect: onAndroid(({ home, bootScripts }) => {
      const file = join(bootFolder(home), 'shellphone')
      const text = readOrNull(file)
      if (text === null) return warning(`${file} is missing`)
      if (!bootScripts.includes(text)) return warning(`${file} differs from the script that setup writes`)
      return ok(file)
    }),
    why: 'The script starts the service when the phone boots, with LD_PRELOAD and a wake lock.',
    fix: 'Run shellphone setup',
  },
  {
    name: 'boot folder',
    inspect: onAndroid(({ home }) => {
      const folders = foldersIn(bootFolder(home))
      if (folders.length === 0) return ok('no directory in ~/.termux/boot')
      const found = `${folders.join(', ')} in ~/.termux/boot`
      return folders.some((name) => name < 'shellphone')
        ? error(`${found}: the service does not start`)
        : ok(`${found}, after the script`)
    }),
    why: 'Termux:Boot stops at the first directory and ignores everything after it.',
    fix: 'Move every directory out of ~/.termux/boot.',
  },
  {
    name: 'Termux:Boot',
    lane: 'programs',
    inspect: onAndroid(async ({ tool }) => {
      const { ending, stdout } = await tool(['pm', 'path', 'com.termux.boot'])
      if (ending !== 'exited') return skipped('pm does not respond')
      return stdout.startsWith('package:')
        ? ok('installed', 'Set Settings > Apps > Termux:Boot > Battery to Unrestricted (doctor cannot check this)')
        : warning('the app is not installed')
    }),
    why: 'Only Termux:Boot can start the service when the phone boots.',
    fix: 'Install the app Termux:Boot from the same source as Termux, and open it once.',
  },
  {
    name: 'start after boot',
    inspect: onAndroid(({ prefix, env, nowMs, uptimeSeconds }) => {
      const bootMs = nowMs - uptimeSeconds * 1000
      const { starts, sinceMs } = readServiceLog(logFolder(prefix ?? '', env))
      const first = starts.find(({ atMs }) => atMs >= bootMs)
      if (sinceMs === null || sinceMs > bootMs) return skipped('the log does not reach back to the last boot')
      if (first === undefined) return warning('the service has not started since the last boot')
      const found = `${Math.round((first.atMs - bootMs) / 60_000)} min after the last boot`
      return first.atMs - bootMs <= SOON_AFTER_BOOT_MS ? ok(found) : warning(found)
    }),
    why: 'Termux:Boot runs after the first unlock, but much later or never if Android restricts its battery use.',
    fix: 'Set Settings > Apps > Termux and Termux:Boot > Battery to Unrestricted, and unlock the phone once after each boot.',
  },
]

/** Returns the text of a file; null if it is missing or unreadable. */
export function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch {
    return [] // no such folder
  }
}
