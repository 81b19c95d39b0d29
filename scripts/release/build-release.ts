import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prebuildLauncher, targets } from '../build/prebuild-launcher.mjs'
import type { ReleaseFile } from './archives.ts'
import { bundledCode, sbomText } from './bundled.ts'
import { debianPackage, termuxPackage } from './debian.ts'
import { mcpBundle, serverJson } from './mcp-bundle.ts'
import { npmTarball, packageFiles } from './npm-package.ts'
import { readPackageJson, repositoryOf } from './package-json.ts'

/** The date of a release without git: the first day of 2026. */
const NO_COMMIT_SECONDS = 1_767_225_600

const termuxNames: Record<string, string> = { arm64: 'aarch64', arm: 'arm', x64: 'x86_64', ia32: 'i686' }

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** $SOURCE_DATE_EPOCH, or else the time of the last commit, or else a constant. */
function releaseSeconds(root: string): number {
  const { SOURCE_DATE_EPOCH: given } = process.env
  if (given !== undefined) {
    if (!/^\d{1,10}$/.test(given))
      throw new Error(`SOURCE_DATE_EPOCH: expected seconds since 1970, got ${JSON.stringify(given)}`)
    return Number(given)
  }
  if (!existsSync(join(root, '.git'))) return NO_COMMIT_SECONDS
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }))
}

/** Builds the static launchers of every processor. Throws if a compiler is missing. */
function buildLaunchers(): ReleaseFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-launchers-'))
  try {
    return targets.map((target) => {
      const output = join(folder, target.arch)
      const reason = prebuildLauncher(target, output)
      if (reason !== null)
        throw new Error(`launcher-${target.arch}: ${reason} (sh scripts/test/apt-packages.sh release)`)
      return { path: `dist/launcher-${target.arch}`, bytes: readFileSync(output), mode: 0o755 }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const runBuilt = (root: string, ...operands: string[]): string =>
  execFileSync(process.execPath, [join(root, 'dist/main.js'), ...operands], { encoding: 'utf8' })

/** The manual pages that the built command line writes, by the names of their files. */
export function manPagesOf(root: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-man-'))
  try {
    runBuilt(root, 'man', '--directory', folder)
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function completionsOf(root: string) {
  const run = (shell: string) => runBuilt(root, 'completion', shell)
  // zsh loads this file when it first completes the command, and then expects it to complete
  const zsh = `#compdef shellphone\n${run('zsh')}_bash_complete -o default -F _shellphone\n`
  return { bash: run('bash'), zsh, fish: run('fish') }
}

/** install.sh for a download: with the address and the checksum of this release. */
export function installScript(script: string, url: string, sha256: string): Buffer {
  const set = (name: string, value: string) => (text: string) => {
    const filled = text.replace(`${name}=''`, () => `${name}='${value}'`)
    if (filled === text) throw new Error(`termux/install.sh: expected a line ${name}=''`)
    return filled
  }
  return Buffer.from(set('release_sha256', sha256)(set('release_url', url)(script)))
}

/** Writes the artifacts of a release to `folder`, from a built dist/. Resolves with their names. */
export function buildRelease(root: string, folder: string): string[] {
  const own = readPackageJson(root)
  const epochSeconds = releaseSeconds(root)
  const launchers = buildLaunchers()
  const bundled = bundledCode(root, true)
  const files = packageFiles(root, launchers, bundled)
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  const input = {
    own,
    files,
    manPages: manPagesOf(root),
    completions: completionsOf(root),
    license: read('LICENSE'),
    epochSeconds,
  }
  const base = `${own.name}-${own.version}`
  const tarball = npmTarball(files)
  const bundle = mcpBundle(own, files, epochSeconds)
  const url = `${repositoryOf(own)}/releases/download/v${own.version}/${base}.tgz`
  const artifacts: [name: string, bytes: Buffer][] = [
    [`${base}.tgz`, tarball],
    [`${base}.mcpb`, bundle],
    ['sbom.cdx.json', Buffer.from(sbomText(own, bundled, epochSeconds))],
    ['server.json', serverJson(own, `${base}.mcpb`, sha256Of(bundle))],
    ['install.sh', installScript(read('termux/install.sh'), url, sha256Of(tarball))],
    ['THIRD-PARTY-NOTICES', files.find(({ path }) => path === 'THIRD-PARTY-NOTICES')!.bytes],
  ]
  for (const { arch, debian } of targets) {
    const processor = { arch, debian, termux: termuxNames[arch]! }
    artifacts.push([`${own.name}_${own.version}_${debian}.deb`, debianPackage(input, processor)])
    artifacts.push([`${base}-termux-${processor.termux}.deb`, termuxPackage(input, processor)])
  }
  artifacts.sort(([a], [b]) => (a < b ? -1 : 1))
  const sums = artifacts.map(([name, bytes]) => `${sha256Of(bytes)}  ${name}\n`).join('')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of [...artifacts, ['SHA256SUMS', Buffer.from(sums)] as const])
    writeFileSync(join(folder, name), bytes)
  return [...artifacts.map(([name]) => name), 'SHA256SUMS']
}
