import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { launcherHeader } from '../../../scripts/docs/launcher-header.ts'
import { root } from '../../support/helper.ts'

const folder = join(root, 'src/server/spawn/launcher')
const header = readFileSync(join(folder, 'protocol.h'), 'utf8')
const names = [...header.matchAll(/#define (\w+)|(\w+) = \d/g)].map(([, macro, constant]) => macro ?? constant!)

t.test('protocol.h matches launcher-numbers.ts', async (t) => {
  t.equal(header, launcherHeader(), 'npm run docs has been run')
  t.ok(names.length > 50, `${names.length} numbers`)
})

t.test('no other file of the launcher repeats these numbers', async (t) => {
  const defined = new RegExp(`(?:#define (?:${names.join('|')})\\b|\\b(?:${names.join('|')}) = \\d)`)
  const others = readdirSync(folder).filter((name) => name !== 'protocol.h')
  t.same(
    others.filter((name) => defined.test(readFileSync(join(folder, name), 'utf8'))),
    [],
  )
  t.match('#define KILL_MS 2', defined, 'one that does would be found')
})
