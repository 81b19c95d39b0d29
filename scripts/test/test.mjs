/**
 * Compiles the test suites once and runs them, several at a time.
 *
 *     npm test                      install Debian packages, lint, check types, build if a source has changed, then run every fast suite
 *     npm test -- pool store        build, then run the fast suites whose path contains one of these words
 *     npm run test:slow [-- WORD]   do the same for test/slow, after installing its packages
 *     npm run coverage [-- WORD]    run both with V8's coverage, and print it by module of src
 *
 * The services and control planes under test record their traffic (test/support/record-traffic.mjs), which must match openapi.yaml and asyncapi.yaml.
 *
 * Prints a line for each suite with its CPU time, every failed assertion with the command that runs its suite alone, and at the end
 * "N passed, N failed, N skipped". Exits with 1 if a suite failed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Parser } from 'tap-parser'
import { stringify } from 'yaml'
import { checkTraffic, prepareTraffic, readContract } from './check-traffic.mjs'
import { compileTests } from './compile-tests.mjs'
import { newerSource } from './newer-source.mjs'
import { mapPositions } from './source-positions.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Only a suite that hangs reaches this timeout, even on a machine that is ten times slower than ours. */
const SUITE_TIMEOUT_MS = 15 * 60_000
/** tap names the test that hangs before its suite is killed. */
const TEST_TIMEOUT_MS = SUITE_TIMEOUT_MS - 60_000
/** The number of suites per core; above 1, because suites wait for processes and timers more than they compute. */
const SUITES_PER_CORE = 2
const MAX_FAILURE_LINES = 24
const MAX_STDERR_CHARACTERS = 20_000
const DRAIN_MS = 2000

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { slow: { type: 'boolean', default: false }, coverage: { type: 'boolean', default: false } },
})
const isSlow = values.slow || values.coverage
const compiled = isSlow ? 'test/slow/.compiled' : 'test/.compiled'
const coverageFolder = join(root, 'test/slow/.compiled/coverage')

function run(program, ...args) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** The suites in a folder whose path contains one of the words, or all suites if no words are given, as paths relative to the root. */
function suitesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !/(^|\/)(node_modules|slow|\.compiled)\//.test(file))
    .map((file) => `${folder}/${file}`)
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort()
}
const suites = [...(isSlow ? suitesIn('test/slow') : []), ...(!values.slow || values.coverage ? suitesIn('test') : [])]
if (suites.length === 0) {
  console.error(`expected part of a suite's path, got ${words.join(' ')}; list the suites with ls test test/slow`)
  process.exit(2)
}

run('sh', 'scripts/test/apt-packages.sh', ...(isSlow ? ['slow'] : []))
if (isSlow) {
  run('sh', 'scripts/test/slow-packages.sh')
  run('npx', '--no-install', 'tsgo', '-p', 'test/slow')
} else if (words.length === 0) run('npm', 'run', '--silent', 'check')
// npm ci has just built a fresh clone, and a build costs 9 s of CPU
const isBuilt = existsSync(join(root, 'dist/launcher')) && newerSource(root) === undefined
const withMaps = existsSync(join(root, 'dist/main.js.map'))
if (!isBuilt || withMaps || values.coverage) {
  run('npm', 'run', '--silent', 'build', ...(values.coverage ? ['--', '--maps'] : []))
}
await compileTests(root, suites, compiled)
/** Every program of a suite loads it, and those that serve record their traffic. */
const recorder = pathToFileURL(join(root, 'test/support/record-traffic.mjs'))
const traffic = join(root, compiled, 'traffic')
const contract = readContract(root)
prepareTraffic(contract, traffic)
if (values.coverage) process.env.NODE_V8_COVERAGE = coverageFolder

/** Runs one suite. Resolves with its counts, failures, skips, seconds, CPU seconds (including its children) and stderr. */
function runSuite(suite) {
  const counts = { pass: 0, fail: 0, skip: 0 }
  const failures = []
  const skips = []
  const startedAt = performance.now()
  const file = join(root, compiled, suite.replace(/\.ts$/, '.mjs'))
  const child = spawn('sh', ['-c', '"$@"; code=$?; times >&3; exit $code', 'sh', process.execPath, file], {
    cwd: root,
    detached: true,
    env: {
      ...process.env,
      TAP_TIMEOUT: String(TEST_TIMEOUT_MS / 1000),
      TEST_TRAFFIC: traffic,
      NODE_OPTIONS: `--import=${recorder}`,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => {
    failures.push({ name: `did not end within ${SUITE_TIMEOUT_MS / 60_000} minutes` })
    process.kill(-child.pid, 'SIGKILL')
  }, SUITE_TIMEOUT_MS)
  const parser = new Parser()
    .on('pass', () => counts.pass++)
    .on('skip', ({ fullname, skip }) => {
      counts.skip++
      skips.push(`${fullname}: ${skip}`)
    })
    .on('fail', ({ fullname, name, diag }) => {
      counts.fail++
      failures.push({ name: fullname.includes(name) ? fullname : `${fullname} > ${name}`, diag })
    })
  parser.on('complete', ({ plan }) => {
    if (plan.skipAll) skips.push(plan.skipReason)
  })
  let stderr = ''
  let times = ''
  child.stdout.pipe(parser)
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS)))
  child.stdio[3].setEncoding('utf8').on('data', (text) => (times += text))
  return new Promise((resolve) => {
    child.once('exit', async (code, signal) => {
      clearTimeout(timer)
      // the suite's output is in the pipes, whose other ends a leftover process may hold forever
      await Promise.race([once(child, 'close'), setTimeoutPromise(DRAIN_MS)])
      for (const stream of [child.stdout, child.stderr, child.stdio[3]]) stream.destroy()
      if (code !== 0 && counts.fail === 0) {
        counts.fail++
        failures.push({ name: `exited with ${signal ?? code}` })
      }
      const seconds = (performance.now() - startedAt) / 1000
      resolve({ suite, counts, failures, skips, stderr, seconds, cpuSeconds: cpuSecondsOf(times) })
    })
  })
}

/** Parses the last line of the shell's `times`: the user and system time of its children, as `0m1.50s 0m0.25s`. */
function cpuSecondsOf(times) {
  const found = [...(times.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  return found.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

/** A failed assertion's details, with positions in the sources. */
function describe({ at, source, ...details }) {
  const { fileName, lineNumber, columnNumber } = at ?? {}
  const shown = at ? { ...details, at: `${fileName}:${lineNumber}:${columnNumber}`, source } : { ...details, source }
  return mapPositions(root, stringify(shown))
}

function report({ suite, counts, failures, skips, stderr, seconds, cpuSeconds }) {
  const skipped = counts.skip > 0 ? `, ${counts.skip} skipped` : ''
  const times = `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU`
  console.log(`${counts.fail > 0 ? 'FAILED' : 'ok'} ${suite}: ${counts.pass} passed${skipped} (${times})`)
  for (const reason of new Set(skips)) console.log(`  skipped: ${reason}`)
  if (failures.length === 0) return
  for (const { name, diag } of failures) {
    console.log(`  ${name}`)
    const lines = diag ? describe(diag).split('\n').slice(0, MAX_FAILURE_LINES) : []
    for (const line of lines) console.log(`      ${line}`)
  }
  if (stderr) console.log(mapPositions(root, stderr).replace(/^/gm, '    stderr: '))
  console.log(`  run it alone: npm ${suite.startsWith('test/slow/') ? 'run test:slow' : 'test'} -- ${suite}`)
}

const waiting = [...suites]
const totals = { pass: 0, fail: 0, skip: 0 }
async function work() {
  for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
    const result = await runSuite(suite)
    report(result)
    for (const key of Object.keys(totals)) totals[key] += result.counts[key]
  }
}
await Promise.all(Array.from({ length: availableParallelism() * SUITES_PER_CORE }, work))
if (values.coverage) {
  delete process.env.NODE_V8_COVERAGE
  run(process.execPath, 'test/slow/coverage-report.mjs', coverageFolder)
  run('npm', 'run', '--silent', 'build')
}
const compared = checkTraffic(contract, traffic)
if (compared !== null) {
  const { summary, violations } = compared
  console.log(`${violations.length > 0 ? 'FAILED' : 'ok'} openapi.yaml and asyncapi.yaml: ${summary}`)
  for (const violation of violations) console.log(`  ${violation}`)
  totals.fail += violations.length
}
console.log(`${totals.pass} passed, ${totals.fail} failed, ${totals.skip} skipped`)
process.exitCode = totals.fail > 0 || totals.pass === 0 ? 1 : 0
