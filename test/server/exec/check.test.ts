/** POST /policy/check and its guards: what they read and report for each caller. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord, NewToken, TokenInput } from '../../../src/shared/schema/index.ts'
import { type Service, startService, until } from '../../support/helper.ts'

const folder = t.testdir()
const workspace = join(folder, 'workspace')
mkdirSync(workspace)
const secret = join(folder, 'secret.txt')
const scriptOf = (name: string, text: string) => {
  writeFileSync(join(workspace, name), text)
  return join(workspace, name)
}

const service = await startService({
  env: {
    SHELLPHONE_WORKING_DIRECTORY: workspace,
    SHELLPHONE_MAX_RUNNING: '1',
    SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '30',
  },
})
t.teardown(() => service.stop())

async function tokenOf(input: TokenInput): Promise<string> {
  return ((await (await service.post('/tokens', input)).json()) as NewToken).token
}
const agent = await tokenOf({ name: 'agent' })
const strict = await tokenOf({ name: 'strict', policy: 'strict' })

/** Sends a request with `token` (default: the owner's). */
async function as(token: string | undefined, path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body), ...(token && { token }) }
  const answer = await service.request(path, init)
  const text = await answer.text()
  return { status: answer.status, text, json: JSON.parse(text) }
}

t.test('only people may pass hypothetical settings', async (t) => {
  writeFileSync(secret, 'sesame --open the door\n')
  const question = { command: `sh ${secret}`, policy: { policy: 'open', allowed_commands: ['sh'] } }
  const dialect = { dialect: 'picoclaw', arguments: { command: 'ls' }, policy: { policy: 'open' } }
  for (const body of [question, dialect]) {
    const { status, text, json } = await as(agent, '/policy/check', body)
    t.equal(status, 403)
    t.match(json, { error: { type: 'forbidden', field: 'policy', message: /^policy: only / } })
    t.notMatch(text, /sesame/)
    t.equal((await as(undefined, '/policy/check', body)).status, 200, 'the owner may')
  }
  t.match(await as(agent, '/policy/check', { command: 'rm -rf /' }), { status: 200, json: { verdict: 'deny' } })
})

t.test('a syntax error is named where the shell is certain to report one', async (t) => {
  const errors = {
    'if true; then': "expected 'fi' to close 'if'",
    'echo "open': 'unterminated double quote',
    'ls |': "expected command after '|'",
    'echo $((1+': null,
    'if true; then ls; fi': null,
  }
  for (const [command, syntax_error] of Object.entries(errors)) {
    t.match(await as(agent, '/policy/check', { command }), { status: 200, json: { syntax_error } }, command)
  }
})

t.test('a finding in a script file shows the file and line, never its text', async (t) => {
  const script = scriptOf(
    'lines.sh',
    'ls\n\nsecret-word --of x\nsh -c "\nother-word --of y"\nf() {\n  third-word --of z\n}\n',
  )
  const words = scriptOf('words.txt', 'fourth-word --of w\n')
  const set = scriptOf('set.sh', 'code="fifth-word --of v"\n')
  const rows: [string, unknown[]][] = [
    [`sh ${script}`, [`${script}:3`, `${script}:4`, `${script}:7`]],
    [`. ${script}; f`, [`${script}:3`, `${script}:4`, `${script}:7`, 'f']],
    [`xargs < ${words}`, []],
    [`cat ${words} | xargs env`, []],
    [`. ${set}; eval "$code"`, [null]],
    ['secret-word --of mine', ['secret-word --of mine']],
  ]
  for (const [command, expected] of rows) {
    const policy = { policy: 'open', allowed_commands: ['sh', '.', 'cat', 'xargs', 'env', 'eval', 'ls'] }
    const { text, json } = await as(undefined, '/policy/check', { command, policy })
    const findings = json.guards.filter(({ rule }: { rule: string }) => rule === 'not-listed')
    const places = [...new Set(findings.map((one: { command: unknown }) => one.command))]
    t.same(places, expected, command)
    if (!command.includes('mine')) t.notMatch(text, /(?:secret|other|third|fourth|fifth)-word/, command)
  }
})

t.test('reads a file for judging only if the guards let the caller read it', async (t) => {
  scriptOf('inside.sh', 'sudo ls\n')
  writeFileSync(join(folder, 'outside.sh'), 'sudo ls\n')
  symlinkSync(join(folder, 'outside.sh'), join(workspace, 'link.sh'))
  const rulesOf = async (token: string | undefined, command: string) => {
    const { json } = await as(token, '/policy/check', { command })
    return json.guards.map(({ rule }: { rule: string }) => rule)
  }
  t.ok((await rulesOf(strict, 'sh inside.sh')).includes('sudo'), 'allowed in the workspace')
  for (const command of [
    'sh ../outside.sh',
    `. ${folder}/outside.sh`,
    'sh link.sh',
    'sh < link.sh',
    'cat link.sh | sh',
  ]) {
    const rules = await rulesOf(strict, command)
    t.notOk(rules.includes('sudo'), `${command}: ${rules}`)
    t.ok(rules.includes('path-outside') || rules.includes('path-traversal'), `${command} is refused for its path`)
  }
})

t.test('limits the number and cost of patterns', async (t) => {
  const pattern = '(a|b|7){1,900}x{1,900}.?'
  const many = Array.from({ length: 1000 }, (_, index) => `${pattern}${index}`)
  const rows: [unknown, RegExp][] = [
    [many, /custom_deny_patterns: expected at most 100 patterns, got 1000/],
    [['(?:ab){700}'], /custom_deny_patterns\[0\]: expands to \d+ steps, more than 2000/],
    [['((((a{9}){9}){9}){9})'], /custom_deny_patterns: expected at most 5000 steps in all patterns together, got \d+/],
    [
      Array(50).fill('[ab]{900}'),
      /custom_deny_patterns: expected at most 5000 steps in all patterns together, got \d+/,
    ],
  ]
  for (const [custom_deny_patterns, message] of rows) {
    const body = { command: 'echo ab7', policy: { custom_deny_patterns } }
    t.match(await as(undefined, '/policy/check', body), { status: 400, json: { error: { field: 'policy', message } } })
  }
  // a pattern in the command is bounded as well, and one that cannot be tried may match the service
  const kill = await as(agent, '/policy/check', { command: "pkill -f '(n|x){1,900}(o|x){1,900}de'" })
  t.match(kill.json, { verdict: 'deny' })
})

t.test('the workspace comes from the settings, never from the request', async (t) => {
  scriptOf('mine.txt', 'mine\n')
  const elsewhere = { status: 403, json: { status: 'denied', decision: { verdict: 'deny' } } }
  const readShadow = { command: 'cat /etc/shadow', working_directory: '/' }
  t.match(await as(strict, '/exec', readShadow), elsewhere)
  t.match(await as(strict, '/exec', { command: 'ls', working_directory: '/' }), {
    ...elsewhere,
    json: { decision: { rule: 'cwd-outside' } },
  })
  t.match(await as(strict, '/exec', { command: 'cat mine.txt' }), { status: 200, json: { stdout: 'mine\n' } })
  const dialects: [string, object][] = [
    ['oneclaw', readShadow],
    ['picoclaw', { command: 'cat /etc/shadow', working_dir: '/' }],
    ['nullclaw', { command: 'cat /etc/shadow', cwd: '/' }],
    ['agent-world', { command: 'cat', parameters: ['/etc/shadow'], directory: '/' }],
    ['meka', { command: 'cd / && cat /etc/shadow' }],
  ]
  for (const [dialect, body] of dialects) {
    const { json } = await as(strict, `/exec/${dialect}`, body)
    t.match(json, { is_error: true }, dialect)
    t.notMatch(json.output, /root:/, dialect)
  }
  t.match(await as(strict, '/policy/check', readShadow), { status: 200, json: { verdict: 'deny' } })
})

t.test("a token's preset keeps the owner's workspace and allowed paths", async (t) => {
  const own = join(folder, 'own')
  const more = join(folder, 'more')
  for (const one of [own, more]) mkdirSync(one)
  const settings = { SHELLPHONE_WORKSPACE_DIR: own, SHELLPHONE_ALLOWED_PATHS: more, SHELLPHONE_WORKING_DIRECTORY: own }
  const other = await startService({ env: settings })
  t.teardown(() => other.stop())
  const made = (await (await other.post('/tokens', { name: 'strict', policy: 'strict' })).json()) as NewToken
  const check = (token: string | undefined, body: object) => verdictOf(other, token, body)
  for (const [command, verdict] of [
    [`ls ${own}`, 'allow'],
    [`ls ${more}`, 'allow'],
    [`ls ${workspace}`, 'deny'],
  ] as const) {
    t.equal(await check(made.token, { command }), verdict, command)
    t.equal(await check(undefined, { command, policy: { policy: 'strict' } }), verdict, `${command}: supposed`)
  }
  t.equal(await check(made.token, { command: 'ls', working_directory: workspace }), 'deny')
})

async function verdictOf(of: Service, token: string | undefined, body: object): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await of.request('/policy/check', { ...init, ...(token && { token }) })
  return ((await answer.json()) as { verdict: string }).verdict
}

t.test('reports only artifacts that the guards let the command read', async (t) => {
  writeFileSync(secret, 'sesame\n')
  scriptOf('made.txt', 'made\n')
  symlinkSync(secret, join(workspace, 'led.txt'))
  const artifact_paths = ['made.txt', secret, 'led.txt', '../secret.txt']
  const { json } = await as(strict, '/exec', { command: 'ls', artifact_paths })
  const outside = { error: 'outside the allowed directories' }
  t.match((json as ExecRecord).artifacts, [{ path: 'made.txt', bytes: 5 }, outside, outside, outside])
  const own = await as(agent, '/exec', { command: 'true', artifact_paths: [join(service.home, 'token'), secret] })
  t.match((own.json as ExecRecord).artifacts, [outside, { bytes: 7 }])
})

t.test('runs exactly what was judged', async (t) => {
  const script = scriptOf('outer.sh', 'sh inner.sh\n')
  const inner = join(workspace, 'inner.sh')
  const absent = join(workspace, 'absent.sh')
  scriptOf('calls.sh', 'sh absent.sh\n')
  const rows: [string, string, string, () => void][] = [
    ['changed to what is refused', `sh ${script}`, 'denied', () => writeFileSync(inner, 'rm -rf /\n')],
    ['not there before', 'sh calls.sh', 'denied', () => writeFileSync(absent, 'rm -rf /\n')],
    ['changed to what is allowed', `sh ${script}`, 'completed', () => writeFileSync(inner, 'echo other\n')],
  ]
  for (const [name, command, status, meanwhile] of rows) {
    writeFileSync(inner, 'echo judged\n')
    const holder = service.exec({ command: 'read line', stdin: 'open' }).catch(() => null)
    t.ok(await until(async () => (await runningIds()).length === 1))
    const [id] = await runningIds()
    const waiting = service.exec({ command })
    t.ok(await until(async () => (await queued()) === 1), `${name}: it waits for the slot`)
    meanwhile()
    await service.post(`/runs/${id}/stdin`, { data: 'on\n' })
    await holder
    const record = await waiting
    t.match(record, { status, ...(status === 'denied' && { decision: { rule: 'script-changed' } }) }, name)
  }
})

t.test('agents need approval to read private data or contact people', async (t) => {
  const rows: [string, ...string[]][] = [
    ['termux-sms-list', 'allow', 'ask', 'deny'],
    ['termux-api ContactList', 'allow', 'ask', 'deny'],
    ['screencap -p', 'allow', 'ask', 'deny'],
    ['termux-sms-send -n 123 hi', 'ask', 'ask', 'ask'],
    ['termux-api SmsSend --esa recipients 123', 'ask', 'ask', 'ask'],
    ['termux-battery-status', 'allow', 'allow', 'allow'],
  ]
  for (const [command, ...verdicts] of rows) {
    const all = [undefined, agent, strict].map((token) => verdictOf(service, token, { command }))
    t.same(await Promise.all(all), verdicts, command)
  }
})

const runningIds = async (): Promise<string[]> => {
  const { runs } = (await (await service.request('/runs?limit=10')).json()) as {
    runs: { id: string; status: string }[]
  }
  return runs.filter(({ status }) => status === 'running').map(({ id }) => id)
}
const queued = async () =>
  ((await (await service.request('/health')).json()) as { pool: { queued: number } }).pool.queued
