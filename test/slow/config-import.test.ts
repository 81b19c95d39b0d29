import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../support/helper.ts'

const folder = t.testdir()
const home = join(folder, 'home')
mkdirSync(home)

/** Runs `shellphone config import` on a file with this text. */
function importFile(name: string, text: string, ...more: string[]) {
  writeFileSync(join(folder, name), text)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'dist/main.js'), 'config', 'import', name, ...more],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: '/home/me', SHELLPHONE_HOME: home }, encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

/** The settings that the file becomes, and what is left. */
function imported(name: string, text: string, ...more: string[]) {
  const { status, stdout, stderr } = importFile(name, text, '--json', ...more)
  return status === 0 ? JSON.parse(stdout) : { status, stderr }
}

t.test("reads each system's own file", async (t) => {
  const rows: [name: string, text: string, expected: object][] = [
    [
      'picoclaw.yaml',
      'tools:\n  exec:\n    enable_deny_patterns: true\n    custom_deny_patterns:\n      - "\\\\bmycriticalcmd\\\\b"\n      - "\\\\bdangerous-operation\\\\b"\n',
      {
        system: 'picoclaw',
        settings: {
          'dialects.picoclaw.enable_deny_patterns': true,
          'dialects.picoclaw.custom_deny_patterns': ['\\bmycriticalcmd\\b', '\\bdangerous-operation\\b'],
        },
      },
    ],
    [
      'picoclaw.json',
      '{"agents":{"defaults":{"workspace":"~/w","restrict_to_workspace":true,"model":"x"}},"tools":{"exec":{"timeout_seconds":300,"allow_remote":true,"colour":1}},"channels":{"a":{"b":1,"c":2}}}',
      {
        settings: {
          'dialects.picoclaw.workspace': '/home/me/w',
          'dialects.picoclaw.restrict_to_workspace': true,
          'dialects.picoclaw.timeout_seconds': 300,
        },
        noEquivalent: [{ key: 'tools.exec.allow_remote' }],
        unknown: ['agents.defaults.model', 'tools.exec.colour', 'channels'],
      },
    ],
    [
      'nullclaw.json',
      '{"autonomy":"supervised","workspace_dir":"/workspace","allowed_commands":["git","ls"],"require_approval_for_medium_risk":true,"block_high_risk_commands":true,"tracker":{"max":1},"timeout_ns":60000000000}',
      {
        system: 'nullclaw',
        settings: {
          'dialects.nullclaw.autonomy': 'supervised',
          'dialects.nullclaw.workspace_dir': '/workspace',
          'dialects.nullclaw.allowed_commands': ['git', 'ls'],
          'dialects.nullclaw.require_approval_for_medium_risk': true,
          'dialects.nullclaw.block_high_risk_commands': true,
          'dialects.nullclaw.timeout_ns': 60_000_000_000,
        },
        noEquivalent: [{ key: 'tracker.max' }],
        unknown: [],
      },
    ],
    [
      'nullclaw.toml',
      '[policy]\nautonomy = "full"\n[tools]\nshell_timeout_secs = 5\n',
      { settings: { 'dialects.nullclaw.autonomy': 'full', 'dialects.nullclaw.timeout_ns': 5_000_000_000 } },
    ],
    [
      'no-policy.json',
      '{"workspace_dir":"/w","policy":null}',
      { settings: { 'dialects.nullclaw.workspace_dir': '/w', 'dialects.nullclaw.policy': false } },
    ],
    [
      'world.json',
      '{"name":"w","variables":"working_directory=/data\\ntool_permission = ask\\n"}',
      {
        system: 'agent-world',
        settings: {
          'dialects.agent-world.working_directory': '/data',
          'dialects.agent-world.tool_permission': 'ask',
        },
        unknown: ['name'],
      },
    ],
    [
      'meka.toml',
      '[shell]\nsandbox = false\n',
      { system: 'meka', settings: { 'dialects.meka.sandbox': false }, noEquivalent: [], unknown: [] },
    ],
    [
      'oneclaw.yml',
      'exec:\n  timeout_seconds: 60\n  max_length: "20000"\n  working_directory: ~\n',
      { system: 'oneclaw', status: 2, stderr: /working_directory/ },
    ],
    [
      'oneclaw.yaml',
      'exec:\n  timeout_seconds: 60\n  max_length: "20000"\n',
      { system: 'oneclaw', settings: { timeout_seconds: 60, max_length: 20_000 } },
    ],
  ]
  for (const [name, text, expected] of rows) {
    const { system: _, ...rest } = expected as { system?: string }
    t.match(imported(name, text), 'status' in expected ? rest : expected, name)
  }
})

t.test('refuses a file that it cannot read, and says why', async (t) => {
  const rows: [name: string, text: string, expected: RegExp, ...more: string[]][] = [
    ['a.ini', 'a=1', /a\.ini: expected a file with the extension \.yaml, \.yml, \.toml or \.json/],
    ['a.json', '{"tools":', /a\.json: .*JSON/],
    ['a.toml', '[shell\nsandbox = false', /a\.toml: Invalid TOML document/],
    ['a.yaml', 'tools: [', /a\.yaml: /],
    ['list.json', '[1]', /list\.json: expected keys with values, got/],
    ['empty.yaml', '', /empty\.yaml: expected keys with values, got null/],
    [
      'strange.json',
      '{"a":1}',
      /no key belongs to oneclaw, picoclaw, nullclaw, agent-world, meka; name the system with --from/,
    ],
    [
      'both.json',
      '{"shell":{"sandbox":true},"autonomy":"full"}',
      /belong to nullclaw and to meka; choose one with --from/,
    ],
    [
      'type.toml',
      '[shell]\nsandbox = "maybe"\n',
      /dialects\.meka\.sandbox: expected true or false, got "maybe" \(from type\.toml, shell\.sandbox\)/,
    ],
    ['value.json', '{"autonomy":"yolo"}', /dialects\.nullclaw\.autonomy: expected .*got "yolo"/],
    ['pattern.yaml', 'tools: {exec: {custom_deny_patterns: ["("]}}', /dialects\.picoclaw\.custom_deny_patterns\[0\]/],
    [
      'twice.json',
      '{"autonomy":"full","policy":{"autonomy":"full"}}',
      /policy\.autonomy and autonomy both set dialects\.nullclaw\.autonomy/,
    ],
    ['huge.json', `{"a":"${'x'.repeat(1_100_000)}"}`, /expected at most 1048576 bytes/],
    ['deep.json', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, /no key belongs to/],
    ['from.json', '{"a":1}', /--from: expected oneclaw, .*, got hermes/, '--from', 'hermes'],
  ]
  for (const [name, text, expected, ...more] of rows) {
    const { status, stdout, stderr } = importFile(name, text, ...more)
    t.match({ status, stdout, stderr }, { status: 2, stdout: '', stderr: expected }, name)
    t.equal(stderr.trim().split('\n').length, 1, `${name}: one line`)
  }
  t.match(importFile('other.json', '{"a":1}', 'more'), {
    status: 2,
    stderr: /config import: expected FILE, got other\.json more/,
  })
  t.same(readdirSync(home), [], 'nothing is written')
})

t.test('prints lines of config.yaml, and writes them only with --write', async (t) => {
  const file = join(home, 'config.yaml')
  const text = 'tools:\n  exec:\n    enable_deny_patterns: false\n    colour: red\n'
  const first = importFile('p.yaml', text)
  const lines = '# picoclaw, from p.yaml\ndialects:\n  picoclaw:\n    enable_deny_patterns: false\n'
  t.match(first, { status: 0, stdout: lines, stderr: 'tools.exec.colour: unknown key of picoclaw, ignored\n' })
  t.same(readdirSync(home), [])
  t.match(importFile('p.yaml', text, '--write'), { status: 0, stdout: lines, stderr: /written to .*config\.yaml\n$/ })
  t.equal(readFileSync(file, 'utf8'), lines.slice(lines.indexOf('\n') + 1))
  t.equal(statSync(file).mode & 0o777, 0o600)

  writeFileSync(
    file,
    '# mine\nport: 9000\ndialects.meka.sandbox: true\ndialects:\n  picoclaw:\n    timeout_seconds: 5 # short\n',
  )
  t.equal(importFile('m.toml', '[shell]\nsandbox = false\n', '--write').status, 0)
  t.equal(importFile('p.yaml', text, '--write').status, 0)
  t.equal(
    readFileSync(file, 'utf8'),
    '# mine\nport: 9000\ndialects:\n  picoclaw:\n    timeout_seconds: 5 # short\n    enable_deny_patterns: false\n  meka:\n    sandbox: false\n',
    'the other lines and the comments stay',
  )
  t.same(readdirSync(home), ['config.yaml'])
  const mixed = 'dialects:\n  meka.sandbox: true\n'
  writeFileSync(file, mixed)
  t.match(importFile('m.toml', '[shell]\nsandbox = false\n', '--write'), { status: 2, stderr: /set in several ways/ })
  t.equal(readFileSync(file, 'utf8'), mixed, 'and the file stays as it was')
})
