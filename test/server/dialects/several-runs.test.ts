import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { DialectAnswer, ExecRecord } from '../../../src/shared/schema/index.ts'
import { newFolder } from '../../support/folders.ts'
import { noSessions, startService } from '../../support/helper.ts'
import { type McpResult, modernMessage, post } from '../../support/mcp/raw.ts'
import { sseEvents } from '../../support/sse.ts'

const folder = newFolder(t, 'several-runs')
const service = await startService({
  env: { SHELLPHONE_WORKING_DIRECTORY: folder, SHELLPHONE_MCP_PATIENCE_SECONDS: '0.1' },
})
t.teardown(() => service.stop())

const shell = async (action: object, headers = {}) => {
  const response = await service.post('/exec/openai?tool=shell', { action }, headers)
  const { output, ...answer } = (await response.json()) as DialectAnswer
  return { status: response.status, ...answer, ...(JSON.parse(output) as { output: object[] }) }
}
const exit = (exit_code: number) => ({ type: 'exit', exit_code })
const runsNow = async (limit: number) =>
  ((await (await service.request(`/runs?limit=${limit}`)).json()) as { runs: ExecRecord[] }).runs

t.test('each command is a run, one after the other, and a failure does not end the list', async (t) => {
  const reply = await shell({ commands: ['echo one > a', 'exit 3', 'cat a'] })
  t.match(reply, {
    status: 200,
    is_error: false,
    exit_code: 0,
    output: [{ outcome: exit(0) }, { outcome: exit(3) }, { stdout: 'one\n', outcome: exit(0) }],
  })
  const runs = (await runsNow(3)).map(({ command, dialect }) => [command, dialect])
  t.same(runs, [
    ['cat a', 'openai/shell'],
    ['exit 3', 'openai/shell'],
    ['echo one > a', 'openai/shell'],
  ])
})

t.test('a timeout and a denial end the list', async (t) => {
  const late = await shell({ commands: ['sleep 60', 'touch never'], timeout_ms: 200 })
  t.match(late, { status: 200, output: [{ outcome: { type: 'timeout' } }] })
  t.equal(late.output.length, 1)
  const denied = await shell({ commands: ['true', 'rm -rf /', 'touch never'] })
  t.match(denied, { status: 403, is_error: true, error_type: 'forbidden' })
  t.match(denied.output, [{ outcome: exit(0) }, { stderr: /./, outcome: exit(126) }])
  t.notOk(fs.existsSync(join(folder, 'never')))
})

t.test('a retry with the same key runs no command twice', async (t) => {
  const action = { commands: ['echo x >> twice', 'echo y >> twice', 'cat twice'] }
  const headers = { 'idempotency-key': 'several' }
  const [first, second] = [await shell(action, headers), await shell(action, headers)]
  t.same(second, first)
  t.match(first.output[2], { stdout: 'x\ny\n' })
})

t.test('the events of all runs are streamed, over SSE and the WebSocket', async (t) => {
  const given = { action: { commands: ['echo one', 'echo two'] } }
  const response = await service.post('/exec/openai?tool=shell', given, { accept: 'text/event-stream' })
  const seen: unknown[] = []
  for await (const { event, data } of sseEvents(response)) if (event !== 'status') seen.push(data.data ?? event)
  t.same(seen, ['one\n', 'two\n', 'result'])
  const socket = await service.socket()
  const result = await socket.exec('r', { dialect: 'openai/shell', arguments: given })
  t.match(result, { output: /one.*two/s })
  const outputs = socket.messages.filter(({ type }) => type === 'output')
  t.equal(new Set(outputs.map(({ id }) => id)).size, 2, 'each with the id of its run')
  await socket.close()
})

async function callTool(name: string, given: object): Promise<McpResult> {
  const { message, headers } = modernMessage('tools/call', { name, arguments: given })
  return (await post(service, message, headers, '/mcp/openai')).body.result as unknown as McpResult
}

t.test('over MCP, exec_wait with the id of the first run waits for the whole call', async (t) => {
  const commands = ['until [ -e go ]; do sleep 0.05; done', 'until [ -e on ]; do sleep 0.05; done', 'echo end']
  let result = await callTool('shell', { action: { commands } })
  const { id } = result.structuredContent
  fs.writeFileSync(join(folder, 'go'), '')
  while ((await runsNow(1))[0]!.command !== commands[1]) await callTool('exec_wait', { id })
  result = await callTool('exec_wait', { id })
  t.match(result.structuredContent, { id, status: /queued|running/ })
  fs.writeFileSync(join(folder, 'on'), '')
  do result = await callTool('exec_wait', { id })
  while (/queued|running/.test(String(result.structuredContent.status)))
  t.match(JSON.parse(result.content[0]!.text), { output: [{}, {}, { stdout: 'end\n' }] })
})

const patch = async (operation: object) => {
  const response = await service.post('/exec/openai?tool=apply_patch', { operation })
  const { output, run_id } = (await response.json()) as DialectAnswer
  return { run_id, http: response.status, ...(JSON.parse(output) as { status: string; output: string }) }
}

const needsSessions = { skip: (await noSessions(service)) ?? false }
t.test('the relative path of a patch starts at the directory of the session', needsSessions, async (t) => {
  const patchIn = async (session: string) => {
    const operation = { type: 'create_file', path: 'in-session.txt', diff: '+x\n' }
    const response = await service.post(`/exec/openai?tool=apply_patch&session=${session}`, { operation })
    return JSON.parse(((await response.json()) as DialectAnswer).output) as object
  }
  await service.exec({ command: 'mkdir -p sub && cd sub', session: 'patches' })
  t.match(await patchIn('patches'), { status: 'completed', output: `added ${join(folder, 'sub/in-session.txt')}` })
  t.match(await patchIn('new'), { status: 'completed', output: `added ${join(folder, 'in-session.txt')}` })
})

t.test('a patch creates, updates, moves and deletes a file, and names the error', async (t) => {
  const at = (name: string) => join(folder, name)
  const made = await patch({ type: 'create_file', path: 'p.txt', diff: '+one\n+two\n' })
  t.match(made, { http: 200, status: 'completed', output: /^added .*p\.txt, hash sha256:/ })
  t.match(await (await service.request(`/runs/${made.run_id}`)).json(), { dialect: 'openai/apply_patch' })
  t.match(await patch({ type: 'update_file', path: 'p.txt', diff: '@@\n one\n-two\n+2' }), { status: 'completed' })
  t.equal(fs.readFileSync(at('p.txt'), 'utf8'), 'one\n2\n')
  t.match(await patch({ type: 'create_file', path: at('p.txt'), diff: '+x' }), {
    http: 409,
    status: 'failed',
    output: `patch: already exists: ${at('p.txt')}`,
  })
  t.match(await patch({ type: 'update_file', path: 'none.txt', diff: '@@\n-a\n+b' }), { http: 404, status: 'failed' })
  t.match(await patch({ type: 'update_file', path: 'p.txt', diff: '@@\n one', moveTo: 'q.txt' }), {
    status: 'completed',
    output: /^moved /,
  })
  t.match(await patch({ type: 'delete_file', path: 'q.txt' }), { status: 'completed', output: /^deleted / })
  t.same([fs.existsSync(at('p.txt')), fs.existsSync(at('q.txt'))], [false, false])
})
