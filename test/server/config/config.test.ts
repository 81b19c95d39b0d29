import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { environmentName, flagName, type Settings } from '../../../src/server/config/index.ts'
import { allSettings, readConfig } from '../../../src/server/settings.ts'
import { root } from '../../support/helper.ts'

const machine = { platform: 'linux' as const, home: '/home/you', prefix: undefined }
const rows = allSettings(machine)

async function read(yaml: string | null, env: Record<string, string> = {}, flags: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-config-'))
  if (yaml !== null) writeFileSync(join(home, 'config.yaml'), yaml)
  try {
    return await readConfig({ SHELLPHONE_HOME: home, ...env }, new Map(Object.entries(flags)), machine)
  } finally {
    rmSync(home, { recursive: true })
  }
}

t.test('defaults < config.yaml < environment < flags', async (t) => {
  const port = async (...given: Parameters<typeof read>) => (await read(...given)).settings.port
  t.equal(await port(null), 8029)
  t.equal(await port('port: 1\n'), 1)
  t.equal(await port('port: 1\n', { SHELLPHONE_PORT: '2' }), 2)
  t.equal(await port('port: 1\n', { SHELLPHONE_PORT: '2' }, { port: '3' }), 3)
})

t.test('accepts the config.yaml in the README', async (t) => {
  const readme = readFileSync(join(root, 'src/server/config/README.md'), 'utf8')
  const { settings } = await read(/```yaml\n(.*?)```/s.exec(readme)![1]!)
  t.match(settings, { host: '0.0.0.0', policy: 'supervised', 'dialects.meka.permission': 'write' })
})

t.test('parses values from the environment', async (t) => {
  const cases: [string, Record<string, string>, Partial<Settings>][] = [
    ['numbers', { SHELLPHONE_MAX_RUNNING: '3' }, { max_running: 3 }],
    ['fractions', { SHELLPHONE_TIMEOUT_SECONDS: '0.5' }, { timeout_seconds: 0.5 }],
    ['booleans', { SHELLPHONE_HISTORY: 'false' }, { history: false }],
    ['lists with commas', { SHELLPHONE_ALLOWED_HOSTS: 'a,b' }, { allowed_hosts: ['a', 'b'] }],
    ['lists as JSON', { SHELLPHONE_ALLOWED_HOSTS: '["a","b"]' }, { allowed_hosts: ['a', 'b'] }],
  ]
  for (const [name, env, expected] of cases) t.match((await read(null, env)).settings, expected, name)
})

t.test('reports a wrong or unknown setting in one line', async (t) => {
  const cases: [string, string | null, Record<string, string>, Record<string, string>, RegExp][] = [
    [
      'wrong type',
      null,
      { SHELLPHONE_PORT: 'soon' },
      {},
      /^setting port: expected an integer from 0 to 65535, got "soon" \(from environment\)$/,
    ],
    [
      'out of range',
      null,
      {},
      { 'max-running': '0' },
      /^setting max_running: expected an integer from 1 to 256, got 0 \(from flags\)$/,
    ],
    [
      'not one of',
      'environment: none\n',
      {},
      {},
      /^setting environment: expected one of "filtered", "minimal", "full", got "none" \(from .*config.yaml\)$/,
    ],
    ['not a boolean', null, { SHELLPHONE_HISTORY: 'yes' }, {}, /^setting history: expected true or false, got "yes"/],
    ['item of a list', 'allowed_hosts: [1]\n', {}, {}, /^setting allowed_hosts.0: expected a string/],
    [
      'unknown in the file',
      'prot: 1\n',
      {},
      {},
      /^setting prot: unknown \(from .*config.yaml\); list all settings with shellphone help settings$/,
    ],
    [
      'unknown in the environment',
      null,
      { SHELLPHONE_PROT: '1' },
      {},
      /^setting SHELLPHONE_PROT: unknown \(from environment\)/,
    ],
    ['broken YAML', 'port: [\n', {}, {}, /config.yaml: expected YAML: .* at line 2, column 1$/],
    ['not settings', '- a\n', {}, {}, /config.yaml: expected settings as "name: value"/],
  ]
  for (const [name, yaml, env, flags, message] of cases) {
    await t.rejects(read(yaml, env, flags), { message }, name)
  }
})

t.test('every row is complete and has unique names', async (t) => {
  for (const row of rows) t.ok(row.meaning.length > 10 && /^[a-z_.-]+$/.test(row.name), row.name)
  for (const nameOf of [environmentName, flagName]) {
    t.equal(new Set(rows.map((row) => nameOf(row.name))).size, rows.length)
  }
})
