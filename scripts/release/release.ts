/**
 * Makes a release, and sets what it says about its origin. The same commit gives the same bytes in any directory, with the compilers and musl of Debian 12.
 *
 *     npm run release [-- FOLDER]                  build, then write all artifacts and SHA256SUMS to FOLDER (default: dist/release)
 *     npm run release -- npm [FOLDER]              write only the npm package and SHA256SUMS, from the built dist/ (default: this clone)
 *     npm run release -- set-repository URL [AUTHOR]   write the repository's address, and the author 'NAME <ADDRESS>', into package.json and documents
 *     npm run release -- check TAG                 exit with 1 unless this commit can be released under the tag
 *     npm run release -- notes                     print the changelog's section about this version
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildRelease } from './build-release.ts'
import { bundledCode } from './bundled.ts'
import { launchersIn, npmTarball, packageFiles } from './npm-package.ts'
import { readPackageJson } from './package-json.ts'
import { checkTag, releaseNotes } from './release-notes.ts'
import { setRepository } from './set-repository.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Writes the npm package with SHA256SUMS, which install.sh needs, and prints its path. */
function writeNpmPackage(folder: string): void {
  const { name, version } = readPackageJson(root)
  const file = join(folder, `${name}-${version}.tgz`)
  mkdirSync(folder, { recursive: true })
  const launchers = launchersIn(root)
  const tarball = npmTarball(packageFiles(root, launchers, bundledCode(root, launchers.length > 0)))
  writeFileSync(file, tarball)
  writeFileSync(join(folder, 'SHA256SUMS'), `${hash('sha256', tarball)}  ${basename(file)}\n`)
  console.log(file)
}

function release(folder: string): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const name of buildRelease(root, folder)) console.log(`${name}: ${statSync(join(folder, name)).size} bytes`)
}

const [verb, ...operands] = process.argv.slice(2)
try {
  if (verb === 'npm') writeNpmPackage(resolve(operands[0] ?? root))
  else if (verb === 'set-repository') console.log(setRepository(root, operands[0] ?? '', operands[1]).join('\n'))
  else if (verb === 'check') checkTag(root, operands[0] ?? '')
  else if (verb === 'notes') process.stdout.write(releaseNotes(root))
  else release(resolve(verb ?? join(root, 'dist/release')))
} catch (error) {
  console.error(`release: ${(error as Error).message}`)
  process.exitCode = 1
}
