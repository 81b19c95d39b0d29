import { connect } from 'node:net'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Server } from '@modelcontextprotocol/server'
import t, { type Test } from 'tap'
import { createSessions } from '../src/mcp/index.ts'
import { type ExecRecord, type NewToken, OWNER, type RunSummary } from '../src/schema/index.ts'
import { startService, until } from './helper.ts'
import { initialize } from './mcp/raw.ts'

/** Few places of everything, so that one token could take them all. */
const service = await startService({
  env: {
    SHELLPHONE_MAX_RUNNING: '2',
    SHELLPHONE_MAX_QUEUED: '4',
    SHELLPHONE_MAX_PENDING_APPROVALS: '4',
    SHELLPHONE_MAX_ACTIONS_PER_HOUR: '60',
    SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
  },
})
t.teardown(() => service.stop())

const tokens = { owner: service.token } as Record<string, string>
for (const name of ['greedy', 'modest', 'third', 'busy']) tokens[name] = await make({ name })
for (const name of ['asking', 'careful']) tokens[name] = await make({ name, policy: 'supervised' })

async function make(input: object): Promise<string> {
  return ((await (await service.post('/tokens', input)).json()) as NewToken).token
}

type Reply = { status: number; body: ExecRecord & { error?: { message: string } } }
async function ask(name: string, body: object, path = '/exec'): Promise<Reply> {
  const reply = await service.post(path, body, { authorization: `Bearer ${tokens[name]}` })
  return { status: reply.status, body: (await reply.json()) as Reply['body'] }
}
const count = async (status: string) => {
  const { runs } = (await (await service.request(`/runs?status=${status}`)).json()) as { runs: RunSummary[] }
  return runs.length
}
const becomes = async (t: Test, status: string, expected: number) =>
  t.ok(await until(async () => (await count(status)) === expected), `${expected} ${status}`)

t.test('a token leaves to others as many places of the queue as it takes, and its turn', async (t) => {
  const file = join(t.testdir({}), 'order')
  const held = [1, 2].map(() => ask('greedy', { command: 'cat', stdin: 'open' }))
  await becomes(t, 'running', 2)
  const note = (name: string) => ask(name, { command: `echo ${name} >> ${file}` })
  const waiting: Promise<Reply>[] = []
  for (const name of ['greedy', 'greedy', 'modest', 'third']) {
    if (name === 'modest') {
      t.match(await note('greedy'), {
        status: 503,
        body: { error: { message: /2 are waiting, 2 of them this token's/ } },
      })
    }
    waiting.push(note(name))
    await becomes(t, 'queued', waiting.length)
  }
  t.equal((await note('third')).status, 503, 'all four are taken')
  const { runs } = (await (await service.request('/runs?status=running')).json()) as { runs: RunSummary[] }
  const end = (id: string) => service.post(`/runs/${id}/stdin`, { end: true })
  await end(runs[0]!.id)
  const ended = await Promise.all(waiting)
  t.ok(ended.every(({ status }) => status === 200))
  await end(runs[1]!.id)
  await Promise.all(held)
  const { stdout } = (await ask('owner', { command: `cat ${file}` })).body
  t.equal(stdout, 'modest\nthird\ngreedy\ngreedy\n', 'who holds no slot goes first, then who came first')
})

t.test('a token leaves to others as many pending approvals as it has', async (t) => {
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

t.test('a token leaves to others as many transfers of files as it has', async (t) => {
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
  t.ok(await come(33), 'another token finds room')
})

t.test('a token leaves to others as many MCP sessions as it has', async (t) => {
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
    // one that is let in answers when its exchange is over: never, here
    await until(() => status !== undefined || sessions.size() > before)
    return status === 503 ? 'refused' : sessions.size()
  }
  const busy = new Promise<void>(() => {})
  t.equal(await begin('greedy', busy), 1)
  t.equal(await begin('greedy', busy), 2)
  t.equal(await begin('greedy', busy), 'refused', 'two of four are its share')
  t.equal(await begin('modest', busy), 3)
  t.equal(await begin('modest', busy), 'refused')
  t.equal(await begin('third', busy), 4)
})

t.test('the hourly limit counts each token by itself, whatever its dialect counts', async (t) => {
  const run = (name: string) => ask(name, { command: 'true' })
  const statuses: number[] = []
  for (let index = 0; index < 60; index++) statuses.push((await run('busy')).status)
  t.same(new Set(statuses), new Set([200]))
  t.match(await run('busy'), { status: 403, body: { decision: { rule: 'max-actions-per-hour' } } })
  t.equal((await ask('busy', { command: 'true' }, '/exec/nullclaw')).status, 200, 'a refusal in its own words')
  t.equal((await run('busy')).status, 403, 'a dialect with a lower limit forgets nothing')
  t.equal((await run('modest')).status, 200, 'another token has its own hour')
})
