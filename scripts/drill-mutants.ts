/**
 * Do the tests notice? Each row of the tables is a fault that a careless edit could make; it is put into a copy of this tree, alone, and
 * the suites that should fail with it are run there. A suite that fails, or hangs, has killed the mutant; one that passes has not noticed.
 *
 *     npx tsx scripts/drill-mutants.ts [FROM [TO]]       rows by number, from 1; all of them take about half an hour
 *
 * First the suites are run as they are: one that fails by itself proves nothing. Exit code 1 where a mutant survives.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '../test/helper.ts'
import { askedMutants } from './mutants-asked.ts'
import { keptMutants } from './mutants-kept.ts'
import { runningMutants } from './mutants-running.ts'
import type { Mutant } from './mutants.ts'

const LIMIT_MS = 120_000
const left = ['node_modules', '.git', '.tap', 'dist']

const rows = [...runningMutants, ...keptMutants, ...askedMutants]
const [from = 1, to = rows.length] = process.argv.slice(2).map(Number)
const tree = copyTree()
for (const row of rows) mutate(row) // a row that does not fit is known before anything is run
const chosen = rows.slice(from - 1, to)
const sound = await runAsTheyAre([...new Set(chosen.flatMap(({ suites }) => suites))])
const survivors = sound ? await runMutants() : []
rmSync(tree, { recursive: true })
process.exitCode = sound && survivors.length === 0 ? 0 : 1

function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'shellphone-mutants-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(relative(root, path)) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** The file with the fault in it. Throws where what is to be replaced is not there exactly once. */
function mutate({ what, file, find, replace }: Mutant): string {
  const parts = readFileSync(join(root, file), 'utf8').split(find)
  if (parts.length !== 2) throw new Error(`${file}: ${what}: found ${parts.length - 1} times: ${find}`)
  return parts.join(replace)
}

async function runAsTheyAre(suites: string[]): Promise<boolean> {
  await build()
  const failed: string[] = []
  for (const suite of suites) if ((await runSuite(suite)) !== 'passed') failed.push(suite)
  console.log(
    `${suites.length} suites without a fault: ${failed.length === 0 ? 'all pass' : `${failed.join(', ')} do not`}`,
  )
  return failed.length === 0
}

async function runMutants(): Promise<Mutant[]> {
  const alive: Mutant[] = []
  for (const [index, row] of chosen.entries()) {
    const began = performance.now()
    const end = await runMutant(row)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`${String(from + index).padStart(3)} ${end.padEnd(8)} ${row.file}: ${row.what} (${seconds} s)`)
    if (end === 'survived') alive.push(row)
  }
  console.log(`${chosen.length} mutants: ${chosen.length - alive.length} killed, ${alive.length} survived`)
  return alive
}

/** What ended it: a suite that failed, or hung. */
async function runMutant(row: Mutant): Promise<'killed' | 'hung' | 'survived'> {
  writeFileSync(join(tree, row.file), mutate(row))
  try {
    if (row.file.endsWith('.c')) await compile(row)
    if (row.suites.some(startsTheService)) await build()
    for (const suite of row.suites) {
      const end = await runSuite(suite)
      if (end !== 'passed') return end === 'failed' ? 'killed' : 'hung'
    }
    return 'survived'
  } finally {
    writeFileSync(join(tree, row.file), readFileSync(join(root, row.file)))
  }
}

function build() {
  return run(['npm', 'run', '--silent', 'build'])
}

function startsTheService(suite: string): boolean {
  return /startService|ask\.ts|dist\//.test(readFileSync(join(root, `test/${suite}.test.ts`), 'utf8'))
}

/** Throws where it cannot be compiled: the suites of the launcher are skipped where there is none. */
async function compile({ file, what }: Mutant): Promise<void> {
  const end = await run(['cc', '-O2', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', file])
  if (end !== 'passed') throw new Error(`${file}: ${what}: does not compile`)
}

/** Up to its first failure. */
function runSuite(suite: string) {
  return run([process.execPath, '--import', 'tsx', `test/${suite}.test.ts`])
}

async function run([program, ...args]: string[]): Promise<'passed' | 'failed' | 'hung'> {
  const env = { ...process.env, TAP_BAIL: '1', TAP_TIMEOUT: String(LIMIT_MS / 1000) }
  const child = spawn(program!, args, { cwd: tree, env, detached: true, stdio: 'ignore' })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    process.kill(-child.pid!, 'SIGKILL')
  }, LIMIT_MS)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  return isLate ? 'hung' : code === 0 ? 'passed' : 'failed'
}
