import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import WebSocket from 'ws'
import type { ExecRecord, NewToken } from '../../../src/shared/schema/index.ts'
import { noSandbox, openSocket, type Service, soon, startService, until } from '../../support/helper.ts'
import { runInProcess } from '../../support/in-process-cli.ts'

let service: Service
t.before(async () => {
  service = await startService({
    env: { SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false', SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100' },
  })
})
t.teardown(() => service.stop())

async function make(input: object): Promise<string> {
  const reply = await service.post('/tokens', input)
  const made = (await reply.json()) as NewToken
  if (reply.status !== 201) throw new Error(JSON.stringify(made))
  return made.token
}

/** Status and body of the response to a request with this token. */
async function ask(token: string | null, method: string, path: string, body?: object) {
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
  const reply = await service.request(path, { method, token, ...init })
  const text = await reply.text()
  return { status: reply.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

/** `shellphone …` as a person types it, against this service. */
function shellphone(argv: string[], env: Record<string, string> = {}) {
  const place = ['token', 'pair', 'approvals', 'check'].includes(argv[0]!) ? ['--port', String(service.port)] : []
  return runInProcess([...argv, ...place], { SHELLPHONE_HOME: service.home, ...env })
}

t.test('a named token runs commands, and their records name it', async (t) => {
  const token = await make({ name: 'codex' })
  const { body } = await ask(token, 'POST', '/exec', { command: 'echo hi' })
  t.match(body, { status: 'completed', token: 'codex', stdout: 'hi\n' })
  t.equal((await service.exec({ command: 'true' })).token, 'owner')
  t.match((await ask(service.token, 'GET', '/runs?limit=10')).body.runs, [{ token: 'owner' }, { token: 'codex' }])
  const socket = await openSocket(service.url, token)
  socket.send({ type: 'exec', command: 'true' })
  t.match(await socket.next(({ type }) => type === 'result'), { token: 'codex' })
  void socket.close()
})

t.test('a token that may read only its own runs does not find others', async (t) => {
  const [mine, theirs] = [await make({ name: 'mine' }), await make({ name: 'theirs', read: 'all' })]
  const own = (await ask(mine, 'POST', '/exec', { command: 'echo mine' })).body as ExecRecord
  const foreign = await service.exec({ command: 'echo foreign' })
  const live = (await ask(service.token, 'POST', '/exec', { command: 'sleep 30', background: true, stdin: 'open' }))
    .body
  const doors: [string, string, object?][] = [
    ['GET', ''],
    ['GET', '?wait_seconds=1'],
    ['GET', '/output'],
    ['GET', '/events'],
    ['DELETE', ''],
    ['POST', '/stdin', { data: 'x' }],
    ['POST', '/signal', { signal: 'SIGINT' }],
  ]
  for (const [method, path, body] of doors) {
    for (const { id } of [foreign, live]) {
      t.match(
        await ask(mine, method, `/runs/${id}${path}`, body),
        { status: 404, body: { error: { type: 'not_found' } } },
        `${method} ${path}`,
      )
    }
  }
  t.equal((await ask(mine, 'GET', `/runs/${own.id}/output`)).body, 'mine\n')
  t.same(
    (await ask(mine, 'GET', '/runs')).body.runs.map(({ id }: ExecRecord) => id),
    [own.id],
  )
  t.equal((await ask(theirs, 'GET', `/runs/${foreign.id}/output`)).body, 'foreign\n')
  const socket = await openSocket(service.url, mine)
  socket.send({ type: 'attach', id: live.id, ref: 'a' })
  t.match(await socket.next(({ ref }) => ref === 'a'), { type: 'error', error: { type: 'not_found' } })
  socket.send({ type: 'cancel', id: live.id, ref: 'c' })
  t.match(await socket.next(({ ref }) => ref === 'c'), { type: 'error', error: { type: 'not_found' } })
  void socket.close()
  t.equal((await ask(theirs, 'DELETE', `/runs/${live.id}`)).body.outcome, 'cancel_requested')
})

t.test('a token that may read all runs cannot write to their stdin', async (t) => {
  const reader = await make({ name: 'reader', read: 'all' })
  const person = await make({ name: 'person', read: 'all', approves: 'all' })
  const shell = (await ask(service.token, 'POST', '/exec', { command: 'cat', background: true, stdin: 'open' })).body
  const doors: [string, string, object?][] = [
    ['POST', 'stdin', { data: 'typed' }],
    ['PUT', 'stdin', { data: 'x' }],
    ['GET', 'stdin'],
    ['POST', 'signal', { signal: 'SIGINT' }],
    ['POST', 'resize', { rows: 1, columns: 1 }],
  ]
  for (const [method, door, body] of doors) {
    t.match(await ask(reader, method, `/runs/${shell.id}/${door}`, body), {
      status: 403,
      body: { error: { type: 'forbidden', message: /^The token reader may not/ } },
    })
  }
  const socket = await openSocket(service.url, reader)
  for (const message of [
    { type: 'stdin', data: 'x' },
    { type: 'signal', signal: 'SIGINT' },
  ]) {
    socket.send({ ...message, id: shell.id, ref: message.type })
    t.match(await socket.next(({ ref }) => ref === message.type), { type: 'error', error: { type: 'forbidden' } })
  }
  void socket.close()
  t.equal((await ask(person, 'POST', `/runs/${shell.id}/stdin`, { data: 'hi', end: true })).status, 200)
  t.match((await ask(reader, 'GET', `/runs/${shell.id}?wait_seconds=60`)).body, { stdout: 'hi' })
})

t.test('finds a scratchpad only among the runs of its token', async (t) => {
  const missing = await noSandbox(service, 'read-only')
  if (missing) return t.pass('meka', { skip: missing })
  const [one, two] = [await make({ name: 'one' }), await make({ name: 'two' })]
  for (const [token, text] of [
    [one, 'of one'],
    [two, 'of two'],
  ] as const) {
    await ask(token, 'POST', '/exec/meka', { command: `echo ${text}`, scratchpad: 'pad' })
  }
  t.equal((await ask(one, 'GET', '/scratchpads/pad')).body, 'of one\n')
  t.equal((await ask(two, 'GET', '/scratchpads/pad')).body, 'of two\n')
  t.equal((await ask(service.token, 'GET', '/scratchpads/pad')).body, 'of two\n', 'the newest of all, to who reads all')
  await service.post('/exec/meka', { command: 'echo of the owner', scratchpad: 'pad' })
  await ask(one, 'POST', '/exec/meka', { command: 'echo newer', scratchpad: 'pad' })
  t.equal(
    (await ask(service.token, 'GET', '/scratchpads/pad')).body,
    'of the owner\n',
    'nobody takes a name from another',
  )
})

t.test('an Idempotency-Key belongs to its token', async (t) => {
  const token = await make({ name: 'keyed' })
  const call = async (by: string, command = 'echo secret') => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'shared' }
    const reply = await service.request('/exec', {
      method: 'POST',
      token: by,
      headers,
      body: JSON.stringify({ command }),
    })
    return (await reply.json()) as ExecRecord
  }
  const owners = await call(service.token)
  const own = await call(token)
  t.match([owners.token, own.token], ['owner', 'keyed'], 'the same key and body are two runs')
  t.equal((await call(token)).id, own.id)
  t.equal((await call(service.token)).id, owners.id)
  t.match(await call(token, 'echo other'), {
    error: { type: 'conflict', message: new RegExp(`for run ${own.id}; use a new key$`) },
  })
})

t.test('a new token with the same name gets nothing of the previous one', async (t) => {
  const first = await make({ name: 'reborn', policy: 'supervised' })
  const keyed = { 'content-type': 'application/json', 'idempotency-key': 'again' }
  const once = (token: string) =>
    service.request('/exec', { method: 'POST', token, headers: keyed, body: '{"command":"echo first"}' })
  const done = (await (await once(first)).json()) as ExecRecord
  const cat = { command: 'cat', stdin: 'open', background: true }
  const live = (await ask(first, 'POST', '/exec', cat)).body as ExecRecord
  const question = { command: 'touch reborn', working_directory: t.testdir({}), background: true }
  await ask(first, 'POST', '/exec', question)
  const initialize = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  }
  const mcp = (token: string, body: object, headers: Record<string, string> = {}) =>
    service.request('/mcp', {
      ...{ method: 'POST', token, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    })
  const session = (await mcp(first, initialize)).headers.get('mcp-session-id')!
  const questions = async (token: string) => (await ask(token, 'GET', '/approvals')).body.approvals
  await until(async () => (await questions(first)).length === 1)

  await ask(service.token, 'DELETE', '/tokens/reborn')
  const second = await make({ name: 'reborn', policy: 'supervised' })
  t.same((await ask(second, 'GET', '/runs')).body.runs, [], 'its runs')
  t.equal((await ask(second, 'GET', `/runs/${done.id}/output`)).status, 404, 'their output')
  t.equal((await ask(second, 'POST', `/runs/${live.id}/stdin`, { data: 'x' })).status, 404, 'their stdin')
  t.equal((await ask(second, 'GET', `/runs/${live.id}/stdin`)).status, 404, 'how much of it came')
  t.equal((await ask(second, 'DELETE', `/runs/${live.id}`)).status, 404, 'their end')
  t.same(await questions(second), [], 'its questions')
  t.not(((await (await once(second)).json()) as ExecRecord).id, done.id, 'its keys')
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  t.equal((await mcp(second, ping, { 'mcp-session-id': session })).status, 404, 'its MCP sessions')

  const [pending] = await questions(service.token)
  await ask(service.token, 'POST', `/approvals/${pending.id}`, { decision: 'deny' })
  await ask(service.token, 'DELETE', `/runs/${live.id}`)
})

t.test('the reply to the rotation or revocation of the own token arrives, then its connection closes', async (t) => {
  const made = await ask(service.token, 'POST', '/tokens', { name: 'itself', approves: 'all' })
  const { token: first } = made.body as { token: string }
  const rotated = await ask(first, 'POST', '/tokens/itself/rotate')
  t.match(rotated, { status: 200, body: { name: 'itself', token: /^[\w-]{43}$/ } })
  t.equal((await ask(first, 'GET', '/tokens')).status, 401, 'the old secret has ended')
  const { token: second } = rotated.body as { token: string }
  const other = new WebSocket(`ws://127.0.0.1:${service.port}/ws`, { headers: { authorization: `Bearer ${second}` } })
  await once(other, 'open')
  const closed = once(other, 'close')
  t.match(await ask(second, 'DELETE', '/tokens/itself'), { status: 204 })
  await closed
  t.equal((await ask(second, 'GET', '/tokens')).status, 401)
})

t.test('a person’s token cannot create or rotate one with more rights than its own', async (t) => {
  const person = await make({
    ...{ name: 'limited', approves: 'all', policy: 'strict', files: 'read' },
    ...{ addresses: ['127.0.0.0/8'], expires_in_days: 10 },
  })
  for (const [input, field] of [
    [{ shell: true }, 'shell'],
    [{ read: 'all' }, 'read'],
    [{ files: 'write' }, 'files'],
    [{ policy: 'guarded' }, 'policy'],
    [{ policy: null }, 'policy'],
    [{ instant_answers: true }, 'instant_answers'],
    [{ addresses: ['10.0.0.1'] }, 'addresses'],
    [{ addresses: ['127.0.0.0/7'] }, 'addresses'],
    [{ expires_in_days: 11 }, 'expires_in_days'],
  ] as const) {
    const refusal = { status: 403, body: { error: { type: 'forbidden', field } } }
    t.match(await ask(person, 'POST', '/tokens', { name: 'beyond', ...input }), refusal, JSON.stringify(input))
    t.match(await ask(person, 'POST', '/pairing', input), refusal, `pairing ${JSON.stringify(input)}`)
  }
  const { body } = await ask(person, 'POST', '/tokens', { name: 'within' })
  t.match(body, { approves: 'none', files: 'read', policy: 'strict', addresses: ['127.0.0.0/8'] })
  t.ok(body.expires_at <= (await tokenNamed('limited')).expires_at, 'it ends no later')
  const narrow = { name: 'narrow', addresses: ['127.0.0.1'], expires_in_days: 1, policy: 'strict', files: 'none' }
  t.equal((await ask(person, 'POST', '/tokens', narrow)).status, 201)

  await make({ name: 'stronger', shell: true })
  t.match(await ask(person, 'POST', '/tokens/stronger/rotate'), { status: 403, body: { error: { type: 'forbidden' } } })
  t.equal((await ask(person, 'POST', '/tokens/within/rotate')).status, 200)

  const { code } = (await ask(person, 'POST', '/pairing', {})).body
  await ask(service.token, 'DELETE', '/tokens/limited')
  t.equal((await ask(null, 'POST', '/pair', { code, name: 'late' })).status, 401, 'its codes end with it')
})

async function tokenNamed(name: string) {
  return (await ask(service.token, 'GET', '/tokens')).body.tokens.find((token: { name: string }) => token.name === name)
}

t.test('an agent can neither answer its own approval request nor see those of others', async (t) => {
  const folder = t.testdir({})
  const agent = await make({ name: 'agent', policy: 'supervised', approves: 'own' })
  const asked = ask(agent, 'POST', '/exec', { command: 'touch made-by-agent', working_directory: folder })
  const waiting = async () => (await ask(service.token, 'GET', '/approvals')).body.approvals
  await until(async () => (await waiting()).length === 1)
  const [pending] = await waiting()
  t.match(pending, { command: 'touch made-by-agent', token: 'agent', always: { covers: /with the token agent/ } })
  t.equal((await ask(agent, 'GET', '/approvals')).body.approvals.length, 1, 'it sees that it waits')
  const other = await make({ name: 'other' })
  t.same((await ask(other, 'GET', '/approvals')).body, { approvals: [], rules: [] })
  for (const [method, path, body] of [
    ['POST', `/approvals/${pending.id}`, { decision: 'approve' }],
    ['DELETE', '/approvals/rules/x', undefined],
    ['GET', '/tokens', undefined],
    ['POST', '/tokens', { name: 'more', approves: 'all' }],
    ['POST', '/tokens/agent/rotate', undefined],
    ['DELETE', '/tokens/other', undefined],
    ['POST', '/pairing', {}],
  ] as const) {
    t.match(
      await ask(agent, method, path, body),
      { status: 403, body: { error: { type: 'forbidden' } } },
      `${method} ${path}`,
    )
  }
  const socket = await openSocket(service.url, agent)
  socket.send({ type: 'approval', id: pending.id, decision: 'approve', ref: 'x' })
  t.match(await socket.next(({ ref }) => ref === 'x'), { type: 'error', error: { type: 'forbidden' } })
  socket.send({ type: 'watch_approvals', ref: 'y' })
  t.match(await socket.next(({ ref }) => ref === 'y'), { type: 'error', error: { type: 'forbidden' } })
  void socket.close()
  const person = await make({ name: 'browser', approves: 'all' })
  t.match(await ask(person, 'POST', `/approvals/${pending.id}`, { decision: 'deny' }), {
    status: 200,
    body: { by: 'browser' },
  })
  t.match(await asked, { status: 403, body: { status: 'denied', approval: { by: 'browser' } } })
  t.notOk(existsSync(join(folder, 'made-by-agent')))
})

t.test('a token’s preset is stricter than the owner’s, never looser', async (t) => {
  const strict = await make({ name: 'strict', policy: 'strict' })
  const loose = await make({ name: 'loose', policy: 'open' })
  t.match((await ask(strict, 'POST', '/exec', { command: 'rm -rf build' })).body, { status: 'denied' })
  t.match((await ask(loose, 'POST', '/exec', { command: 'rm -rf ~' })).body, {
    status: 'denied',
    decision: { rule: /./ },
  })
})

t.test('every entry point rejects a revoked, expired, foreign or missing token', async (t) => {
  const revoked = await make({ name: 'revoked' })
  const short = await make({ name: 'short', expires_in_days: 1e-6 })
  const elsewhere = await make({ name: 'elsewhere', addresses: ['192.0.2.0/24'] })
  const sockets = [await openSocket(service.url, revoked), await openBriefly()]
  const closed = sockets.map(({ raw }) => raw.readyState === WebSocket.CLOSED || once(raw, 'close'))
  t.equal((await ask(service.token, 'DELETE', '/tokens/revoked')).status, 204)
  await soon(Promise.all(closed))
  t.pass('their connections were closed')
  for (const [what, token] of Object.entries({ revoked, short, elsewhere, missing: null })) {
    for (const [method, path] of [
      ['POST', '/exec'],
      ['GET', '/runs'],
      ['GET', '/tokens'],
      ['GET', '/metrics'],
    ] as const) {
      const { status } = await ask(token, method, path, method === 'POST' ? { command: 'true' } : undefined)
      t.equal(status, 401, `${what}: ${method} ${path}`)
    }
  }
})

/** Opens a socket with a token that expires in one second; if it expires before the socket is open, tries again with twice the time. */
async function openBriefly() {
  for (let seconds = 1; ; seconds *= 2) {
    const token = await make({ name: `brief-${seconds}`, expires_in_days: seconds / 86_400 })
    const socket = await openSocket(service.url, token).catch(() => null)
    if (socket) return socket
  }
}

t.test('names the invalid field', async (t) => {
  const cases: [object, RegExp][] = [
    [{}, /^name: expected a name of .*, got nothing$/],
    [
      { name: '-x' },
      /^name: expected a name of 1 to 64 letters, digits, '\.', '_' and '-' that starts with a letter or a digit, got "-x"$/,
    ],
    [{ name: 'x', approves: 'some' }, /^approves: expected one of "none", "own", "all", got "some"/],
    [{ name: 'x', policy: 'lax' }, /^policy: expected/],
    [{ name: 'x', expires_in_days: 0 }, /^expires_in_days: expected a number greater than 0/],
    [{ name: 'x', addresses: ['here'] }, /^addresses: expected IP addresses/],
    [{ name: 'x', addresses: ['1'.repeat(65)] }, /^addresses\.0: expected a string of at most 64 characters, got "1/],
    [{ name: 'x', admin: true }, /^admin: unknown field; expected one of name, /],
  ]
  for (const [body, message] of cases) {
    t.match(await ask(service.token, 'POST', '/tokens', body), { status: 400, body: { error: { message } } })
  }
})

t.test('the command line: token, pair, remote', async (t) => {
  const created = await shellphone([
    'token',
    'create',
    'typed',
    '--policy',
    'supervised',
    '--expires-in-days',
    '30',
    '--json',
  ])
  t.match(JSON.parse(created.out), { name: 'typed', policy: 'supervised', approves: 'none' })
  t.match(
    (await shellphone(['token', 'list'])).out,
    /^NAME +LAST USED +EXPIRES +APPROVES +READS +FILES +MORE\n(.*\n)*typed +never +\d{4}-\d\d-\d\d +none +own +write +policy supervised$/m,
  )
  t.match(await shellphone(['token', 'rotate', 'typed']), { out: /^[\w-]{43}\n$/, err: /^\(the token of typed/ })
  t.match((await shellphone(['token', 'revoke', 'typed'])).out, /revoked/)
  t.match(await shellphone(['token', 'revoke']), { code: 2, err: /expected either NAME or --unused-days; / })
  for (const days of ['few', '0']) {
    const err = `token revoke: --unused-days: expected a number of days greater than 0, got ${days}; `
    t.match(await shellphone(['token', 'revoke', '--unused-days', days]), { code: 2, err })
  }
  t.same(await shellphone(['token', 'revoke', '--unused-days', '1']), { code: 0, out: 'no unused tokens\n', err: '' })
  t.match(await shellphone(['token', 'revoke', 'typed']), {
    code: 2,
    err: /No token has the name typed; list tokens to find its name: shellphone token list/,
  })
  t.match(await shellphone(['token', 'create', 'x', '--approves', 'some']), { code: 2, err: /approves: expected/ })

  const config = t.testdir({})
  const env = { XDG_CONFIG_HOME: config }
  const { links, code } = JSON.parse((await shellphone(['pair', '--json'])).out)
  t.match(links, [`http://127.0.0.1:${service.port}/#pair=${code}`])
  t.match(await shellphone(['remote', 'add', 'phone', links[0]], env), { code: 0, out: /^phone: paired as / })
  const file = join(config, 'shellphone/remotes.json')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const { phone } = JSON.parse(readFileSync(file, 'utf8'))
  t.match((await ask(phone.token, 'POST', '/exec', { command: 'true' })).body, { status: 'completed' })
  t.match(
    await shellphone(['open', '--print', '--on', 'phone'], env),
    {
      code: 3,
      err: /^shellphone: open: the token of this machine may not pair a browser; run shellphone open --print on the phone, or /,
    },
    'after a pairing without approves: all',
  )
  const person = JSON.parse((await shellphone(['pair', '--approves', 'all', '--json'])).out).links[0]
  t.match(await shellphone(['remote', 'add', 'own', person], env), { code: 0, out: /^own: paired as \S+-2\n$/ })
  t.match(
    await shellphone(['open', '--print', '--on', 'own'], env),
    { code: 0, out: /^http:\S+#pair=[\w-]+\n$/ },
    'the browser gets no more rights than this machine has',
  )
  t.match((await shellphone(['remote', 'list'], env)).out, /^NAME +ADDRESS\nphone +http:/)
  t.match(await shellphone(['remote', 'add', 'again', links[0]], env), {
    code: 3,
    err: /remote add: The code is wrong, already used/,
  })
  t.match(await shellphone(['remote', 'add', 'phone', links[0]], env), {
    code: 2,
    err: /this name is taken; remove it first with shellphone remote remove phone/,
  })
  const address = `http://127.0.0.1:${service.port}`
  t.same(
    await shellphone(['remote', 'add', 'proxied', `${address}/#token=${phone.token}`], env),
    { code: 0, out: 'proxied: added\n', err: '' },
    'a link with the token of a single phone',
  )
  t.match(await shellphone(['ps', '--on', 'proxied'], env), { code: 0, out: /no live runs/ })
  t.match(await shellphone(['remote', 'add', 'x', `${address}/#token=wrong`], env), {
    code: 3,
    err: /remote add: http:\S+ rejected the token in the link; it may be revoked or expired/,
  })
  t.match(await shellphone(['remote', 'add', 'x', 'http://127.0.0.1:1/#token=t'], env), {
    code: 3,
    err: /cannot reach/,
  })
  t.match(await shellphone(['remote', 'add', 'x', 'http://127.0.0.1/'], env), { code: 2, err: /expected a link/ })
  const unpinned = 'https://127.0.0.1/#pair=ABCD-EFGH'
  t.match(await shellphone(['remote', 'add', 'x', unpinned], env), { code: 2, err: /expected a link/ }, 'without a key')
  const unknown = 'no such remote, did you mean phone?; list them with shellphone remote list\n'
  t.match(await shellphone(['remote', 'remove', 'phon'], env), { code: 2, err: `shellphone: remote phon: ${unknown}` })
  t.match(await shellphone(['ps', '--on', 'phoen'], env), { code: 2, err: `shellphone: --on phoen: ${unknown}` })
  t.match((await shellphone(['remote', 'remove', 'phone'], env)).out, /removed here/)
  writeFileSync(file, '{"phone": 1}')
  t.match(await shellphone(['remote', 'list'], env), { code: 2, err: /remotes\.json: expected paired phones/ })
  writeFileSync(file, '{}', { mode: 0o644 })
  chmodSync(file, 0o644)
  t.match(await shellphone(['remote', 'list'], env), { code: 2, err: /only you can read/ })

  const shown = (await shellphone(['pair'])).out
  t.match(
    shown,
    /^The service listens only on this machine\. .* --host 0\.0\.0\.0 /,
    'no QR code that no device could use',
  )
  t.match(shown, /valid once within five minutes; it replaces any earlier code\./)
  t.match(shown, /The device that uses it approves nothing, reads only its own runs and cannot open terminals\./)
  t.match(shown, /For a browser of your own: shellphone pair --approves all --read all --shell$/m)
  t.match(shown, /claude mcp add --scope user phone -- shellphone mcp --on phone/)
  const line = /curl: +(curl .*)$/m.exec(shown)![1]!
  const printed = await new Promise<string>((resolve) =>
    execFile('sh', ['-c', `${line} -s`], (_error, out) => resolve(out)),
  )
  t.match(JSON.parse(printed), { name: 'laptop', approves: 'none', token: /./ }, 'the printed curl line pairs')
})

t.test('throttles wrong pairing codes like wrong tokens', async (t) => {
  await service.post('/pairing', {})
  const guess = () => statusOfStranger('/pair', { code: '0000-0000', name: 'g' })
  t.equal(await guess(), 401)
  while ((await guess()) !== 429); // if this never happens, the suite never ends
})

/** Status of a POST without a token, on its own connection. */
function statusOfStranger(path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  return new Promise<number>((resolve, reject) => {
    const request = http.request(service.url + path, { method: 'POST', headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    request.on('error', reject).end(JSON.stringify(body))
  })
}

t.test('SIGHUP reads tokens.json again', async (t) => {
  const token = await make({ name: 'gone' })
  t.equal((await service.request('/runs', { token })).status, 200)
  writeFileSync(join(service.home, 'tokens.json'), '{"tokens": []}')
  service.process.kill('SIGHUP')
  /** null: the connection was cut, as happens to a token's connections when the token is revoked or expires */
  const answer = () => service.request('/runs', { token }).catch(() => null)
  t.ok(await until(async () => (await answer())?.status === 401))
  t.equal((await service.request('/runs')).status, 200, 'it serves on')
})
