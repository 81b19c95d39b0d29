import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { openapiDocument } from '../scripts/openapi-document.ts'
import { root } from './helper.ts'

t.test('openapi.yaml is what the routes say', async (t) => {
  t.equal(readFileSync(`${root}/openapi.yaml`, 'utf8'), await openapiDocument(), 'npm run docs has been run')
})

t.test('shapes that have a name are described once', async (t) => {
  const text = readFileSync(`${root}/openapi.yaml`, 'utf8')
  const { schemas } = parse(text).components as { schemas: Record<string, object> }
  for (const name of ['ExecRequest', 'ExecRecord', 'Decision', 'Approval', 'Error', 'Health']) {
    t.ok(schemas[name], name)
    t.match(text, `$ref: "#/components/schemas/${name}"`)
  }
})

t.test('openapi.yaml is valid for a public linter', async (t) => {
  const args = ['redocly', 'lint', '--format=summary', 'openapi.yaml']
  const lint = spawnSync('npx', ['--no-install', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  })
  t.equal(lint.status, 0, lint.stdout + lint.stderr)
})
