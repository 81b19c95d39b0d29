/**
 * Builds dist/launcher-ARCH for phones without a C compiler, for a release. The launchers are static, built with Debian's cross compilers and
 * Debian's musl, because glibc makes system calls at its start for which Android's filter kills the process. The same compiler and musl produce
 * the same bytes. The script never fails; it prints which launchers it cannot build on this machine.
 *
 *     node scripts/build/prebuild-launcher.mjs [folder]       folder: dist
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLauncher } from '../../src/server/spawn/launcher-build.mjs'

/** One row per process.arch; `qemu` runs the launcher on another processor. */
export const targets = [
  { arch: 'arm64', debian: 'arm64', musl: 'aarch64-linux-musl', gnu: 'aarch64-linux-gnu', qemu: 'qemu-aarch64' },
  { arch: 'arm', debian: 'armhf', musl: 'arm-linux-musleabihf', gnu: 'arm-linux-gnueabihf', qemu: 'qemu-arm' },
  { arch: 'x64', debian: 'amd64', musl: 'x86_64-linux-musl', gnu: 'x86_64-linux-gnu', qemu: 'qemu-x86_64' },
  { arch: 'ia32', debian: 'i386', musl: 'i386-linux-musl', gnu: 'i686-linux-gnu', qemu: 'qemu-i386' },
]

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'shellphone/musl')
// pages of 16 KiB, as newer phones have; reproducible
const flags = [
  '-static',
  '-no-pie',
  '-s',
  '-Wl,-z,max-page-size=16384',
  '-Wl,-z,noseparate-code',
  '-Wl,--build-id=none',
]

function run(command, args, cwd) {
  const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 120_000 })
  if (error || status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`)
}

/** Fetches musl-dev of every architecture, with separate package lists, so that those of this machine stay unchanged. */
function fetchMusl() {
  for (const folder of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(cache, folder), { recursive: true })
  }
  const options = [
    `Dir::State=${cache}/state`,
    `Dir::Cache=${cache}/cache`,
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
  ]
  const apt = [...options, ...targets.map(({ debian }) => `APT::Architectures::=${debian}`)].flatMap((one) => [
    '-o',
    one,
  ])
  spawnSync('apt-get', [...apt, 'update'], { cwd: cache, timeout: 120_000 }) // errors do not matter here, because the download fails if a list is missing
  for (const { debian } of targets) {
    run('apt-get', [...apt, 'download', `musl-dev:${debian}`], cache)
    const [file] = readdirSync(cache)
      .filter((name) => name.endsWith(`_${debian}.deb`))
      .sort()
      .slice(-1)
    run('dpkg', ['-x', file, debian], cache)
  }
  rmSync(join(cache, 'state'), { recursive: true })
}

/** Debian's gcc specs file for a target's musl, with the paths of the unpacked package. */
function specsOf({ debian, musl }) {
  const own = readFileSync(join(cache, debian, 'usr/lib', musl, 'musl-gcc.specs'), 'utf8')
  const specs = join(cache, `${debian}.specs`)
  writeFileSync(
    specs,
    own.replaceAll(new RegExp(`/usr/(lib|include)/${musl}`, 'g'), (path) => join(cache, debian, path)),
  )
  return specs
}

/** The compiler flags of a target. Throws if musl cannot be fetched. */
export function prebuildFlags(target) {
  if (!existsSync(join(cache, target.debian))) fetchMusl()
  return ['-specs', specsOf(target), ...flags]
}

/** The libraries of which each prebuilt launcher contains code: name, version, licence as an SPDX expression, text of the licence, and package URL. */
export function launcherLibraries() {
  const musl = /_(.+)_/.exec(readdirSync(cache).find((name) => /^musl-dev_.*_amd64\.deb$/.test(name)))[1]
  const copyright = readFileSync(join(cache, 'amd64/usr/share/doc/musl-dev/copyright'), 'utf8')
  const { gnu } = targets.find(({ arch }) => arch === process.arch) // a release needs all compilers; a test only this one
  const gcc = spawnSync(`${gnu}-gcc`, ['-dumpfullversion'], { encoding: 'utf8' }).stdout.trim()
  const exception =
    'The launchers contain parts of libgcc, under the GNU General Public License, version 3 or later, with the GCC Runtime Library Exception,\n' +
    'version 3.1 (https://www.gnu.org/licenses/gcc-exception-3.1.html).'
  return [
    {
      name: 'libgcc',
      version: gcc,
      license: 'GPL-3.0-or-later WITH GCC-exception-3.1',
      licenseText: exception,
      purl: `pkg:generic/libgcc@${gcc}`,
    },
    { name: 'musl', version: musl, license: 'MIT', licenseText: copyright, purl: `pkg:deb/debian/musl@${musl}` },
  ]
}

/** Builds one target. Returns the reason if it cannot be built, otherwise null. */
export function prebuildLauncher(target, output, more = []) {
  try {
    return buildLauncher(output, [...prebuildFlags(target), ...more], [`${target.gnu}-gcc`])
  } catch (error) {
    return error.message
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('../../dist', import.meta.url)))
  mkdirSync(folder, { recursive: true })
  for (const target of targets) {
    const output = join(folder, `launcher-${target.arch}`)
    rmSync(output, { force: true })
    const reason = prebuildLauncher(target, output)
    const sha256 = () => createHash('sha256').update(readFileSync(output)).digest('hex')
    const missing = `skipped (${reason}; apt-get install gcc-${target.gnu.replace('_', '-')})`
    console.log(`launcher-${target.arch}: ${reason ? missing : `sha256 ${sha256()}`}`)
  }
}
