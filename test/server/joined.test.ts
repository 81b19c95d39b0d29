import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { dialects } from '../../src/server/dialects/index.ts'
import { sandboxOf, type Service, startService } from '../support/helper.ts'

interface Answer {
  tool: string
  run_id: string | null
  is_error: boolean
  output: string
}

const folder = mkdtempSync(join(tmpdir(), 'shellphone-joined-'))
writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n')

let service: Service
const call = async (dialect: string, given: object): Promise<Answer> =>
  (await (await service.post(`/exec/${dialect}`, given)).json()) as Answer

t.before(async () => {
  service = await startService({
    env: {
      OPENAI_API_KEY: 'sk-joined',
      JOINED_PATHS: `${folder}:/`,
      JOINED_INSIDE: folder,
      SHELLPHONE_WORKING_DIRECTORY: folder,
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0',
      SHELLPHONE_DIALECTS_NULLCLAW_PATH_ENV_VARS: 'JOINED_PATHS,JOINED_INSIDE',
      SHELLPHONE_DIALECTS_PICOCLAW_RESTRICT_TO_WORKSPACE: 'true',
    },
  })
})
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

t.test('GET /dialects is ready for a tool list', async (t) => {
  const { dialects: listed } = (await (await service.request('/dialects')).json()) as {
    dialects: { name: string; tool: string; parameters: object }[]
  }
  t.same(
    listed.map(({ name, tool }) => [name, tool]),
    dialects.map(({ name, tool }) => [name, tool]),
  )
  for (const { name, parameters } of listed) t.match(parameters, { type: 'object', properties: {} }, name)
})

t.test('runs each tool in its own format through the guards, the pool and the store', async (t) => {
  const cases: [string, string, object, Partial<Answer> | { output: RegExp }][] = [
    ['oneclaw', 'as POST /exec', { command: 'cat a.txt' }, { is_error: false, output: '[Exit Code: 0]\none\ntwo\n' }],
    [
      'picoclaw',
      'both streams and the exit code',
      { command: 'cat a.txt; ls missing' },
      { is_error: true, output: /^one\ntwo\n\nSTDERR:\nls: .*\nExit code: exit status 2$/s },
    ],
    [
      'picoclaw',
      'deny pattern',
      { command: 'sudo ls' },
      { is_error: true, output: 'Command blocked by safety guard (dangerous pattern detected)' },
    ],
    [
      'picoclaw',
      'outside the workspace',
      { command: 'cat /etc/passwd' },
      { is_error: true, output: 'Command blocked by safety guard (path outside working dir)' },
    ],
    [
      'picoclaw',
      'traversal',
      { command: 'cat ../../etc/passwd' },
      { is_error: true, output: 'Command blocked by safety guard (path traversal detected)' },
    ],
    ['nullclaw', 'low risk runs', { command: 'cat a.txt' }, { is_error: false, output: 'one\ntwo\n' }],
    [
      'nullclaw',
      'medium risk asks, and nobody is there',
      { command: 'touch test.txt' },
      { is_error: true, output: 'Command requires approval (medium/high risk): touch test.txt' },
    ],
    [
      'nullclaw',
      'high risk is blocked',
      { command: 'rm -rf /' },
      { is_error: true, output: 'High-risk command blocked by security policy' },
    ],
    [
      'nullclaw',
      'cwd outside',
      { command: 'ls', cwd: '/etc' },
      { is_error: true, output: 'cwd is outside allowed areas' },
    ],
    [
      'nullclaw',
      'environment: safe names alone',
      { command: 'echo "[$OPENAI_API_KEY][$JOINED_PATHS][$JOINED_INSIDE][$GIT_TERMINAL_PROMPT]"' },
      { output: `[][][${folder}][]\n` },
    ],
    [
      'agent-world',
      'quoted words',
      { command: 'echo', parameters: ["it's (x)", 'a|b'], output_format: 'json' },
      { output: /"stdout": ?"it's \(x\) a\|b\\n"/ },
    ],
    ['agent-world', 'no shell syntax', { command: 'ls && id' }, { is_error: true }],
    [
      'agent-world',
      'artifacts',
      { command: 'true', output_format: 'json', artifact_paths: ['a.txt'] },
      { output: /"bytes": ?8/ },
    ],
    ['meka', 'oversized output is kept', { command: 'seq 1 20000' }, { output: /scratchpad/ }],
    [
      'meka',
      'a name for it',
      { command: 'seq 1 3', scratchpad: 'numbers' },
      { is_error: false, output: /^Output saved to scratchpad "numbers" \(6 bytes\)/ },
    ],
    ['meka', 'no arguments', {}, { is_error: true, run_id: null }],
  ]
  const { available: sandboxes } = await sandboxOf(service)
  for (const [dialect, name, given, expected] of cases) {
    if (dialect === 'meka' && !sandboxes.includes('read-only')) {
      t.match(
        (await call(dialect, given)).is_error,
        true,
        `${dialect}: ${name}: refused, for there is no read-only sandbox`,
      )
      continue
    }
    t.match(await call(dialect, given), expected, `${dialect}: ${name}`)
  }
  if (sandboxes.includes('read-only')) {
    t.match(
      await call('meka', { command: 'echo x > written; ls' }),
      { is_error: false, output: /a\.txt/ },
      'read mode reads',
    )
    t.notMatch((await call('meka', { command: 'ls' })).output, /written/, 'and writes nothing')
    t.equal(
      await (await service.request('/scratchpads/numbers?offset=2')).text(),
      '2\n3\n',
      'the scratchpad is read again',
    )
    t.equal((await service.request('/scratchpads/no-such')).status, 404)
  }
})

t.test('replies over WebSocket, and as plain text', async (t) => {
  const socket = await service.socket()
  t.match(await socket.exec('a', { dialect: 'picoclaw', command: 'cat a.txt' }), {
    tool: 'exec',
    is_error: false,
    output: 'one\ntwo\n',
  })
  t.match(await socket.exec('b', { dialect: 'picoclaw', arguments: { command: 'cat a.txt' } }), {
    output: 'one\ntwo\n',
  })
  t.match(await socket.exec('c', { dialect: 'no-such', command: 'ls' }), {
    type: 'error',
    error: { type: 'not_found' },
  })
  await socket.close()
  const text = await service.post('/exec/nullclaw', { command: 'cat a.txt' }, { accept: 'text/plain' })
  t.equal(await text.text(), 'one\ntwo\n')
  t.equal((await service.post('/exec/no-such', {})).status, 404)
})

t.test('POST /policy/check returns the decision and the reasons', async (t) => {
  const check = async (body: object) =>
    (await (await service.post('/policy/check', body)).json()) as {
      verdict: string
      opaque: boolean
      guards: { guard: string; rule: string | null }[]
    }
  const cases: [object, object][] = [
    [{ command: 'ls -la' }, { verdict: 'allow', opaque: false }],
    [{ command: 'rm -rf /' }, { verdict: 'deny', risk: 'high' }],
    [
      { command: 'touch x', policy: { autonomy: 'supervised' } },
      { verdict: 'ask', risk: 'medium' },
    ],
    [{ command: 'touch x', policy: { autonomy: 'read_only' } }, { verdict: 'deny' }],
    [{ command: 'rm file.txt', policy: { allowed_commands: ['git', 'ls'] } }, { verdict: 'deny' }],
    [
      { dialect: 'nullclaw', arguments: { command: 'rm -rf x' } },
      { verdict: 'deny', risk: 'high' },
    ],
    [{ dialect: 'picoclaw', arguments: { command: 'git push' } }, { verdict: 'deny' }],
    [
      { command: 'x', policy: { custom_deny_patterns: ['('] } },
      { error: { type: 'validation_error', field: 'policy' } },
    ],
    [{ command: 'x', policy: { bogus: 1 } }, { error: { type: 'validation_error' } }],
    [{ bogus: 1 }, { error: { type: 'validation_error', field: 'bogus' } }],
  ]
  for (const [body, expected] of cases) t.match(await check(body), expected, JSON.stringify(body))
  const { guards } = await check({ command: 'ls' })
  const names = ['catastrophic', 'phone', 'deny-patterns', 'allowlist', 'risk', 'workspace', 'single-command', 'rate']
  t.same([...new Set(guards.map(({ guard }) => guard))].sort(), names.sort(), 'every guard is listed')
})

t.test("counts a dialect's actions within an hour", async (t) => {
  const strict = await startService({ env: { SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '2' } })
  t.teardown(() => strict.stop())
  const outputs: string[] = []
  for (let call = 0; call < 3; call++) {
    outputs.push(((await (await strict.post('/exec/nullclaw', { command: 'echo on' })).json()) as Answer).output)
  }
  t.same(outputs.slice(0, 2), ['on\n', 'on\n'])
  t.match(outputs[2], /hour|rate/i)
})
