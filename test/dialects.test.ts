import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import {
  canonicalText,
  type Dialect,
  type DialectRequest,
  dialectNamed,
  dialectNames,
  dialects,
  type Ended,
  type Outcome,
  settingsOf,
  type World,
} from '../src/dialects/index.ts'

const folders = ['/', '/home/user', '/workspace', '/workspace/src', '/workspace-other', '/data', '/etc', '/world']
const links: Record<string, string> = { '/workspace/link': '/etc', '/world/link': '/etc', '/workspace/../etc': '/etc' }
const real = new Map([...folders, '/home', '/worlds', '/world/sub'].map((path) => [path, path]))

const world: World = {
  home: '/home/user',
  defaultWorkingDirectory: '/home/user',
  realpath: (path) => links[path] ?? real.get(path) ?? null,
  noReadOnlyBox: null,
}

/** A quiet success, but for what the example says of it. */
const ended = (result: Partial<Ended>, command: string): Ended => ({
  id: '01HXYZABCDEF',
  status: 'completed',
  exit_code: 0,
  signal: null,
  stdout: '',
  stderr: '',
  stdout_bytes: Buffer.byteLength(result.stdout ?? ''),
  stderr_bytes: Buffer.byteLength(result.stderr ?? ''),
  truncated: false,
  command,
  working_directory: '/home/user',
  timeout_seconds: 30,
  duration_ms: 4,
  started_at: '2026-03-01T12:00:00.000Z',
  artifacts: [],
  decision: { verdict: 'allow', rule: null, reason: null },
  ...result,
})

const requestOf = (dialect: Dialect, given: unknown, settings: Record<string, unknown>, place = world) => {
  const answer = dialect.toRequest(given, settingsOf(dialect, settings), place)
  return 'request' in answer ? { ...answer, refusal: undefined } : { request: undefined, ...answer }
}

const picked = (request: DialectRequest | undefined, wanted: Partial<DialectRequest>) =>
  request && Object.fromEntries(Object.keys(wanted).map((key) => [key, request[key as keyof DialectRequest]]))

for (const dialect of dialects) {
  t.test(`${dialect.name}: every example`, async (t) => {
    for (const example of dialect.examples) {
      const { expect, settings = {}, result } = example
      const answer = requestOf(dialect, example.arguments, settings, { ...world, ...example.world })
      t.equal(answer.refusal, expect.refusal, example.name)
      if (expect.request) t.same(picked(answer.request, expect.request), expect.request, `${example.name}: request`)
      if (!result) continue
      const outcome: Outcome = 'problem' in result ? result : { ended: ended(result, answer.request?.command ?? '') }
      const text = dialect.toText(outcome, example.arguments, settingsOf(dialect, settings), world)
      if (expect.output !== undefined) t.equal(text.output, expect.output, `${example.name}: output`)
      if (expect.is_error !== undefined) t.equal(text.is_error, expect.is_error, `${example.name}: is_error`)
    }
  })
}

t.test('every example shows something, under a name of its own', async (t) => {
  for (const { name, examples } of dialects) {
    const idle = examples.filter(({ expect }) => Object.values(expect).every((wanted) => wanted === undefined))
    t.same(idle, [], name)
    t.equal(new Set(examples.map((example) => example.name)).size, examples.length, `${name}: names`)
  }
})

/** The seeds' parameter tables: name, type, default, required. */
const seedParameters: Record<string, [string, string, unknown, boolean][]> = {
  oneclaw: [
    ['command', 'string', undefined, true],
    ['timeout_seconds', 'integer', 30, false],
    ['working_directory', 'string', undefined, false],
    ['max_length', 'integer', 50_000, false],
  ],
  picoclaw: [
    ['command', 'string', undefined, true],
    ['working_dir', 'string', undefined, false],
  ],
  nullclaw: [
    ['command', 'string', undefined, true],
    ['cwd', 'string', undefined, false],
  ],
  'agent-world': [
    ['command', 'string', undefined, true],
    ['parameters', 'array', [], false],
    ['directory', 'string', undefined, false],
    ['timeout', 'number', 600_000, false],
    ['output_format', 'string', 'markdown', false],
    ['output_detail', 'string', 'minimal', false],
    ['artifact_paths', 'array', [], false],
  ],
  meka: [
    ['command', 'string', undefined, true],
    ['timeout_ms', 'integer', 30_000, false],
    ['scratchpad', 'string', undefined, false],
  ],
}

t.test('names, tools and parameters are those of the seeds, ready for a tool list', async (t) => {
  t.same(
    dialects.map(({ name, tool }) => [name, tool]),
    [
      ['oneclaw', 'exec'],
      ['picoclaw', 'exec'],
      ['nullclaw', 'shell'],
      ['agent-world', 'shell_cmd'],
      ['meka', 'execute_command'],
    ],
  )
  t.same(
    dialects.map(({ name }) => name),
    dialectNames,
  )
  for (const { name, description, parameters } of dialects) {
    const schema = JSON.parse(JSON.stringify(parameters))
    const rows = Object.entries<{ type: string; default?: unknown; description: string }>(schema.properties)
    t.same(
      rows.map(([field, row]) => [field, row.type, row.default, schema.required.includes(field)]),
      seedParameters[name],
      name,
    )
    t.ok(description && rows.every(([, row]) => row.description), `${name}: described`)
  }
  t.equal(dialectNamed('meka')?.tool, 'execute_command')
  t.equal(dialectNamed('bash'), undefined)
})

/** The seeds' own configuration keys and defaults. */
const seedSettings: Record<string, Record<string, unknown>> = {
  oneclaw: {},
  picoclaw: {
    enable_deny_patterns: true,
    custom_deny_patterns: [],
    custom_allow_patterns: [],
    restrict_to_workspace: false,
    workspace: '',
    timeout_seconds: 60,
  },
  nullclaw: {
    workspace_dir: '',
    allowed_paths: [],
    timeout_ns: 60_000_000_000,
    max_output_bytes: 1_048_576,
    autonomy: 'supervised',
    allowed_commands: [],
    require_approval_for_medium_risk: true,
    block_high_risk_commands: true,
    max_actions_per_hour: 20,
    path_env_vars: [],
  },
  'agent-world': { working_directory: '', tool_permission: 'auto' },
  meka: { permission: 'read', sandbox: true },
}

t.test('settings are the keys of the seeds, each with a meaning', async (t) => {
  for (const dialect of dialects) {
    t.same(settingsOf(dialect), seedSettings[dialect.name], dialect.name)
    for (const row of dialect.settings) t.ok(row.meaning && row.schema.type, `${dialect.name}.${row.name}`)
  }
})

/** What a shell makes of the script: the words that a command gets, one NUL after each. */
const wordsOf = ([shell = '', ...applet]: string[], script: string): string[] =>
  spawnSync(shell, [...applet, '-c', script], { encoding: 'utf8', maxBuffer: 1 << 24 })
    .stdout.split('\0')
    .slice(0, -1)

/** Every shell of this machine that may stand behind `sh`. */
const shells = [['/bin/sh'], ['/bin/dash'], ['/bin/bash'], ['/bin/mksh'], ['/bin/busybox', 'sh']].filter(([path]) =>
  existsSync(path!),
)

t.test('agent-world: a real shell gets each parameter as exactly one literal word', async (t) => {
  const agentWorld = dialectNamed('agent-world')!
  const word = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom("it's", '(x)', 'a|b', '#x', '', '$HOME', '*', '~', '\\', '"', "'", '!', 'a\n', '{a,b}', '-n', '%s'),
    fc.stringMatching(/^[ -~\n\t]*$/),
  )
  const tried = { words: 0 }
  const property = fc.property(fc.array(word, { minLength: 15, maxLength: 40 }), (list) => {
    const parameters = [
      '%s\\0',
      ...list.filter((token) => !token.includes('\0') && Buffer.from(token).toString() === token),
    ]
    const { request } = requestOf(agentWorld, { command: 'printf', parameters }, {})
    if (!request) return
    tried.words += parameters.length - 1
    if (parameters.length > 1) {
      for (const shell of shells) t.same(wordsOf(shell, request.command), parameters.slice(1), shell.join(' '))
    }
  })
  fc.assert(property, { numRuns: 30 })
  t.ok(tried.words > 300, `${tried.words} words`)
})

t.test('nothing that an agent sends makes a dialect throw or hand on what is not a request', async (t) => {
  const field = fc.constantFrom(...Object.values(seedParameters).flatMap((rows) => rows.map(([name]) => name)))
  const given = fc.oneof(fc.anything(), fc.dictionary(field, fc.oneof(fc.anything(), fc.string(), fc.constant('ls'))))
  const property = fc.property(given, (sent) => {
    for (const dialect of dialects) {
      const { request, refusal } = requestOf(dialect, sent, {})
      if (request ? typeof request.command !== 'string' || !request.command.trim() : !refusal) return false
      const text = dialect.toText({ ended: ended({}, 'ls') }, sent, settingsOf(dialect), world)
      if (typeof text.output !== 'string' || text.is_error) return false
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }))
})

t.test('canonical text is what POST /exec answers', async (t) => {
  t.equal(canonicalText(ended({ stdout: 'a' }, 'x')), '[Exit Code: 0]\na')
  const oneclaw = dialectNamed('oneclaw')!
  const property = fc.property(fc.string(), fc.string(), fc.integer({ min: 0, max: 255 }), (stdout, stderr, code) => {
    const run = ended({ stdout, stderr, exit_code: code, status: code === 0 ? 'completed' : 'failed' }, 'x')
    const { output, is_error } = oneclaw.toText({ ended: run }, {}, {}, world)
    const first = `[Exit Code: ${code}]\n`
    return !is_error && output === canonicalText(run) && output.startsWith(first + stdout) && output.endsWith(stderr)
  })
  t.doesNotThrow(() => fc.assert(property))
})
