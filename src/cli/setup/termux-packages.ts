import { type Change, SetupError, type TermuxWorld } from './setup-world.ts'

/** The timeout of pkg, for a slow phone on a slow network. */
const INSTALL_MS = 15 * 60_000

/** The programs that the service needs, with the Termux packages that contain them. */
const needed: [program: string, packageName: string][] = [
  ...['runsvdir', 'sv', 'svlogd', 'chpst', 'service-daemon'].map((name): [string, string] => [name, 'termux-services']),
  ['curl', 'curl'],
  ['timeout', 'coreutils'],
  ['setsid', 'util-linux'],
  ['ps', 'procps'],
]

/** The change that installs missing packages without asking; empty if none is missing. */
export function missingPackages({ has, run, say }: TermuxWorld): Change[] {
  const isMissing = ([program]: [string, string]) => !has(program)
  const packages = [...new Set(needed.filter(isMissing).map(([, name]) => name))]
  if (packages.length === 0) return []
  const make = async () => {
    say(`Installing: ${packages.join(' ')}`)
    // confold: preserves configuration files that the owner has changed (openssl.cnf)
    const env = { DEBIAN_FRONTEND: 'noninteractive', DPKG_FORCE: 'confold' }
    const { exitCode, stderr } = await run(['pkg', 'install', '-y', ...packages], INSTALL_MS, env)
    if (exitCode !== 0) throw new SetupError(`pkg could not install ${packages.join(' ')}: ${lastLine(stderr)}`)
    const missing = needed.filter(isMissing).map(([program]) => program)
    if (missing.length > 0) throw new SetupError(`still missing: ${missing.join(', ')}`)
  }
  return [{ what: `install packages: pkg install -y ${packages.join(' ')}`, make }]
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)!
