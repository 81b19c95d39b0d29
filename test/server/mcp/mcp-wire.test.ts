import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type Server } from '@modelcontextprotocol/server'
import t from 'tap'
import { OWNER } from '../../../src/shared/schema/index.ts'
import { createSessions } from '../../../src/server/mcp/index.ts'
import { processesWith, until } from '../../support/helper.ts'
import { form, initialize, modern, modernMessage, post, tasks } from '../../support/mcp/raw.ts'
import { startForMcp } from '../../support/mcp/services.ts'

/** `impatient` returns a handle before the run has ended. */
const { folder, service, impatient } = await startForMcp('0.1')
const exec = (command: string, more: object = {}) => ({ name: 'exec', arguments: { command, ...more } })

t.test('rejects wrong headers, bodies and callers', async (t) => {
  const list = modernMessage('tools/list', {})
  const rows: [string, unknown, Record<string, string>, number][] = [
    ['2026', list.message, list.headers, 200],
    ['a method that the header does not name', list.message, { ...list.headers, 'mcp-method': 'tools/call' }, 400],
    ['no method in the headers', list.message, { 'mcp-protocol-version': '2026-07-28' }, 400],
    [
      'a version that the body does not name',
      list.message,
      { ...list.headers, 'mcp-protocol-version': '2025-11-25' },
      400,
    ],
    ['2026 without its envelope', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, list.headers, 400],
    ['a version of nobody', ...Object.values(modernMessage('tools/list', {}, {}, '2031-01-01')), 400] as never,
    ['2025 without a session', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, 400],
    [
      '2025 with an unknown session',
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'mcp-session-id': 'nobody' },
      404,
    ],
    ['no JSON', '{"jsonrpc": ', {}, 400],
    ['no message', [], {}, 400],
    ['a word', '"initialize"', {}, 400],
    ['no token', list.message, { ...list.headers, authorization: 'Bearer wrong' }, 401],
    ['a foreign Origin', list.message, { ...list.headers, origin: 'http://evil.example' }, 403],
    ['our own Origin', list.message, { ...list.headers, origin: service.url }, 200],
    ['text', 'hello', { 'content-type': 'text/plain' }, 415],
  ]
  for (const [name, message, headers, status] of rows) {
    t.equal((await post(service, message, headers)).status, status, name)
  }
  for (const method of ['GET', 'DELETE']) {
    const accept = { accept: 'text/event-stream', 'mcp-session-id': 'nobody' }
    t.equal((await service.request('/mcp', { method, headers: accept })).status, 404, `${method} of an unknown session`)
    t.equal((await service.request('/mcp', { method, token: null })).status, 401, `${method} without the token`)
  }
  t.equal((await service.exec({ command: 'echo on' })).stdout, 'on\n', 'the service still works')
})

t.test('accepts a body of up to 8 MiB', async (t) => {
  const limit = 8_388_608
  const call = (bytes: number) => {
    const { message, headers } = modernMessage('tools/call', exec('x'))
    message.params = { ...message.params, ...exec('x'.repeat(bytes - JSON.stringify(message).length + 1)) }
    return post(service, message, headers)
  }
  const whole = await call(limit)
  t.equal(whole.status, 200)
  const tooLong = /command: expected at most 1048576 bytes, got 8/
  t.match(whole.body.result, {
    isError: true,
    content: [{ text: tooLong }],
    structuredContent: { error_type: 'too_large', note: tooLong },
  })
  t.equal((await call(limit + 1)).status, 413)
})

t.test('limits the number of sessions', async (t) => {
  const ids: string[] = []
  for (let i = 0; i < 150; i++) ids.push((await post(service, initialize)).session!)
  t.equal(new Set(ids).size, 150)
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  const statuses = await Promise.all(
    ids.map(async (id) => (await post(service, ping, { 'mcp-session-id': id })).status),
  )
  t.same(statuses, [...Array(86).fill(404), ...Array(64).fill(200)], 'the last 64 sessions are open')
  const gone = await service.request('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': ids.at(-1)! } })
  t.equal(gone.status, 200)
  t.equal(await gone.text(), '')
  t.equal((await post(service, ping, { 'mcp-session-id': ids.at(-1)! })).status, 404, 'the client ended the session')
})

t.test("returns 404 for another token's session", async (t) => {
  const { session } = await post(service, initialize)
  const reply = await service.post('/tokens', { name: 'other' })
  const { token } = (await reply.json()) as { token: string }
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
  const asked = { 'mcp-session-id': session! }
  t.equal((await post(service, ping, { ...asked, authorization: `Bearer ${token}` })).status, 404)
  t.equal((await post(service, ping, asked)).status, 200)
})

t.test('ends idle sessions but none that is in use', async (t) => {
  const sessions = createSessions({ maxSessions: 2, idleMs: 100 })
  const open = () => ({ connect: async () => {}, close: async () => {} }) as object as Server
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const begin = (over: Promise<void>) => {
    const httpRequest = new Request('http://127.0.0.1/mcp', { method: 'POST', headers })
    return sessions.answer({ request: httpRequest, body: initialize, over, who: OWNER }, open)
  }
  let end = () => {}
  const held = new Promise<void>((resolve) => (end = resolve))
  void begin(held)
  void begin(held)
  t.ok(await until(() => sessions.size() === 2))
  t.equal((await begin(held)).status, 503, 'no session in use ends')
  end()
  t.ok(await until(() => sessions.size() === 0), 'idle sessions end')
})

t.test('rejects sealed state that is forged, stale, of another call or used twice', async (t) => {
  const rights = { name: 'sealer', approves: 'own', instant_answers: true }
  const { token } = (await (await service.post('/tokens', rights)).json()) as { token: string }
  const call = (params: object, at = service, shown = token) => {
    const { message, headers } = modernMessage('tools/call', params, form)
    return post(at, message, { ...headers, authorization: `Bearer ${shown}` })
  }
  const asked = await call(exec('touch sealed'))
  const { requestState, inputRequests } = asked.body.result as { requestState: string; inputRequests: object }
  t.match(inputRequests, { approve: { method: 'elicitation/create', params: { message: /\$ touch sealed\n/ } } })
  const yes = { approve: { action: 'accept', content: { answer: 'once' } } }
  const answer = (state: string, params = exec('touch sealed'), at = service) =>
    call({ ...params, requestState: state, inputResponses: yes }, at, at === service ? token : at.token)

  const [head, payload, mac] = requestState.split('.') as [string, string, string]
  const other = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"run":"', '"run":"x')).toString(
    'base64url',
  )
  for (const forged of [`${head}.${other}.${mac}`, `${head}.${payload}.${mac.slice(2)}AA`, 'v1', '']) {
    t.match((await answer(forged)).body.error, { code: -32602 }, 'forged')
  }
  t.match((await answer(requestState, exec('touch other'))).body.error, {
    code: -32602,
    message: /another token, tool or arguments/,
  })
  const { error } = (await answer(requestState, undefined, impatient)).body
  t.match(error, { code: -32602 }, 'from an earlier service')
  t.notMatch(error, { message: /another token/ }, 'only the seal is rejected')

  const done = await answer(requestState)
  t.match(done.body.result, { structuredContent: { status: 'completed', exit_code: 0 } })
  const { id } = done.body.result!.structuredContent as { id: string }
  const again = await answer(requestState)
  t.match(again.body.result, { structuredContent: { id, status: 'completed' } }, 'the second use returns the same run')
  const evil = await modern(service, 'tools/call', exec('touch \u202egnp'), form)
  t.match(
    JSON.stringify(evil.body.result),
    /touch ‹\\\\u\{202e\}›gnp/,
    'control characters that reverse text are escaped',
  )
})

t.test('shows no approval request to a token that may not answer', async (t) => {
  for (const [approves, expected] of [
    ['none', { structuredContent: { status: 'queued' } }],
    ['own', { inputRequests: { approve: {} } }],
  ] as const) {
    const { token } = (await (await impatient.post('/tokens', { name: approves, approves })).json()) as {
      token: string
    }
    const { message, headers } = modernMessage('tools/call', exec(`touch ${approves}`), form)
    const { body } = await post(impatient, message, { ...headers, authorization: `Bearer ${token}` })
    t.match(body.result, expected, approves)
  }
})

t.test('accepts an instant answer only from a token with that right', async (t) => {
  for (const [at, instant_answers] of [
    [impatient, false],
    [service, true],
  ] as const) {
    const name = `instant-${instant_answers}`
    const made = await at.post('/tokens', { name, approves: 'own', instant_answers })
    const authorization = `Bearer ${((await made.json()) as { token: string }).token}`
    const inputResponses = { approve: { action: 'accept', content: { answer: 'once' } } }
    const statusOf = async (command: string) => {
      const call = async (more: object) => {
        const { message, headers } = modernMessage('tools/call', { ...exec(command), ...more }, form)
        return (await post(at, message, { ...headers, authorization })).body.result as Record<string, unknown>
      }
      const { requestState } = await call({})
      return ((await call({ requestState, inputResponses })).structuredContent as { status: string }).status
    }
    let command = `touch ${name}`
    if (instant_answers) t.equal(await statusOf(command), 'completed', name)
    // on a busy machine an instant answer may be as late as a person's
    else t.ok(await until(async () => (await statusOf((command += ' again'))) === 'queued'), name)
  }
})

t.test("a client approves at most once, under its token's name", async (t) => {
  const rights = { name: 'self', approves: 'own', instant_answers: true }
  const made = await impatient.post('/tokens', rights)
  const authorization = `Bearer ${((await made.json()) as { token: string }).token}`
  const call = async (more: object) => {
    const { message, headers } = modernMessage('tools/call', { ...exec('touch self'), ...more }, form)
    return (await post(impatient, message, { ...headers, authorization })).body.result as Record<string, any>
  }
  const { requestState, inputRequests } = await call({})
  t.same(inputRequests.approve.params.requestedSchema.properties.answer.enum, ['once', 'deny'])
  const answered = (answer: string) =>
    call({ requestState, inputResponses: { approve: { action: 'accept', content: { answer } } } })
  t.match(await answered('always'), { structuredContent: { status: 'queued' } }, 'always is not a valid answer')
  const { structuredContent } = await answered('once')
  const record = await (await impatient.request(`/runs/${structuredContent.id}?wait_seconds=60`)).json()
  t.match(record, { status: 'completed', approval: { by: 'self "raw"', how: 'mcp', scope: 'once', saved_rule: null } })
  t.same(((await (await impatient.request('/approvals')).json()) as { rules: object[] }).rules, [])
})

t.test('returns a long run as a task', async (t) => {
  const call = (command: string, at = impatient) => modern(at, 'tools/call', exec(command), tasks)
  const started = await call('until [ -e ended ]; do sleep 0.1; done; echo end')
  const { taskId } = started.body.result as { taskId: string }
  t.match(started.body.result, { resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: 2000 })
  const get = async (id: string) => (await modern(impatient, 'tasks/get', { taskId: id }, tasks)).body
  t.match((await get(taskId)).result, { resultType: 'complete', taskId, status: 'working' })
  writeFileSync(join(folder, 'ended'), '')
  t.ok(await until(async () => (await get(taskId)).result!.status === 'completed'))
  t.match((await get(taskId)).result, { result: { structuredContent: { stdout: 'end\n' }, content: [{}] } })

  const other = (await call('sleep 66.5')).body.result as { taskId: string }
  t.match((await modern(impatient, 'tasks/cancel', { taskId: other.taskId }, tasks)).body.result, {
    resultType: 'complete',
  })
  t.ok(await until(async () => (await get(other.taskId)).result!.status === 'cancelled'))
  t.same(processesWith('sleep 66.5'), [])
  t.match((await get('nobody')).error, { code: -32602, message: /^No such run: nobody; list runs to / })
  t.equal((await call('echo quick', service)).body.result!.resultType, 'complete', 'a short request is answered')
})

/** Sends a call and disconnects as soon as its command runs. */
async function vanish(message: object, headers: Record<string, string>, mark: string): Promise<void> {
  const outgoing = request(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  })
  outgoing.on('error', () => {})
  outgoing.end(JSON.stringify(message))
  await until(() => processesWith(mark).length > 0)
  outgoing.destroy()
}

t.test('cancels the run of a client that disconnects', async (t) => {
  const { session } = await post(service, initialize)
  const old = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: exec('sleep 67.25') }
  const fresh = modernMessage('tools/call', exec('sleep 68.25'))
  const rows: [string, object, Record<string, string>, string][] = [
    ['2025', old, { 'mcp-session-id': session! }, 'sleep 67.25'],
    ['2026', fresh.message, fresh.headers, 'sleep 68.25'],
  ]
  for (const [era, message, headers, mark] of rows) {
    await vanish(message, headers, mark)
    t.ok(await until(() => processesWith(mark).length === 0), `${era}: no process is left`)
  }
  const half = request(`${service.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', 'content-length': 1000 },
  })
  half.on('error', () => {})
  half.write('{"jsonrpc":')
  await once(half, 'socket')
  half.destroy()
  t.equal((await service.exec({ command: 'echo on' })).stdout, 'on\n', 'the service still works after half a message')
})

interface ToolList {
  tools: Record<string, any>[]
  dialects: Record<string, string>
}
const listOf = async (query: string) => (await (await service.request(`/dialects?${query}`)).json()) as ToolList

t.test('GET /dialects has the form that each API expects, with unique names', async (t) => {
  const nameOf: Record<string, (tool: Record<string, any>) => string> = {
    openai: ({ type, name, parameters }) => (parameters ? name : `${type}_call`),
    'openai-chat': (tool) => tool.function.name,
    anthropic: (tool) => tool.name,
    mcp: (tool) => (tool.inputSchema ? tool.name : ''),
  }
  const names = [
    'exec',
    'picoclaw_exec',
    'shell',
    'shell_cmd',
    'execute_command',
    'bash',
    'str_replace_based_edit_tool',
  ]
  for (const [format, toName] of Object.entries(nameOf)) {
    const { tools, dialects } = await listOf(`format=${format}`)
    const ofOpenai = ['shell', 'local_shell', 'apply_patch']
    const more = format === 'openai' ? ofOpenai.map((name) => `${name}_call`) : ['openai_shell', ...ofOpenai.slice(1)]
    t.same(tools.map(toName), [...names, ...more], format)
    t.same(Object.keys(dialects), [...names, ...more], `${format}: which dialect each is`)
    t.match(JSON.stringify(tools[0]), /"required":\["command"\]/, format)
  }
  t.equal((await service.request('/dialects?format=soap')).status, 400)
})

t.test('GET /dialects defines the tools that the models of an API know as that API does', async (t) => {
  t.same(await listOf('format=anthropic&dialect=anthropic'), {
    tools: [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    ],
    dialects: { bash: 'anthropic/bash', str_replace_based_edit_tool: 'anthropic/str_replace_based_edit_tool' },
  })
  t.same(await listOf('format=openai&dialect=openai'), {
    tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'local_shell' }, { type: 'apply_patch' }],
    dialects: {
      shell_call: 'openai/shell',
      local_shell_call: 'openai/local_shell',
      apply_patch_call: 'openai/apply_patch',
    },
  })
  t.match(await listOf('format=openai&dialect=anthropic/bash'), { tools: [{ type: 'function', name: 'bash' }] })
  t.same((await listOf('format=mcp&dialect=openai')).dialects.shell, 'openai/shell', 'no other tool has this name')
  t.equal((await service.request('/dialects?dialect=none')).status, 404)
})
