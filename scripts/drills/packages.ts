import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const temporary = (): string => mkdtempSync(join(tmpdir(), 'drill-deb-'))
const dpkgDeb = (...argv: string[]) => execFileSync('dpkg-deb', ['--root-owner-group', ...argv], { stdio: 'ignore' })

/** Writes a copy of a package of Debian or Termux with another version, as if it were a later release. */
export function withVersion(deb: string, version: string, output: string): void {
  const folder = temporary()
  try {
    dpkgDeb('-R', deb, folder)
    const control = join(folder, 'DEBIAN/control')
    const old = /^Version: (.*)$/m.exec(readFileSync(control, 'utf8'))![1]!
    writeFileSync(control, readFileSync(control, 'utf8').replace(`Version: ${old}`, `Version: ${version}`))
    rmSync(join(folder, 'DEBIAN/md5sums'))
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/lib\/shellphone\/(package\.json|dist\/[\w-]+\.js)$/.test(name)) continue
      const file = join(folder, name)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`"${old}"`, `"${version}"`))
    }
    dpkgDeb('-b', folder, output)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes a Debian package `nodejs` with this program, in place of the one that users add from another source. */
export function nodePackage(node: string, output: string): void {
  const folder = temporary()
  try {
    mkdirSync(join(folder, 'DEBIAN'), { recursive: true })
    mkdirSync(join(folder, 'usr/bin'), { recursive: true })
    cpSync(node, join(folder, 'usr/bin/node'), { dereference: true })
    chmodSync(join(folder, 'usr/bin/node'), 0o755)
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)
    const lines = [
      'Package: nodejs',
      `Version: ${version}`,
      'Architecture: amd64',
      'Maintainer: drill <root@localhost>',
      'Description: Node',
    ]
    writeFileSync(join(folder, 'DEBIAN/control'), `${lines.join('\n')}\n`)
    dpkgDeb('-Znone', '-b', folder, output)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The only artifact of the last release whose name matches; throws if there is not exactly one. */
export function artifactOf(release: string, name: RegExp): string {
  const [found, ...others] = readdirSync(release).filter((one) => name.test(one))
  if (found === undefined || others.length > 0)
    throw new Error(`${release}: expected one file ${name}; run npm run release`)
  return join(release, found)
}

export const megabytes = (file: string): string => `${(statSync(file).size / 1e6).toFixed(1)} MB`
