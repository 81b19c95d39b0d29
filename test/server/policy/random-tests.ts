/** Random tests of the policy: few runs in test/server/policy/policy.test.ts, many in test/slow/policy.test.ts. */
import { existsSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import type { Test } from 'tap'
import { decide, parse, patternError, presetSettings, type Script } from '../../../src/server/policy/index.ts'
import { createRandom } from '../../support/random.ts'
import { unicode } from '../../support/unicode.ts'
import { type RandomRun, randomRun, randomScript } from './random-script.ts'
import { parseRun, prepareFolder, runAll, shells, unseenIn } from './run-shells.ts'
import { realpath, world } from './scene.ts'

const atom = fc.constantFrom(
  ...['a', 'b', '.', '\\w', '\\s', '[ab]', '[^a]', '[a-c]', '\\b', '^', '$', ' ', '(?:a|b)', '(ab)'],
)
const tail = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}')
const pattern = fc
  .array(fc.tuple(atom, tail, fc.constantFrom('', '', '|')), { minLength: 1, maxLength: 6 })
  .map((parts) =>
    parts.map(([one, times, or]) => (/[$^b]$/.test(one) && one.length < 3 ? one : one + times) + or).join(''),
  )

export async function patternsMatchAsRegExp(_t: Test, numRuns: number): Promise<void> {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '-'), maxLength: 8 })
  const property = fc.property(pattern, text, (source, tried) => {
    const settings = { ...presetSettings('open'), custom_deny_patterns: [source] }
    const script = `'${tried}'`
    const { verdict } = decide({ ...world, script }, settings, { realpath })
    return (
      patternError(source) !== null ||
      (verdict === 'deny') === [tried, script].some((one) => new RegExp(source).test(one))
    )
  })
  fc.assert(property, { numRuns, seed: 4 })
}

export async function parseKeepsItsBounds(t: Test, numRuns: number): Promise<void> {
  const pieces = fc.constantFrom(
    ...'\'"`$(){}[]|&;<>\n\t\\#!*?~=- abm1/',
    ...['$(', '<<E\n', '\nE\n', '$((', 'if ', ';then ', ';fi', 'sh -c ', 'eval '],
  )
  const shellish = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
  const any = fc.oneof(shellish, unicode(200))
  fc.assert(
    fc.property(any, (script) => parse(script).commands.length <= 3_100),
    { numRuns, seed: 4 },
  )
  const random = createRandom(4)
  for (let index = 0; index < numRuns; index += 1) parse(randomScript(random))
  for (const script of ['$('.repeat(20_000), '"$('.repeat(2_000), 'ls;'.repeat(10_000), `${'eval '.repeat(500)}ls`]) {
    t.ok(parse(script).opaque.length > 0)
  }
}

/** Runs `count` random scripts in each installed shell; `scripts/drills/drill-policy.ts` runs thousands. */
export async function parserSeesMarkers(t: Test, count: number): Promise<void> {
  const random = createRandom(11)
  const drawn: RandomRun[] = []
  for (const [name, shell] of Object.entries(shells).filter(([, argv]) => existsSync(argv[0]!))) {
    const runs: (RandomRun & { parsed: Script })[] = []
    for (let index = 0; runs.length < count; index++) {
      const run = (drawn[index] ??= randomRun(random))
      // a shell cannot read a script with a NUL from the driver script
      if (run.script.includes('\0')) continue
      const parsed = parseRun(run, name)
      if (parsed.opaque.length === 0) runs.push({ ...run, parsed })
    }
    const root = prepareFolder(shell)
    let most = 0
    await runAll({ root, shell }, runs, ({ parsed, ...run }, log) => {
      most = Math.max(most, log?.names.size ?? 0)
      const unseen = log ? unseenIn(log, parsed) : []
      if (unseen.length > 0) t.fail(`${name}: ${unseen.join(' | ')} ran without being found, in ${JSON.stringify(run)}`)
    })
    rmSync(root, { recursive: true, force: true })
    t.ok(most > 1, `${name} ran markers`)
  }
}
