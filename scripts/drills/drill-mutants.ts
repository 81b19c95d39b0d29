/**
 * Checks that the tests detect faults. Each row of the tables is a fault that a careless edit could introduce. The drill puts one fault at a time
 * into a copy of this tree and runs the test that should fail. If an assertion fails, the mutant is caught; if the test passes, it survives.
 *
 *     npx tsx scripts/drills/drill-mutants.ts [FROM[-TO] | part of a file or of a description]...      (default: all rows, half an hour)
 *
 * Each test also runs without the fault, because a test that always fails proves nothing. Exit code 1 if a mutant survives.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '../../test/support/helper.ts'
import { type Mutant, withFault } from './mutant.ts'
import { mutants } from './mutants.ts'
import { readTap, type Tested } from './read-tap.ts'

const LIMIT_MS = 120_000
const left = ['node_modules', '.git', 'dist', 'test/slow/node_modules', 'test/.compiled', 'test/slow/.compiled']

/** The part of the build without the launcher. */
const bundle = 'node scripts/build/build.mjs'
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const wanted = process.argv.slice(2)
const rows = mutants.map((row, index) => ({ ...row, number: index + 1 }))
const chosen = wanted.length === 0 ? rows : rows.filter(isWanted)
const tree = copyTree()
for (const row of rows) withFault(textOf(row), row) // throws before any test if a row does not match its file
await build('npm run --silent build')
const unnoticed = await runMutants()
rmSync(tree, { recursive: true })
process.exitCode = unnoticed === 0 ? 0 : 1

function isWanted({ number, file, what }: (typeof rows)[number]): boolean {
  return wanted.some((one) => {
    const [from, to = from] = one.split('-').map(Number)
    return from! <= number && number <= to! ? true : `${file}: ${what}`.includes(one)
  })
}

function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'shellphone-mutants-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !left.includes(relative(root, path)) })
  chmodSync(copy, 0o755) // some tests run it as another user
  for (const folder of ['node_modules', 'test/slow/node_modules']) {
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(copy, folder))
  }
  return copy
}

/** Prints the result of each row; returns the number of mutants that survived. */
async function runMutants(): Promise<number> {
  const failures = new Map<string, string | null>()
  let survived = 0
  const scores = new Map<string, { caught: number; all: number }>()
  for (const row of chosen) {
    const began = performance.now()
    if (!failures.has(row.by)) failures.set(row.by, await failureOf(row.by))
    const failure = failures.get(row.by)
    const [isCaught, end] = failure ? [false, `also fails without the fault: ${failure}`] : toEnd(await runMutant(row))
    if (!isCaught) survived++
    const module = /^src\/(?:server\/)?([^/]+)/.exec(row.file)![1]!
    const score = scores.get(module) ?? { caught: 0, all: 0 }
    scores.set(module, { caught: score.caught + Number(isCaught), all: score.all + 1 })
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`${String(row.number).padStart(3)} ${row.file}: ${row.what} (${seconds} s)\n    ${row.by}\n    ${end}`)
  }
  for (const [module, { caught, all }] of [...scores].sort()) console.log(`${module}: ${caught} of ${all} caught`)
  console.log(`${chosen.length - survived} of ${chosen.length} mutants were caught`)
  return survived
}

/** Why a test proves nothing: it fails without the fault, or does not exist. Null if it passes. */
async function failureOf(by: string): Promise<string | null> {
  if (startsTheService(by)) await build(bundle)
  const tested = await runTest(by)
  return tested.length === 0 ? 'no such test' : (tested.find(({ failed }) => failed !== null)?.failed ?? null)
}

function toEnd(caught: Tested | null): [isCaught: boolean, end: string] {
  if (caught === null) return [false, 'SURVIVED']
  return [true, `${caught.failed === 'timeout!' ? 'hung' : 'caught'}: ${caught.failed}`]
}

/** Runs the row's test with the fault. Returns the test that failed, or null. */
async function runMutant(row: Mutant): Promise<Tested | null> {
  const text = textOf(row)
  writeFileSync(join(tree, row.file), withFault(text, row))
  try {
    if (row.file.endsWith('.c')) await build(`cc -O2 -Wall -Wextra -Werror -fsyntax-only ${row.file}`)
    else if (startsTheService(row.by)) await build(bundle)
    return (await runTest(row.by)).find(({ failed }) => failed !== null) ?? null
  } finally {
    writeFileSync(join(tree, row.file), text)
  }
}

function textOf({ file }: Mutant): string {
  return readFileSync(join(tree, file), 'utf8')
}

/** Throws if the build fails, because a mutant that cannot be built proves nothing. */
async function build(script: string): Promise<void> {
  const { code, text } = await run(['sh', '-c', script])
  if (code !== 0) throw new Error(`${script}: ${text}`)
}

function fileOf(by: string): string {
  const suite = `${by.split(' > ')[0]}.test.ts`
  const all = readdirSync(join(tree, 'test'), { recursive: true, encoding: 'utf8' })
  const found = all.filter((path) => `/${path}`.endsWith(`/${suite}`) && !/node_modules|\.compiled/.test(path))
  return join(tree, 'test', found.find((path) => !path.startsWith('slow/')) ?? found[0] ?? suite)
}

function startsTheService(by: string): boolean {
  return /startService|ask\.ts|dist\//.test(readFileSync(fileOf(by), 'utf8'))
}

/** Runs a test up to its first failure. If the process fails without a failed test, adds a failure to the result. */
async function runTest(by: string): Promise<Tested[]> {
  const names = by.split(' > ').slice(1)
  const only = names.map((name) => `/^${escaped(name)}/`).join('\n')
  const env = {
    ...(only && { TAP_GREP: only }),
    TAP_FILTER_QUIETLY: '1',
    TAP_BAIL: '1',
    TAP_TIMEOUT: String(LIMIT_MS / 2000),
  }
  const { code, text } = await run([process.execPath, '--import', 'tsx', fileOf(by)], env)
  const tested = readTap(text).filter(({ skipped }) => skipped === null)
  const isReported = code === 0 || tested.some(({ failed }) => failed !== null)
  return isReported ? tested : [...tested, { path: [by], failed: `it ended with ${code}`, skipped: null }]
}

async function run([program, ...args]: string[], more: Record<string, string> = {}) {
  const env = { ...process.env, ...more }
  const child = spawn(program!, args, { cwd: tree, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more
  })
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), LIMIT_MS)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  return { code: code ?? signal, text }
}
