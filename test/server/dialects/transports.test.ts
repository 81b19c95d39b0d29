import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { allProcessesWith, startService, until } from '../../support/helper.ts'
import { type McpResult, modernMessage, post, tasks } from '../../support/mcp/raw.ts'
import { sseEvents } from '../../support/sse.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-transports-'))
writeFileSync(join(folder, 'a.txt'), 'one\n')
const nap = `7391.${process.pid}`
writeFileSync(join(folder, 'tree.sh'), `echo out; sleep ${nap} & (trap "" TERM; sleep ${nap}; sleep ${nap}) & wait\n`)
writeFileSync(join(folder, 'say.sh'), 'echo out; echo err >&2; until [ -e go ]; do sleep 0.05; done\n')
/** Answers an MCP call with a handle at once. */
const service = await startService({
  env: {
    SHELLPHONE_WORKING_DIRECTORY: folder,
    SHELLPHONE_MCP_PATIENCE_SECONDS: '0.1',
    SHELLPHONE_DIALECTS_MEKA_PERMISSION: 'write',
  },
})
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})
const go = () => writeFileSync(join(folder, 'go'), '')
t.afterEach(() => rmSync(join(folder, 'go'), { force: true }))

/** [dialect, its own arguments, its name for an event of output] */
const rows: [string, object, string][] = [
  ['oneclaw', { command: 'sh say.sh' }, 'output'],
  ['picoclaw', { command: 'sh ./say.sh' }, 'output'],
  ['nullclaw', { command: 'sh say.sh' }, 'output'],
  ['agent-world', { command: 'sh', parameters: ['./say.sh'] }, 'tool-stream'],
  ['meka', { command: 'sh say.sh' }, 'output'],
]

for (const [dialect, given, name] of rows) {
  t.test(`${dialect}: streams over WebSocket, with its own names`, async (t) => {
    const socket = await service.socket()
    socket.send({ type: 'exec', ref: 'r', dialect, arguments: given })
    await socket.next(({ type, stream }) => type === name && stream === 'stdout')
    await socket.next(({ type, stream }) => type === name && stream === 'stderr')
    go()
    const result = await socket.next(({ type }) => type === 'result')
    const { id } = await socket.next(({ type }) => type === 'accepted')
    t.match(result, { id, run_id: id, tool: String, output: /out/ })
    t.ok(
      socket.messages.every((message) => message.ref === 'r' && message.id === id),
      'every message has the ref and the id',
    )
    const types = socket.messages.map(({ type, status }) => status ?? type)
    t.same(
      types.filter((type) => type !== name),
      ['accepted', 'queued', 'starting', 'running', 'completed', 'result'],
    )
    await socket.close()
  })

  t.test(`${dialect}: streams as SSE, with its own names`, async (t) => {
    const response = await service.post(`/exec/${dialect}`, given, { accept: 'text/event-stream' })
    t.match(response.headers.get('content-type'), /^text\/event-stream/)
    const seen: [string, unknown][] = []
    for await (const { event, data } of sseEvents(response)) {
      seen.push([event, data.status ?? data.stream ?? data.output])
      if (data.stream === 'stderr') go()
    }
    t.same(
      seen.slice(0, 3),
      ['queued', 'starting', 'running'].map((status) => ['status', status]),
    )
    t.match(
      seen.filter(([event]) => event === name),
      [
        [name, 'stdout'],
        [name, 'stderr'],
      ],
    )
    t.match(seen.slice(-2), [
      ['status', 'completed'],
      ['result', /out/],
    ])
  })
}

t.test('agent-world: a denied command has failed, because its lifecycle has no other word', async (t) => {
  const asked = await startService({ env: { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0' } })
  t.teardown(() => asked.stop())
  const response = await asked.post(
    '/exec/agent-world',
    { command: 'rm', parameters: ['never-there'] },
    { accept: 'text/event-stream' },
  )
  const statuses: unknown[] = []
  for await (const { data } of sseEvents(response)) if (data.status) statuses.push(data.status)
  t.same(statuses, ['queued', 'failed'])
})

/** [dialect, arguments, status, body] */
const ends: [string, object, number, object][] = [
  ['oneclaw', { command: 'exit 3' }, 200, { is_error: false, run_id: String }],
  ['picoclaw', { command: 'exit 3' }, 200, { is_error: true, run_id: String }],
  ['oneclaw', { command: 'rm -rf /' }, 403, { is_error: true, run_id: String }],
  ['picoclaw', { command: 'rm -rf /' }, 403, { is_error: true, output: /blocked/ }],
  ['nullclaw', { command: 'rm -rf /' }, 403, { is_error: true, output: /blocked/ }],
  ['oneclaw', {}, 400, { is_error: true, run_id: null }],
  ['oneclaw', { command: 'ls', working_directory: '/no/such' }, 400, { is_error: true, run_id: null }],
  ['agent-world', { command: 'ls', parameters: ['|'] }, 400, { is_error: true, run_id: null }],
]

t.test('a command that did not run has the status that POST /exec gives it', async (t) => {
  for (const [dialect, given, status, body] of ends) {
    const name = `${dialect} ${JSON.stringify(given)}`
    const response = await service.post(`/exec/${dialect}`, given)
    t.equal(response.status, status, name)
    t.match(await response.json(), body, name)
    const text = await service.post(`/exec/${dialect}`, given, { accept: 'text/plain' })
    t.equal(text.status, status, `${name} as text`)
    t.match(text.headers.get('content-type'), /^text\/plain/)
  }
})

async function callTool(dialect: string, name: string, given: object, capabilities = {}): Promise<McpResult> {
  const { message, headers } = modernMessage('tools/call', { name, arguments: given }, capabilities)
  return (await post(service, message, headers, `/mcp/${dialect}`)).body.result as unknown as McpResult
}

async function waitedFor(dialect: string, id: string): Promise<McpResult> {
  let result: McpResult
  do result = await callTool(dialect, 'exec_wait', { id })
  while (result.structuredContent?.status === 'running')
  return result
}

/** [dialect, tool, arguments, the text of its result, and of a failed one] */
const waits: [string, string, object, RegExp][] = [
  ['oneclaw', 'exec', { command: 'sh say.sh' }, /^\[Exit Code: 0\]\nout\n\[stderr\]\nerr\n$/],
  ['picoclaw', 'exec', { command: 'sh ./say.sh' }, /^out\n\nSTDERR:\nerr/],
  ['nullclaw', 'shell', { command: 'sh say.sh' }, /^out\n/],
  ['meka', 'execute_command', { command: 'sh say.sh' }, /^out\n\n--- stderr ---\nerr\n$/],
]

t.test('over MCP, exec_wait answers in the dialect that began the run', async (t) => {
  for (const [dialect, tool, given, text] of waits) {
    rmSync(join(folder, 'go'), { force: true })
    const handle = await callTool(dialect, tool, given)
    const { id, status } = handle.structuredContent as { id: string; status: string }
    t.match(status, /^(queued|running)$/, dialect)
    go()
    const result = await waitedFor(dialect, id)
    t.match(result.content[0]!.text, text, dialect)
    t.match(result.structuredContent, { id, output: text }, dialect)
    t.same(await callTool(dialect, 'exec_wait', { id }), result, `${dialect}: again, after its end`)
  }
})

t.test('over MCP, exec_wait repeats the format and the artifacts that the call asked for', async (t) => {
  const given = {
    ...{ command: 'sh', parameters: ['./say.sh'] },
    ...{ output_format: 'json', output_detail: 'full', artifact_paths: ['a.txt'] },
  }
  const { structuredContent } = await callTool('agent-world', 'shell_cmd', given)
  go()
  const result = await waitedFor('agent-world', structuredContent.id as string)
  t.match(JSON.parse(result.content[0]!.text), {
    exit_code: 0,
    stdout: 'out\n',
    artifacts: [{ path: 'a.txt', bytes: 4, sha256: /^[0-9a-f]{64}$/ }],
  })
})

t.test('over MCP, the result of a task is in the dialect too', async (t) => {
  const begun = (await callTool('picoclaw', 'exec', { command: 'sh ./say.sh' }, tasks)) as unknown as { taskId: string }
  t.ok(begun.taskId)
  go()
  let task: { status?: string; result?: McpResult } = {}
  await until(async () => {
    const { message, headers } = modernMessage('tasks/get', { taskId: begun.taskId }, tasks)
    task = (await post(service, message, headers, '/mcp/picoclaw')).body.result as typeof task
    return task.status === 'completed'
  })
  t.match(task.result!.content[0]!.text, /^out\n\nSTDERR:\nerr/)
})

/** [dialect, tool, arguments, the text of a canceled call] */
const canceled: [string, string, object, RegExp][] = [
  ['oneclaw', 'exec', { command: 'sh tree.sh' }, /^\[Exit Code: -1\]\nout\n/],
  ['picoclaw', 'exec', { command: 'sh ./tree.sh' }, /^out\nCommand canceled$/],
  ['nullclaw', 'shell', { command: 'sh tree.sh' }, /^Interrupted by \/stop\nout\n/],
  [
    'agent-world',
    'shell_cmd',
    { command: 'sleep', parameters: [nap] },
    /\*\*Error:\*\* Command execution canceled by user/,
  ],
  ['meka', 'execute_command', { command: 'sh tree.sh' }, /^Command interrupted\nout\n/],
]

/** Begins a call; returns its reply, and how its own seam cancels its run. */
const seams: Record<string, (dialect: string, tool: string, given: object) => Promise<[Promise<object>, Cancel]>> = {
  http: async (dialect, _tool, given) => [
    service.post(`/exec/${dialect}`, given).then((response) => response.json() as Promise<object>),
    cancelByHttp,
  ],
  sse: async (dialect, _tool, given) => [
    lastOf(await service.post(`/exec/${dialect}`, given, { accept: 'text/event-stream' })),
    cancelByHttp,
  ],
  ws: async (dialect, _tool, given) => {
    const socket = await service.socket()
    const reply = socket.exec('r', { dialect, arguments: given })
    void reply.finally(() => socket.close())
    return [reply, async (id) => socket.send({ type: 'cancel', id })]
  },
  mcp: async (dialect, tool, given) => {
    const { structuredContent } = await callTool(dialect, tool, given)
    const toReply = ({ content, isError }: McpResult) => ({ is_error: isError, output: content[0]!.text })
    return [
      waitedFor(dialect, structuredContent.id as string).then(toReply),
      (id) => callTool(dialect, 'exec_cancel', { id }),
    ]
  },
}
type Cancel = (id: string) => Promise<unknown>
const cancelByHttp: Cancel = (id) => service.request(`/runs/${id}`, { method: 'DELETE' })

async function lastOf(response: Response): Promise<object> {
  let last = {}
  for await (const { data } of sseEvents(response)) last = data
  return last
}

for (const [dialect, tool, given, output] of canceled) {
  t.test(`${dialect}: a cancellation kills the whole tree, in the words of the tool`, async (t) => {
    for (const [seam, begin] of Object.entries(seams)) {
      const [reply, cancel] = await begin(dialect, tool, given)
      await until(() => allProcessesWith(`sleep ${nap}`).length >= (dialect === 'agent-world' ? 1 : 2))
      const { runs } = (await (await service.request('/runs?limit=1')).json()) as { runs: { id: string }[] }
      const { id } = runs[0]!
      await cancel(id)
      t.match(await reply, { is_error: true, output }, seam)
      t.same(allProcessesWith(`sleep ${nap}`), [], `${seam}: no process is left`)
      t.match(await (await service.request(`/runs/${id}`)).json(), { status: 'canceled' }, `${seam}: the lifecycle`)
    }
  })
}

t.test('output that cannot be read is an error on every route, in the words of the documentation', async (t) => {
  const answer = await service.post('/exec/nullclaw', { command: 'seq 1 200000' })
  const { run_id: id } = (await answer.json()) as { run_id: string }
  const file = join(service.home, 'runs', `${id}.stdout`)
  rmSync(file)
  mkdirSync(file) // EISDIR
  const message = /^Failed to read process output: EISDIR/
  const response = await service.request(`/runs/${id}/output`)
  t.equal(response.status, 500)
  t.match(await response.json(), { error: { type: 'execution_error', message } })
  for (const dialect of ['nullclaw', 'oneclaw']) {
    const structuredContent = { error_type: 'execution_error', output: message }
    t.match(await callTool(dialect, 'exec_wait', { id }), { isError: true, structuredContent }, dialect)
  }
})

t.test('a shell that could not be started stays an error after the run has ended', async (t) => {
  const shell = join(folder, 'sh')
  symlinkSync('/bin/sh', shell)
  const shellless = await startService({ env: { SHELLPHONE_SHELL: shell } })
  t.teardown(() => shellless.stop())
  rmSync(shell)
  const error = { type: 'execution_error', message: /^Failed to start process: / }
  t.match(await shellless.exec({ command: 'true' }), { error })
  const { runs } = (await (await shellless.request('/runs')).json()) as { runs: { id: string; failure: object }[] }
  const [{ id, failure }] = runs as [(typeof runs)[number]]
  t.match(failure, { code: 'NOT_STARTED', message: error.message, about: /^spawn .* ENOENT$/ })
  for (const path of ['/mcp', '/mcp/oneclaw']) {
    const { message, headers } = modernMessage('tools/call', { name: 'exec_wait', arguments: { id } })
    const { result } = (await post(shellless, message, headers, path)).body
    const structuredContent = { error_type: 'execution_error' }
    t.match(result, { isError: true, content: [{ text: error.message }], structuredContent }, path)
  }
})
