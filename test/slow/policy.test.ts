/** The random tests of test/server/policy/policy.test.ts, with more runs. */
import t from 'tap'
import { parseKeepsItsBounds, parserSeesMarkers, patternsMatchAsRegExp } from '../server/policy/random-tests.ts'
import { cannotContain } from '../server/policy/run-shells.ts'

t.test('patterns match as RegExp does', (t) => patternsMatchAsRegExp(t, 5_000))

t.test('parse never throws and stays within its limits', (t) => parseKeepsItsBounds(t, 10_000))

t.test('the parser finds every marker that a shell ran', { skip: cannotContain ?? false }, (t) =>
  parserSeesMarkers(t, 400),
)
