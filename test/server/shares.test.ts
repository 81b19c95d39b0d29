import { connect } from 'node:net'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '@modelcontextprotocol/server'
import t, { type Test } from 'tap'
import { createSessions } from '../../src/server/mcp/index.ts'
import { type ExecRecord, type NewToken, OWNER, type RunSummary } from '../../src/shared/schema/index.ts'
import { noTerminals, startService, until } from '../support/helper.ts'
import { initialize } from '../support/mcp/raw.ts'

/** A service with so few slots of each kind that one token could take them all. */
const service = await startService({
  env: {
    SHELLPHONE_MAX_RUNNING: '2',
    SHELLPHONE_MAX_BACKGROUND_RUNNING: '2',
    SHELLPHONE_TERMINAL: 'on',
    SHELLPHONE_MAX_TERMINALS: '2',
    SHELLPHONE_MAX_QUEUED: '4',
    SHELLPHONE_MAX_PENDING_APPROVALS: '4',
    SHELLPHONE_MAX_ACTIONS_PER_HOUR: '60',
    SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
  },
})
t.teardown(() => service.stop())

const tokens = { owner: service.token } as Record<string, string>
for (const name of ['greedy', 'modest', 'third', 'busy']) tokens[name] = await make({ name })
for (const name of ['typing', 'drawing']) tokens[name] = await make({ name, shell: true })
for (const name of ['asking', 'careful']) tokens[name] = await make({ name, policy: 'supervised' })

async function make(input: object): Promise<string> {
  return ((await (await service.post('/tokens', input)).json()) as NewToken).token
}

type Reply = { status: number; body: ExecRecord & { error?: { message: string } } }
async function ask(name: string, body: object, path = '/exec'): Promise<Reply> {
  const reply = await service.post(path, body, { authorization: `Bearer ${tokens[name]}` })
  return { status: reply.status, body: (await reply.json()) as Reply['body'] }
}
const listed = async (query: string) =>
  ((await (await service.request(`/runs?${query}`)).json()) as { runs: RunSummary[] }).runs
const count = async (status: string) => (await listed(`status=${status}`)).length
const becomes = async (t: Test, status: string, expected: number) =>
  t.ok(await until(async () => (await count(status)) === expected), `${expected} ${status}`)

const end = (id: string) => service.post(`/runs/${id}/stdin`, { end: true })

for (const background of [false, true]) {
  t.test(`reserves the last slot for other tokens${background ? ', in the background too' : ''}`, async (t) => {
    const cat = { command: 'cat', stdin: 'open', background }
    const begun = [ask('greedy', cat)]
    await becomes(t, 'running', 1)
    begun.push(ask('greedy', cat))
    await becomes(t, 'queued', 1)
    begun.push(ask('modest', cat))
    await becomes(t, 'running', 2)
    const running = async () => (await listed('status=running')).map(({ token, id }) => ({ token, id }))
    t.same((await running()).map(({ token }) => token).sort(), ['greedy', 'modest'], 'another token comes first')
    for (const name of ['greedy', 'modest']) {
      const { id } = (await running()).find(({ token }) => token === name)!
      await end(id)
      t.ok(await until(async () => !(await running()).some((run) => run.id === id)))
    }
    await becomes(t, 'running', 1)
    t.same(
      (await running()).map(({ token }) => token),
      ['greedy'],
      'its second has its turn when its first has ended',
    )
    await end((await running())[0]!.id)
    await Promise.all(begun)
    await becomes(t, 'live', 0)
  })
}

t.test('the owner may take every slot', async (t) => {
  const held = [1, 2].map(() => ask('owner', { command: 'cat', stdin: 'open' }))
  await becomes(t, 'running', 2)
  for (const { id } of await listed('status=running')) await end(id)
  await Promise.all(held)
})

t.test('reserves the last terminal for other tokens', async (t) => {
  const skip = await noTerminals(service)
  if (skip !== null) return t.pass('terminals', { skip })
  const open = (name: string) => ask(name, { command: 'cat', tty: { rows: 2, columns: 2 } })
  t.equal((await open('typing')).status, 202)
  t.match(await open('typing'), {
    status: 503,
    body: { error: { message: '1 terminals are already open, and the last of 2 is reserved for another token' } },
  })
  t.equal((await open('drawing')).status, 202)
  t.match(await open('owner'), { status: 503, body: { error: { message: '2 terminals are already open' } } })
  for (const { id } of await listed('status=live')) await service.request(`/runs/${id}`, { method: 'DELETE' })
  await becomes(t, 'live', 0)
})

t.test('limits a token to its share of the queue and of turns', async (t) => {
  const file = join(t.testdir({}), 'order')
  const held = ['greedy', 'owner'].map((name) => ask(name, { command: 'cat', stdin: 'open' }))
  await becomes(t, 'running', 2)
  const note = (name: string) => ask(name, { command: `echo ${name} >> ${file}` })
  const waiting: Promise<Reply>[] = []
  for (const name of ['greedy', 'greedy', 'modest', 'third']) {
    if (name === 'modest') {
      t.match(await note('greedy'), {
        status: 503,
        body: { error: { message: /waiting: 2, 2 of them this token's/ } },
      })
    }
    waiting.push(note(name))
    await becomes(t, 'queued', waiting.length)
  }
  t.equal((await note('third')).status, 503, 'all four slots are taken')
  const running = await listed('status=running')
  await end(running.find(({ token }) => token === 'owner')!.id)
  const others = await Promise.all(waiting.slice(2))
  t.equal(await count('queued'), 2, 'the free slot is reserved for another token')
  await end(running.find(({ token }) => token === 'greedy')!.id)
  const ended = [...others, ...(await Promise.all(waiting))]
  t.ok(ended.every(({ status }) => status === 200))
  await Promise.all(held)
  const { stdout } = (await ask('owner', { command: `cat ${file}` })).body
  t.equal(stdout, 'modest\nthird\ngreedy\ngreedy\n', 'tokens without a slot go first, then the longest waiting')
})

t.test('limits a token to its share of pending approvals', async (t) => {
  const folder = t.testdir({})
  const request = (name: string, file: string) =>
    ask(name, { command: `touch ${file}`, working_directory: folder, background: true })
  const ids: string[] = []
  for (const file of ['a', 'b', 'c']) ids.push((await request('asking', file)).body.id)
  const outcome = async (id: string) =>
    ((await (await service.request(`/runs/${id}?wait_seconds=60`)).json()) as ExecRecord).approval?.outcome
  t.equal(await outcome(ids[2]!), 'full', 'the third is refused')
  const other = (await request('careful', 'd')).body.id
  await becomes(t, 'queued', 3)
  for (const id of [ids[0]!, ids[1]!, other]) await service.request(`/runs/${id}`, { method: 'DELETE' })
  await becomes(t, 'live', 0)
})

t.test('limits a token to its share of file transfers', async (t) => {
  const folder = t.testdir({})
  const begin = (name: string, index: number) => {
    const at = encodeURIComponent(join(folder, `${name}${index}`))
    const socket = connect(service.port, '127.0.0.1').on('error', () => {})
    t.teardown(() => socket.destroy())
    socket.write(
      `PUT /files?path=${at} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${tokens[name]}\r\ncontent-length: 9\r\n\r\nx`,
    )
    return new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  }
  const come = (expected: number) => until(() => readdirSync(folder).length === expected)
  const started = Array.from({ length: 32 }, (_, index) => begin('greedy', index))
  t.ok(await come(32))
  t.match(await begin('greedy', 32), /503 .*32 of them this token's, which is its share/s)
  started.push(begin('modest', 0))
  t.ok(await come(33), 'another token is accepted')
})

t.test('limits a token to its share of MCP sessions', async (t) => {
  const sessions = createSessions({ maxSessions: 4, idleMs: 60_000 })
  const open = () => ({ connect: async () => {}, close: async () => {} }) as object as Server
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const begin = async (name: string, over: Promise<void>) => {
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers })
    const who = { ...OWNER, id: name, name, approves: 'none' } as const
    const before = sessions.size()
    const reply = sessions.answer({ request, body: initialize, over, who }, open)
    let status: number | undefined
    void reply.then((response) => (status = response.status))
    // an admitted request gets its response when its exchange ends, which never happens here
    await until(() => status !== undefined || sessions.size() > before)
    return status === 503 ? 'refused' : sessions.size()
  }
  const busy = new Promise<void>(() => {})
  t.equal(await begin('greedy', busy), 1)
  t.equal(await begin('greedy', busy), 2)
  t.equal(await begin('greedy', busy), 'refused', 'two of four are the token’s share')
  t.equal(await begin('modest', busy), 3)
  t.equal(await begin('modest', busy), 'refused')
  t.equal(await begin('third', busy), 4)
})

t.test("the hourly limit counts each token separately, in addition to the dialect's limit", async (t) => {
  const run = (name: string) => ask(name, { command: 'true' })
  const statuses: number[] = []
  for (let index = 0; index < 60; index++) statuses.push((await run('busy')).status)
  t.same(new Set(statuses), new Set([200]))
  t.match(await run('busy'), { status: 403, body: { decision: { rule: 'max-actions-per-hour' } } })
  t.equal(
    (await ask('busy', { command: 'true' }, '/exec/nullclaw')).status,
    403,
    'the refusal has the format of the dialect',
  )
  t.equal((await run('busy')).status, 403, 'a dialect with a lower limit keeps the count')
  t.equal((await run('modest')).status, 200, 'another token has a separate limit')
})
