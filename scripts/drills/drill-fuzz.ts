/**
 * Runs every reader of foreign bytes under libFuzzer, which mutates the inputs in corpora/ and keeps those that reach new code: the launcher's
 * parser (fuzz-launcher.c) with AddressSanitizer and UBSan, which needs clang and libclang-rt-dev, and the readers in fuzz-readers.ts under
 * Jazzer.js. Prints the number of inputs, the branches reached, and the size of the corpus. Fails at the first crash, broken promise, or input that takes 60 s.
 *
 *     npx tsx scripts/drills/drill-fuzz.ts [seconds=600] [READER...] [--keep]       --keep: stores the new, minimized corpus in corpora/
 */
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { findProgram } from '../../src/server/spawn/index.ts'
import { root } from '../../test/support/helper.ts'
import { cached } from './cached.ts'
import { corpusOf, readers } from './fuzz-readers.ts'

/** The readers in TypeScript are slower, and longer inputs seldom reach more code. */
const MAX_INPUT_BYTES = 4096
const HANG_SECONDS = 60
/** Jazzer.js's add-on needs glibc 2.38. */
const LIBC_MINOR = 38
/**
 * Detectors of Jazzer.js that are off for a reader. An archive may contain a symbolic link to any target, which the unpacker stores and never
 * follows; the detector reports this target. The `tar` reader checks itself that nothing appears outside its directory.
 */
const disabledDetectors: Record<string, string> = { tar: 'path-traversal' }
const drills = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'drill-fuzz-'))

/** A command that runs one fuzzer; libFuzzer's options follow it. */
type Fuzzer = [program: string, ...argv: string[]]

/** Builds the launcher's fuzzer. Returns null if clang is missing. */
function launcherFuzzer(): Fuzzer | null {
  if (!findProgram('clang', process.env.PATH ?? '')) {
    console.log('skipped launcher, not installed: apt-get install clang libclang-rt-dev')
    return null
  }
  const output = join(folder, 'launcher')
  const ran = spawnSync('sh', [join(drills, 'fuzz-launcher.sh'), output], { stdio: 'inherit' })
  if (ran.status !== 0) throw new Error('fuzz-launcher.sh failed')
  return [output]
}

/** Errors that the policy catches, because it denies what it cannot analyse, would hide a fault. Only a full stack is expected. */
const uncaught: Plugin = {
  name: 'uncaught',
  setup({ onLoad }) {
    onLoad({ filter: /policy\/(decide|shell\/(parse|syntax))\.ts$/ }, ({ path }) => {
      const shown = 'catch (caught) { if (!(caught instanceof RangeError)) globalThis.caught = caught;'
      return { loader: 'ts', contents: readFileSync(path, 'utf8').replaceAll('catch {', shown) }
    })
  },
}

/** Bundles one reader for Jazzer.js. Returns null if Jazzer.js is missing or this system's libc is too old for it. */
async function readerFuzzer(name: string): Promise<Fuzzer | null> {
  const modules = cached('jazzer', '@jazzer.js/core@4.0.0')
  const node = newNode()
  if (modules === null || node === null) return null
  const isAsync = readers[name]!.constructor.name === 'AsyncFunction'
  const call = `${isAsync ? 'await ' : ''}readers.${name}(bytes); if (globalThis.caught) throw globalThis.caught`
  await build({
    stdin: {
      contents: `import { readers } from ${JSON.stringify(join(drills, 'fuzz-readers.ts'))}
        export const fuzz = ${isAsync ? 'async ' : ''}(bytes) => { ${call} }`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    outfile: join(folder, `${name}.js`),
    plugins: [uncaught],
    logLevel: 'error',
  })
  const jazzer = join(modules, '@jazzer.js/core/dist/cli.js')
  const mode = isAsync ? [`--timeout=${HANG_SECONDS * 1000}`] : ['--sync']
  const detector = disabledDetectors[name]
  const detectors = detector === undefined ? [] : [`--disableBugDetectors=${detector}`]
  return [...node, jazzer, join(folder, name), ...mode, ...detectors, '--includes', folder, '--']
}

/** Node, started with the libc of a newer Debian if that of this system is too old. */
function newNode(): Fuzzer | null {
  const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header
  const [, minor] = (glibcVersionRuntime ?? '').split('.')
  if (Number(minor) >= LIBC_MINOR) return [process.execPath]
  const libraries = join(homedir(), '.cache/shellphone/debian-testing/usr/lib/x86_64-linux-gnu')
  const loader = join(libraries, 'ld-linux-x86-64.so.2')
  if (findProgram(loader, '')) return [loader, '--library-path', libraries, process.execPath]
  console.log(`skipped Jazzer.js, which needs libc 2.${LIBC_MINOR}: sh scripts/test/apt-packages.sh cross`)
  return null
}

/** Runs libFuzzer, and returns its log, which is a file, because a full pipe would lose lines. */
function run([program, ...argv]: Fuzzer, options: string[]): { log: string; isClean: boolean } {
  const file = join(folder, 'fuzz.log')
  const log = openSync(file, 'w')
  const limits = [`-max_len=${MAX_INPUT_BYTES}`, `-timeout=${HANG_SECONDS}`, `-artifact_prefix=${folder}/`]
  const env = { ...process.env, ASAN_OPTIONS: 'detect_leaks=0' }
  const { status } = spawnSync(program, [...argv, ...options, ...limits], {
    cwd: folder,
    env,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return { log: readFileSync(file, 'utf8'), isClean: status === 0 }
}

function writeInputs(name: string, inputs: readonly Buffer[]): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const input of inputs) writeFileSync(join(path, hash('sha1', input)), input)
  return path
}

/** Stores the smallest inputs that together reach the same branches. libFuzzer tries all of them in one process, and reports which reach new ones. */
function keep(name: string, fuzzer: Fuzzer, corpus: string): void {
  const inputs = readdirSync(corpus)
    .map((file) => ({ path: join(corpus, file), bytes: readFileSync(join(corpus, file)) }))
    .sort((a, b) => a.bytes.length - b.bytes.length || a.bytes.compare(b.bytes))
  const control = join(folder, 'control')
  writeFileSync(control, [inputs.length, 0, ...inputs.map(({ path }) => path), ''].join('\n'))
  const { log, isClean } = run(fuzzer, ['-merge_inner=1', `-merge_control_file=${control}`])
  const reached = [...readFileSync(control, 'utf8').matchAll(/^COV (\d+) ./gm)].map(
    ([, index]) => inputs[Number(index)]!,
  )
  if (!isClean || reached.length === 0) throw new Error(log.slice(-2000))
  writeFileSync(
    join(drills, `corpora/${name}.txt`),
    reached.map(({ bytes }) => `${bytes.toString('base64')}\n`).join(''),
  )
  console.log(`${name}: stored ${reached.length} of ${inputs.length} inputs`)
}

/** Fuzzes one reader; false if it found a fault. */
async function fuzz(name: string, seconds: number, isKept: boolean): Promise<boolean> {
  const fuzzer = name === 'launcher' ? launcherFuzzer() : await readerFuzzer(name)
  if (fuzzer === null) return true
  const corpus = writeInputs(`${name}-corpus`, corpusOf(name))
  const { log, isClean } = run(fuzzer, [`-max_total_time=${seconds}`, '-print_final_stats=1', corpus])
  const numberOf = (pattern: RegExp) => [...log.matchAll(pattern)].at(-1)?.[1] ?? '?'
  const tried = numberOf(/number_of_executed_units: (\d+)/g)
  const [before, after] = [/INITED cov: (\d+)/.exec(log)?.[1], numberOf(/ cov: (\d+)/g)]
  console.log(
    `${name}: ${tried} inputs in ${seconds} s, ${after} branches (${before} by the stored corpus), ${numberOf(/ corp: (\d+)/g)} inputs in the corpus`,
  )
  if (!isClean) {
    console.log(`FAULT ${name}: ${log.slice(-3000)}`)
    for (const one of readdirSync(folder).filter((file) => /^(crash|timeout|oom)-/.test(file)))
      console.log(`FAULT ${name}: the input in base64: ${readFileSync(join(folder, one)).toString('base64')}`)
  } else if (isKept) keep(name, fuzzer, corpus)
  return isClean
}

const operands = process.argv.slice(2).filter((one) => one !== '--keep')
const [seconds = 600] = operands.filter((one) => /^\d+$/.test(one)).map(Number)
const chosen = operands.filter((one) => !/^\d+$/.test(one))
try {
  for (const name of chosen.length > 0 ? chosen : ['launcher', ...Object.keys(readers)])
    if (!(await fuzz(name, seconds, process.argv.includes('--keep')))) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
