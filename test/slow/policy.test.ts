/** The random tests of test/server/policy/policy.test.ts, with more runs. */
import t from 'tap'
import { parse } from '../../src/server/policy/index.ts'
import { parseKeepsItsBounds, parserSeesMarkers, patternsMatchAsRegExp } from '../server/policy/random-tests.ts'
import { cannotContain } from '../server/policy/run-shells.ts'

t.test('patterns match as RegExp does', (t) => patternsMatchAsRegExp(t, 5_000))

t.test('parse never throws and stays within its limits', (t) => parseKeepsItsBounds(t, 10_000))

t.test('no word costs more than its length explains', (t) => {
  const costOf = (script: string) => {
    const before = process.cpuUsage()
    parse(script, { HOME: '/home/u', PWD: '/home/u' })
    return process.cpuUsage(before).user / 1000
  }
  const plainMs = costOf(`ls ${'ab'.repeat(32_000)}`)
  for (const word of ['[a', '{a', '$a', '"a"', 'a=']) {
    const ownMs = costOf(`ls ${word.repeat(64_000 / word.length)}`)
    t.ok(ownMs < 10 * plainMs + 250, `${word} repeated: ${ownMs} ms of CPU; a plain word: ${plainMs} ms`)
  }
  t.end()
})

t.test('the parser finds every marker that a shell ran', { skip: cannotContain ?? false }, (t) =>
  parserSeesMarkers(t, 400),
)
