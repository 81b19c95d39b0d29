import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { PendingApproval } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { type Service, soon, startService, until } from '../../support/helper.ts'
import { form, type McpResult, modernMessage, post } from '../../support/mcp/raw.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-wait-'))
const service = await startService({ env: { SHELLPHONE_MCP_PATIENCE_SECONDS: '30' } })
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Call {
  of?: Service
  token?: string
  capabilities?: object
  path?: string
}
async function call(name: string, args: object, { of = service, token = of.token, capabilities, path }: Call = {}) {
  const { message, headers } = modernMessage('tools/call', { name, arguments: args }, capabilities)
  const { body } = await post(of, message, { ...headers, authorization: `Bearer ${token}` }, path)
  return body.result as unknown as McpResult
}
const waitNext = (given: Call = {}) => call('exec_wait', {}, given)
const none = { structuredContent: { note: /^no background run that this token began over MCP is live/ } }

async function newToken(name: string, rights: object = {}): Promise<string> {
  const made = await service.post('/tokens', { name, ...rights })
  return ((await made.json()) as { token: string }).token
}

/** A command that ends when the test writes `name`. */
const waiting = (name: string) => `until [ -e ${folder}/${name} ]; do sleep 0.02; done; echo ${name}`
const release = (name: string) => writeFileSync(join(folder, name), '')
async function startRun(name: string, given: Call = {}): Promise<string> {
  const started = await call('exec', { command: waiting(name), background: true }, given)
  return started.structuredContent.id as string
}

t.test('exec_wait without an id returns each background run once, in the order in which they end', async (t) => {
  t.match(await waitNext(), none, 'at once, if there is no background run')
  const [first, second] = [await startRun('first'), await startRun('second')]
  const next = waitNext()
  release('second')
  t.match(await next, { structuredContent: { id: second, status: 'completed', stdout: 'second\n' } })
  release('first')
  t.match(await (await service.request(`/runs/${first}?wait_seconds=60`)).json(), { status: 'completed' })
  t.match(await waitNext(), { structuredContent: { id: first, stdout: 'first\n' } }, 'also if it ended before the call')
  t.match(await waitNext(), none, 'and not again')
})

t.test('exec_wait without an id does not return what another call has returned', async (t) => {
  const id = await startRun('by-id')
  release('by-id')
  t.match(await call('exec_wait', { id }), { structuredContent: { id, status: 'completed' } })
  t.match(await waitNext(), none)
  t.match(await call('exec', { command: 'true' }), { structuredContent: { status: 'completed' } })
  t.match(await waitNext(), none, 'nor a run whose call has returned its result')
})

t.test('exec_wait without an id never returns a run that began outside MCP, even with the same token', async (t) => {
  const token = await newToken('person', { read: 'all' })
  const headers = { authorization: `Bearer ${token}` }
  const begin = async (command: string) => {
    const reply = await service.post('/exec', { command, background: true }, headers)
    return ((await reply.json()) as { id: string }).id
  }
  const [ended, live] = [await begin('echo private'), await begin(waiting('private'))]
  const wait = (id: string) => service.request(`/runs/${id}?wait_seconds=60`)
  await wait(ended)
  t.match(await waitNext({ token }), none)
  await call('exec_wait', { id: live, wait_seconds: 0 }, { token })
  t.match(await waitNext({ token }), none, 'nor one that a call has waited for by its id')
  const own = await startRun('own-run', { token })
  release('own-run')
  release('private')
  await Promise.all([wait(live), wait(own)])
  t.match(await waitNext({ token }), { structuredContent: { id: own, stdout: 'own-run\n' } })
  t.match(await waitNext({ token }), none)
})

t.test('exec_wait without an id names the live runs after wait_seconds', async (t) => {
  const id = await startRun('late')
  const note = new RegExp(`^still running after 0 s: ${id}: call exec_wait again$`)
  t.match(await call('exec_wait', { wait_seconds: 0 }), { structuredContent: { status: 'running', note } })
  release('late')
  t.match(await waitNext(), { structuredContent: { id, status: 'completed' } })
})

t.test('exec_wait without an id waits only for the runs of its own token', async (t) => {
  const [own, other] = [await newToken('own'), await newToken('other', { read: 'all', approves: 'all' })]
  const id = await startRun('mine', { token: own })
  t.match(await waitNext({ token: other }), none, 'even if the token may read all runs')
  release('mine')
  t.match(await waitNext({ token: own }), { structuredContent: { id } })
  t.match(await waitNext({ token: other }), none)
})

t.test('exec_wait without an id returns a run whose call has returned a handle', async (t) => {
  const { service: impatient } = await watchedService(t, { SHELLPHONE_MCP_PATIENCE_SECONDS: '0.1' })
  const handle = await call('exec', { command: waiting('handed-over') }, { of: impatient })
  const { id } = handle.structuredContent
  release('handed-over')
  let ended = await waitNext({ of: impatient })
  while (ended.structuredContent.status === 'running') ended = await waitNext({ of: impatient })
  t.match(ended.structuredContent, { id, status: 'completed', stdout: 'handed-over\n' })
})

t.test('exec_wait without an id returns a dialect’s run in its own format', async (t) => {
  const { service: impatient } = await watchedService(t, { SHELLPHONE_MCP_PATIENCE_SECONDS: '0.1' })
  const given = { of: impatient, path: '/mcp/nullclaw' }
  const handle = await call('shell', { command: waiting('nullclaw') }, given)
  release('nullclaw')
  let ended = await waitNext(given)
  while (ended.structuredContent.status === 'running') ended = await waitNext(given)
  t.match(ended.structuredContent, { id: handle.structuredContent.id, output: /nullclaw/ })
})

t.test('exec_wait without an id returns a run that needs approval, and its end', async (t) => {
  const { service: asking } = await watchedService(t, {
    SHELLPHONE_MCP_PATIENCE_SECONDS: '30',
  })
  const pending = async () => {
    const reply = await asking.request('/approvals')
    return ((await reply.json()) as { approvals: PendingApproval[] }).approvals
  }
  const command = `touch ${folder}/target`
  const started = await call('exec', { command, background: true }, { of: asking })
  const { id } = started.structuredContent
  const note = /^waits for approval until .*: call exec_wait with this id, or exec_cancel$/
  const isReported = note.test(String(started.structuredContent.note)) // the handle has the request if it existed by then
  if (!isReported) t.match(await waitNext({ of: asking }), { structuredContent: { id, note } })
  const wait = await call('exec_wait', { wait_seconds: 0 }, { of: asking })
  t.match(wait.structuredContent, { status: 'running', note: /^still running after 0 s/ }, 'the same request only once')
  await asking.post(`/approvals/${(await pending())[0]!.id}`, { decision: 'approve' })
  t.match(await waitNext({ of: asking }), { structuredContent: { id, status: 'completed' } })

  const given = { of: asking, capabilities: form }
  const again = await call('exec', { command, background: true }, given)
  const asks = (result: object) => 'resultType' in result && result.resultType === 'input_required'
  const isShown = asks(again) || note.test(String(again.structuredContent.note))
  if (!isShown) t.ok(asks(await waitNext(given)), 'a client that can show a form gets the approval request')
})

t.test('exec_input fails at once while the run waits for approval', async (t) => {
  const { service: asking, question } = await watchedService(t)
  const command = `touch ${folder}/fed; cat`
  const started = await call('exec', { command, stdin: 'open', background: true }, { of: asking })
  const { id } = started.structuredContent
  const approval = await question(command)
  const refusal = {
    isError: true,
    content: [{ text: new RegExp(`has not started; it waits for the approval ${approval.id}`) }],
  }
  for (const input of [{ data: 'one\n' }, { end: true }, { signal: 'SIGINT' }]) {
    t.match(await soon(call('exec_input', { id, ...input }, { of: asking })), refusal, JSON.stringify(input))
  }
  await asking.post(`/approvals/${approval.id}`, { decision: 'approve' })
  const isRunning = async () =>
    ((await (await asking.request(`/runs/${id}`)).json()) as { status: string }).status === 'running'
  t.ok(await until(isRunning))
  t.match(await call('exec_input', { id, data: 'two\n', end: true }, { of: asking }), {
    structuredContent: { taken: 4 },
  })
  t.match(await call('exec_wait', { id }, { of: asking }), { structuredContent: { stdout: 'two\n' } })
})
