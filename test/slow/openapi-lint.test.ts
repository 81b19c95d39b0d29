import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../support/helper.ts'

t.test('openapi.yaml is valid for a public linter', async (t) => {
  const args = ['lint', '--format=summary', 'openapi.yaml']
  const lint = spawnSync(join(root, 'test/slow/node_modules/.bin/redocly'), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  })
  t.equal(lint.status, 0, lint.stdout + lint.stderr)
})
