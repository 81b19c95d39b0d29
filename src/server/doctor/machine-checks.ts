import { X509Certificate } from 'node:crypto'
import { realpathSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, error, type Finding, ok, type Scene, skipped, warning } from './world.ts'

const DAY_MS = 86_400_000
/** No clock that is right shows an earlier year. */
const FIRST_YEAR = 2025
const RENEWAL_DAYS = 14

/** Clock, disk, and where the home lies. */
export const machineChecks: Check[] = [
  {
    name: 'clock',
    look: lookAtClock,
    why: 'Dates of tokens, certificates and history are judged by it; TLS clients refuse a certificate of another day.',
    mend: 'Settings > System > Date & time > Set time automatically.',
  },
  {
    name: 'certificate',
    look: ({ certificate, nowMs }) => {
      if (certificate === null) return skipped('there is none')
      const { validFrom, validTo } = new X509Certificate(certificate)
      if (Date.parse(validFrom) > nowMs) return error(`it holds from ${validFrom} on, which is to come`)
      const days = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS)
      if (days < 0) return error(`it ended at ${validTo}`)
      return days < RENEWAL_DAYS ? warning(`it ends in ${days} days`) : ok(`it holds for ${days} days more`)
    },
    why: 'Clients refuse one that is over or not yet begun.',
    mend: 'The service makes its own anew at a start: shellphone setup --upgrade. Replace one of your own.',
  },
  {
    name: 'disk',
    look: ({ serviceHome, settings: { min_free_bytes: least, max_run_spool_bytes: run } }) => {
      const { bavail, bsize } = statfsSync(nearest(serviceHome))
      const free = bavail * bsize
      const found = `${megabytes(free)} free, of which min_free_bytes keeps ${megabytes(least)}`
      if (free < least) return error(found)
      return free < least + run
        ? warning(`${found}: not enough for the output of one command (${megabytes(run)})`)
        : ok(found)
    },
    why: 'On a full disk the output and the records of commands are not kept.',
    mend: 'Free some of the disk (pkg clean), or lower max_spool_bytes and history_max_age_days.',
  },
  {
    name: 'home',
    look: lookAtHome,
    why: 'The token lies there: nobody else may read it, and Android must not empty it.',
    mend: 'Set SHELLPHONE_HOME to a folder of your own below $HOME.',
  },
]

function lookAtClock({ nowMs, serviceHome }: Scene): Finding {
  const now = new Date(nowMs)
  if (now.getUTCFullYear() < FIRST_YEAR) return error(`it shows the year ${now.getUTCFullYear()}`)
  const written = ['token', 'owner.sha256', 'tokens.json', 'lock'].map((name) => writtenMs(join(serviceHome, name)))
  const isBehind = Math.max(...written) > nowMs + DAY_MS
  const shown = now.toISOString()
  return isBehind ? error(`it shows ${shown}, and files in ${serviceHome} are younger`) : ok(shown)
}

function lookAtHome({ serviceHome, prefix, env }: Scene): Finding {
  const place = realpathSync(nearest(serviceHome))
  const emptied = prefix === undefined ? [] : [env.TMPDIR, join(prefix, 'tmp')].filter((one) => one && isIn(place, one))
  if (['/sdcard', '/storage'].some((folder) => isIn(place, folder) || isIn(serviceHome, folder))) {
    return error(`${serviceHome} is on shared storage, where modes mean nothing`)
  }
  if (emptied.length > 0) {
    return error(`${serviceHome} is in Termux’s tmp, which the app empties`)
  }
  const secrets = ['token', 'owner.sha256', 'tokens.json'].map((name) => join(serviceHome, name))
  const open = [serviceHome, ...secrets].filter(isOpen)
  return open.length === 0
    ? ok(serviceHome)
    : error(`others may enter or read ${open.join(', ')}`, `chmod go= ${open.join(' ')}`)
}

const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`)

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`

/** The folder itself, or the first above it that is there. */
function nearest(folder: string): string {
  try {
    statSync(folder)
    return folder
  } catch {
    return nearest(join(folder, '..'))
  }
}

function writtenMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0
}
