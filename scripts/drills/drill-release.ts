/**
 * Builds a release of the last commit in two directories, and in a new Debian 12 as the release workflow does (with Node 24 if it is installed).
 * Compares the checksums of all artifacts. The last build stays in dist/release, for drill-debian.ts and drill-termux.ts.
 *
 *     npx tsx scripts/drills/drill-release.ts       as root, after sh scripts/test/apt-packages.sh cross
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../../test/support/helper.ts'
import { cachedNode } from './cached.ts'
import { addNode, copyDebian, inDebian } from './debian-tree.ts'

const folder = mkdtempSync(join(tmpdir(), 'drill-release-'))

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()

/** Clones the commit that was the last one when the drill started. */
function cloneTo(clone: string): string {
  mkdirSync(dirname(clone), { recursive: true })
  execFileSync('git', ['clone', '-q', '--no-checkout', '--no-hardlinks', root, clone])
  execFileSync('git', ['checkout', '-q', '--detach', commit], { cwd: clone })
  return clone
}

const sumsIn = (clone: string) => readFileSync(join(clone, 'dist/release/SHA256SUMS'), 'utf8')

/** Builds a release with hard links to this clone's packages, and returns SHA256SUMS. */
function build(clone: string): string {
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(clone, 'node_modules')])
  execFileSync('npm', ['run', '--silent', 'release'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] })
  return sumsIn(clone)
}

/** Builds a release in a new Debian, from the registries, and returns SHA256SUMS; null if this is not possible here. */
function buildInDebian(): string | null {
  const tree = join(folder, 'debian')
  const reason = copyDebian(tree)
  if (reason) {
    console.log(`skipped Debian 12: ${reason}`)
    return null
  }
  addNode(tree, cachedNode(24) ?? process.execPath)
  const clone = cloneTo(join(tree, 'home/clone'))
  const script =
    'cd /home/clone; sh scripts/test/apt-packages.sh release; npm ci --no-audit --no-fund; npm run --silent release; node --version; npm --version'
  const versions = inDebian(tree, script).trim().split('\n').slice(-2)
  console.log(
    `Debian ${readFileSync(join(tree, 'etc/debian_version'), 'utf8').trim()}, Node ${versions[0]}, npm ${versions[1]}`,
  )
  return sumsIn(clone)
}

/** Prints the lines that differ; false if there are any. */
function compare(what: string, sums: string, others: string): boolean {
  const differing = others.split('\n').filter((line) => !sums.split('\n').includes(line))
  for (const line of differing) console.log(`FAULT ${what}: ${line} differs`)
  if (differing.length === 0) console.log(`${what}: ${sums.trim().split('\n').length} artifacts have equal checksums`)
  return differing.length === 0
}

try {
  const [first, second] = ['a', 'a longer path/with spaces/b'].map((name) => cloneTo(join(folder, name)))
  const sums = build(first!)
  console.log(sums.trim())
  const areEqual = compare('two directories', sums, build(second!))
  const others = buildInDebian()
  const areEqualThere = others === null || compare('this machine and a new Debian 12', sums, others)
  rmSync(join(root, 'dist/release'), { recursive: true, force: true })
  cpSync(join(second!, 'dist/release'), join(root, 'dist/release'), { recursive: true })
  process.exitCode = areEqual && areEqualThere ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
