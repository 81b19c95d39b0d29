import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { connect, mcp } from '../../src/cli/commands/index.ts'
import { processesWith, root, startService, until } from '../support/helper.ts'

const service = await startService()
t.teardown(() => service.stop())

const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const call = (id: number, command: string) => ({
  id,
  method: 'tools/call',
  params: { name: 'exec', arguments: { command } },
})
const lines = (messages: object[]) => messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('')

t.test('answers every request that it has read before the end of its input', (t) => {
  const messages = [
    initialize,
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    call(3, 'echo hello'),
  ]
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'dist/main.js'), 'mcp'], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
    input: lines(messages),
    encoding: 'utf8',
  })
  t.equal(status, 0)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ids = answers.map(({ id }) => id).filter((id) => id !== undefined)
  t.same(ids.sort(), [1, 2, 3])
  t.match(
    answers.find(({ id }) => id === 3),
    { result: { structuredContent: { status: 'completed', stdout: 'hello\n' } } },
  )
  t.end()
})

t.test('with SHELLPHONE_TOKEN, starts no service, whose owner the agent would be', (t) => {
  const home = t.testdir({})
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'dist/main.js'), 'mcp'], {
    env: { ...process.env, SHELLPHONE_HOME: home, SHELLPHONE_PORT: '1', SHELLPHONE_TOKEN: 'the-token-of-an-agent' },
    input: lines([initialize]),
    encoding: 'utf8',
  })
  t.equal(status, 0)
  t.match(JSON.parse(stdout), { id: 1, error: { message: /ECONNREFUSED.*shellphone serve/ } })
  t.same(readdirSync(home), [])
  t.end()
})

t.test('cancels a request that has no answer when its time is over', async (t) => {
  const at = { url: service.url, key: null, token: service.token }
  const client = connect({ at, person: 'ann', seenRuns: '/nonexistent', isInsideRun: false })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const ended = mcp({ running: client }, input, output, 1)
  input.write(lines([initialize, { method: 'notifications/initialized' }, call(2, 'sleep 3062.1')]))
  t.ok(await until(() => processesWith('sleep 3062.1').length > 0))
  input.end()
  await ended
  t.ok(await until(() => processesWith('sleep 3062.1').length === 0))
})
