import { X509Certificate } from 'node:crypto'
import { realpathSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type DoctorCheck, error, type CheckFinding, ok, type DoctorScene, skipped, warning } from './world.ts'

const DAY_MS = 86_400_000
/** The clock is wrong if it shows an earlier year. */
const FIRST_YEAR = 2025
const RENEWAL_DAYS = 14

/** Checks the clock, the certificate, the disk and the location of the home. */
export const machineChecks: DoctorCheck[] = [
  {
    name: 'clock',
    inspect: inspectClock,
    why: 'The expiry of tokens, certificates and history depends on the clock, and TLS clients reject a certificate that is not valid yet.',
    fix: 'Turn on Settings > System > Date & time > Set time automatically.',
  },
  {
    name: 'certificate',
    needsSettings: true,
    inspect: ({ certificate, nowMs }) => {
      if (certificate === null) return skipped('there is no certificate')
      const { validFrom, validTo } = new X509Certificate(certificate)
      if (Date.parse(validFrom) > nowMs) return error(`it is not valid before ${validFrom}`)
      const days = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS)
      if (days < 0) return error(`it expired on ${validTo}`)
      return days < RENEWAL_DAYS ? warning(`it expires in ${days} days`) : ok(`valid for another ${days} days`)
    },
    why: 'Clients reject a certificate that has expired or is not valid yet.',
    fix: 'Restart the service to renew a generated certificate: shellphone setup --upgrade. If the certificate is your own, replace it.',
  },
  {
    name: 'disk',
    needsSettings: true,
    inspect: ({ serviceHome, settings: { min_free_bytes: least, max_run_spool_bytes: run } }) => {
      const { bavail, bsize } = statfsSync(nearest(serviceHome))
      const free = bavail * bsize
      const found = `${megabytes(free)} are free, of which min_free_bytes reserves ${megabytes(least)}`
      if (free < least) return error(found)
      return free < least + run
        ? warning(`${found}: not enough for the output of one command (${megabytes(run)})`)
        : ok(found)
    },
    why: 'On a full disk, the service stores no output and no records of commands.',
    fix: 'Free some space (pkg clean), or lower max_spool_bytes and history_max_age_days.',
  },
  {
    name: 'home',
    inspect: inspectHome,
    why: 'The home contains the tokens, so no other user may read it, and Android must not empty it.',
    fix: 'Set SHELLPHONE_HOME to a directory of your own below $HOME.',
  },
]

function inspectClock({ nowMs, serviceHome }: DoctorScene): CheckFinding {
  const now = new Date(nowMs)
  if (now.getUTCFullYear() < FIRST_YEAR) return error(`it shows the year ${now.getUTCFullYear()}`)
  const written = ['token', 'owner.sha256', 'tokens.json', 'lock'].map((name) => writtenMs(join(serviceHome, name)))
  const isBehind = Math.max(...written) > nowMs + DAY_MS
  const shown = now.toISOString()
  return isBehind ? error(`it shows ${shown}, but files in ${serviceHome} are newer`) : ok(shown)
}

function inspectHome({ serviceHome, prefix, env }: DoctorScene): CheckFinding {
  const place = realpathSync(nearest(serviceHome))
  const emptied = prefix === undefined ? [] : [env.TMPDIR, join(prefix, 'tmp')].filter((one) => one && isIn(place, one))
  if (['/sdcard', '/storage'].some((folder) => isIn(place, folder) || isIn(serviceHome, folder))) {
    return error(`${serviceHome} is on shared storage, where permissions have no effect`)
  }
  if (emptied.length > 0) {
    return error(`${serviceHome} is in Termux’s tmp, which the app empties`)
  }
  const secrets = ['token', 'owner.sha256', 'tokens.json'].map((name) => join(serviceHome, name))
  const open = [serviceHome, ...secrets].filter(isOpen)
  return open.length === 0
    ? ok(serviceHome)
    : error(`other users can read ${open.join(', ')}`, `chmod go= ${open.join(' ')}`)
}

const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`)

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`

/** Returns the directory itself, or the nearest parent that exists. */
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
