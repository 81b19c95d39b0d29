/**
 * npx tsx scripts/drills/drill-policy.ts [corpora] [score] [fuzz] [speed] [shells] [wrappers] [--misses] [--shell=bash] [--scripts=30000] [--fuzz=100000] [--seed=1]
 *   [--program=timeout,env] [--every=1]
 * Measures the policy. corpora: its verdicts on the corpora. score: the share that each guard and preset catches, compared with the goals
 * (--misses lists the lines). fuzz: the parser with random input. speed: the speed of the parser and the guards. shells: random scripts, with
 * stdin and env, executed in four shells and compared with the results of the parser (needs dash, busybox, mksh and bash in /usr/bin). wrappers:
 * calls of wrapper programs. The last two take long.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { decide, parse, type Script } from '../../src/server/policy/index.ts'
import { readCorpus } from '../../test/server/policy/corpus.ts'
import { type RandomRun, randomRun, randomScript } from '../../test/server/policy/random-script.ts'
import { createRandom } from '../../test/support/random.ts'
import { parseRun, prepareFolder, runAll, shells, unseenIn } from '../../test/server/policy/run-shells.ts'
import { realpath, settingsFor, world } from '../../test/server/policy/scene.ts'
import { hostile } from './hostile-scripts.ts'
import { drillScore } from './score-policy.ts'
import { drillWrappers } from './wrap-policy.ts'

const text = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1]
const option = (name: string, fallback: number) => Number(text(name) ?? fallback)
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const wants = (name: string) => wanted.length === 0 || wanted.includes(name)
const print = (line: string) => process.stdout.write(`${line}\n`)
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`

interface ShellCase extends RandomRun {
  opaque: boolean
  parsed: Script
}

// opaque scripts prove nothing, but a few are executed anyway
function makeCases(total: number, shell: string): ShellCase[] {
  const random = createRandom(option('seed', 1))
  const cases: ShellCase[] = []
  while (cases.length < total) {
    const run = randomRun(random)
    if (run.script.includes('\0')) continue
    const parsed = parseRun(run, shell)
    const opaque = parsed.opaque.length > 0
    if (!opaque || random() < 0.02) {
      cases.push({ ...run, opaque, parsed })
    }
  }
  return cases
}

async function runShell(name: string, shell: readonly string[], cases: readonly ShellCase[]): Promise<number> {
  const root = prepareFolder(shell)
  const counts = { ran: 0, marked: 0, clear: 0, broken: 0, exceptions: 0 }
  const started = Date.now()
  await runAll({ root, shell }, cases, (one, log) => {
    if (log === null) return (counts.broken += 1)
    counts.ran += 1
    if (log.names.size > 0) counts.marked += 1
    if (one.opaque) return
    if (log.names.size > 0) counts.clear += 1
    const unseen = unseenIn(log, one.parsed)
    if (unseen.length === 0) return
    counts.exceptions += 1
    print(
      `  EXCEPTION ${name}: ${unseen.join(' | ')} ran without being found, in ${JSON.stringify([one.script, one.stdin, one.open, one.additions])}`,
    )
  })
  rmSync(root, { recursive: true, force: true })
  const opaque = cases.filter((one) => one.opaque).length
  print(
    `shells: ${name}: ${counts.ran} scripts run (${opaque} opaque), a marker ran in ${counts.marked}, of these ${counts.clear} not opaque; ${counts.broken} broke the shell; exceptions: ${counts.exceptions}; ${((Date.now() - started) / 1000).toFixed(0)} s`,
  )
  return counts.exceptions
}

async function drillShells(): Promise<number> {
  const total = option('scripts', 30_000)
  print(`shells: ${total} random scripts for each shell, most with stdin or env, seed ${option('seed', 1)}`)
  let exceptions = 0
  const only = text('shell')
  for (const [name, shell] of Object.entries(shells).filter(([name]) => !only || name === only)) {
    exceptions += await runShell(name, shell, makeCases(total, name))
  }
  return exceptions
}

const verdictOf = (script: string, guard: string) =>
  decide({ ...world, script }, settingsFor[guard]!, { realpath }).verdict

function drillEvasion(): number {
  const counts: Record<string, Record<string, number>> = {}
  let allowed = 0
  for (const { script, tags } of readCorpus('evasion')) {
    const guard = tags[0]!
    const verdict = verdictOf(script, guard)
    counts[guard] ??= { deny: 0, ask: 0, allow: 0 }
    counts[guard][verdict]! += 1
    if (verdict !== 'allow') continue
    allowed += 1
    print(`  ALLOWED by ${guard}: ${JSON.stringify(script)}`)
  }
  for (const [guard, count] of Object.entries(counts)) {
    print(`evasion: ${guard}: ${count.deny} denied, ${count.ask} asked, ${count.allow} allowed`)
  }
  return allowed
}

function drillOrdinary(): number {
  const corpus = readCorpus('ordinary')
  const opaque = corpus.filter(({ script }) => parse(script, { HOME: world.home, PWD: world.cwd }).opaque.length > 0)
  print(`ordinary: ${corpus.length} scripts, ${opaque.length} opaque (${percent(opaque.length, corpus.length)})`)
  let failures = opaque.length / corpus.length < 0.05 ? 0 : 1
  for (const guard of ['catastrophic', 'deny-patterns', 'workspace']) {
    const meant = corpus.filter(({ tags }) => tags.includes(guard))
    const judged = corpus
      .filter(({ tags }) => !tags.includes(guard))
      .map(({ script }) => ({ script, verdict: verdictOf(script, guard) }))
    const hit = judged.filter(({ verdict }) => verdict !== 'allow')
    const denied = hit.filter(({ verdict }) => verdict === 'deny').length
    print(
      `ordinary: ${guard}: ${denied} denied and ${hit.length - denied} needing approval by mistake, of ${judged.length} (${percent(hit.length, judged.length)}); ${meant.length} are intended`,
    )
    for (const { script, verdict } of hit) print(`  ${verdict}: ${JSON.stringify(script)}`)
    if (guard === 'catastrophic' ? denied > 0 : hit.length / judged.length >= 0.01) failures += 1
  }
  return failures
}

// the parser must return within its limits for any input
function drillFuzz(): number {
  const runs = option('fuzz', 100_000)
  const random = createRandom(option('seed', 1))
  let slowestMs = 0
  let slowest = ''
  let accepted = 0
  const tryOne = (script: string) => {
    const started = performance.now()
    const parsed = parse(script)
    const took = performance.now() - started
    if (took > slowestMs) [slowestMs, slowest] = [took, script]
    return parsed
  }
  const shellish = fc
    .array(
      fc.oneof(
        fc.constantFrom(...'\'"`$(){}[]|&;<>\n\t\\#!*?~=- abm1/'),
        fc.constantFrom(
          '$(',
          '${',
          '<<E\n',
          '\nE\n',
          '$((',
          'if ',
          ';then ',
          ';fi',
          'case x in ',
          'esac',
          'sh -c ',
          'eval ',
        ),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.oneof(shellish, fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'grapheme' })),
      (script) => tryOne(script).source === script,
    ),
    { numRuns: runs / 2, seed: option('seed', 1) },
  )
  for (let index = 0; index < runs / 2; index += 1) tryOne(randomScript(random))
  for (let index = 0; index < 400; index += 1) {
    const script = randomScript(random)
    if (script.includes('\0') || spawnSync('/usr/bin/dash', ['-n', '-c', script]).status !== 0) continue
    accepted += 1
    tryOne(script)
  }
  print(
    `fuzz: ${runs} scripts parsed, no exception; slowest ${slowestMs.toFixed(1)} ms (${JSON.stringify(slowest.slice(0, 60))}); ${accepted} that dash -n accepts among 400 more`,
  )
  for (const [name, script] of hostile) {
    const started = performance.now()
    const parsed = parse(script)
    print(
      `fuzz: hostile: ${name}: ${(performance.now() - started).toFixed(0)} ms, ${parsed.commands.length} commands, opaque: ${parsed.opaque[0] ?? 'no'}`,
    )
  }
  return 0
}

/** The maximum time in microseconds that all guards together may take for a new short script. */
const MAX_NEW_US = 50

function drillSpeed(): number {
  let missed = 0
  for (const script of [
    'ls -la',
    'git add -A && git commit -m "x" && git log -1',
    'find . -name "*.ts" | xargs grep -n foo | head -20',
    'for f in *.txt; do wc -l "$f"; done',
  ]) {
    let count = 0
    const newOne = () => `${script} # ${(count += 1)}`
    const judgeNew = () => decide({ ...world, script: newOne() }, everything, { realpath })
    const took = {
      'parse, new': medianUs(() => parse(newOne())),
      'every guard on, new': medianUs(judgeNew),
    }
    for (const [what, us] of Object.entries(took)) print(`speed: ${what}: p50 ${us.toFixed(0)} µs: ${script}`)
    if (took['every guard on, new'] > MAX_NEW_US) missed += 1
  }
  print(`speed: ${missed} of 4 new scripts over ${MAX_NEW_US} µs`)
  return missed
}

function medianUs(run: () => unknown): number {
  for (let index = 0; index < 1_000; index += 1) run()
  const took = Array.from({ length: 2_000 }, () => {
    const started = performance.now()
    run()
    return performance.now() - started
  }).sort((left, right) => left - right)
  return took[took.length >> 1]! * 1000
}

const everything = {
  ...settingsFor.workspace!,
  catastrophic: true,
  enable_deny_patterns: true,
  allowed_commands: ['*'],
  autonomy: 'supervised' as const,
  single_command: true,
}

let failed = 0
if (wants('corpora')) failed += drillEvasion() + drillOrdinary()
if (wants('score')) failed += drillScore(print, process.argv.includes('--misses'))
if (wants('fuzz')) failed += drillFuzz()
if (wants('speed')) failed += drillSpeed()
if (wants('shells')) failed += await drillShells()
if (wants('wrappers')) failed += await drillWrappers(print, option('every', 1), text('program'))
process.exitCode = failed > 0 ? 1 : 0
