/**
 * Builds a release in two directories and compares the checksums of all artifacts.
 *
 *     npx tsx scripts/drills/drill-release.ts       after sh scripts/test/apt-packages.sh cross
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../../test/support/helper.ts'

const SECONDS = '1700000000'
const folder = mkdtempSync(join(tmpdir(), 'drill-release-'))

/** Copies this clone, with hard links to its packages. */
function copyTo(copy: string): string {
  mkdirSync(dirname(copy), { recursive: true })
  for (const name of readdirSync(root).filter(
    (one) => !['node_modules', 'dist', '.git', '.tap', 'test'].includes(one),
  )) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(copy, 'node_modules')])
  return copy
}

/** Builds a release and returns SHA256SUMS. */
function build(copy: string): string {
  const env = { ...process.env, SOURCE_DATE_EPOCH: SECONDS }
  execFileSync('npm', ['run', '--silent', 'release'], { cwd: copy, env, stdio: ['ignore', 'ignore', 'inherit'] })
  return readFileSync(join(copy, 'dist/release/SHA256SUMS'), 'utf8')
}

/** Prints the lines that differ; false if there are any. */
function compare(what: string, sums: string, others: string): boolean {
  const differing = others.split('\n').filter((line) => !sums.split('\n').includes(line))
  for (const line of differing) console.log(`FAULT ${what}: ${line} differs`)
  if (differing.length === 0) console.log(`${what}: ${sums.trim().split('\n').length} artifacts have equal checksums`)
  return differing.length === 0
}

try {
  const [first, second] = ['a', 'a longer path/with spaces/b'].map((name) => copyTo(join(folder, name)))
  const sums = build(first!)
  console.log(sums.trim())
  process.exitCode = compare('two directories', sums, build(second!)) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
