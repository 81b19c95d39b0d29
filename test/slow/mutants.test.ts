import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { withFault } from '../../scripts/drills/mutant.ts'
import { mutants } from '../../scripts/drills/mutants.ts'
import { root } from '../support/helper.ts'

t.test('the text that each mutant replaces occurs exactly once', async (t) => {
  for (const row of mutants) {
    t.doesNotThrow(() => withFault(readFileSync(join(root, row.file), 'utf8'), row), `${row.file}: ${row.what}`)
  }
})

t.test('finds a mutant whose source has changed', async (t) => {
  const row = { what: 'nothing is counted', file: 'counter.ts', find: 'count++', replace: '', by: 'counter > counts' }
  t.equal(withFault('let count = 0; count++', row), 'let count = 0; ')
  t.throws(() => withFault('let count = 0; count += 1', row), /counter\.ts: nothing is counted: found 0 times/)
  t.throws(() => withFault('count++; count++', row), /found 2 times/)
})
