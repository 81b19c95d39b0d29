import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../support/helper.ts'

t.test('a public linter accepts openapi.yaml', async (t) => {
  const args = ['lint', '--format=summary', 'openapi.yaml']
  const lint = spawnSync(join(root, 'test/slow/node_modules/.bin/redocly'), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  })
  t.equal(lint.status, 0, lint.stdout + lint.stderr)
})
