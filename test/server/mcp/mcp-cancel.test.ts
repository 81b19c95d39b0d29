import t from 'tap'
import { processesWith, soon, startService, until } from '../../support/helper.ts'
import { initialize, post } from '../../support/mcp/raw.ts'

const service = await startService()
t.teardown(() => service.stop())

const { session } = await post(service, initialize)
const headers = { accept: 'application/json, text/event-stream', 'mcp-session-id': session! }
const call = (id: number, command: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'exec', arguments: { command } },
})
const cancel = (requestId: number) =>
  post(service, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, headers)
/** The ids of the responses on a stream that has ended. */
const answered = async (response: Response) =>
  [...(await soon(response.text())).matchAll(/^data: ?(.+)$/gm)].map(([, data]) => JSON.parse(data!).id)

t.test('a canceled call gets no response and its stream ends', async (t) => {
  const calls = await Promise.all([31, 32, 33].map((id) => service.post('/mcp', call(id, `sleep 71.${id}`), headers)))
  t.ok(await until(() => processesWith('sleep 71.3').length >= 3))
  for (const id of [31, 32, 33]) t.equal((await cancel(id)).status, 202)
  for (const one of calls) t.same(await answered(one), [])
  t.ok(await until(() => processesWith('sleep 71.3').length === 0))
  t.match(await post(service, call(34, 'echo on'), headers), {
    body: { result: { structuredContent: { stdout: 'on\n' } } },
  })
})

t.test('the stream of a batch with a canceled call ends after the last response', async (t) => {
  const batch = await service.post('/mcp', [call(41, 'sleep 71.41'), call(42, 'sleep 71.42')], headers)
  t.ok(await until(() => processesWith('sleep 71.4').length >= 2))
  await cancel(41)
  t.ok(await until(() => processesWith('sleep 71.41').length === 0))
  t.ok(processesWith('sleep 71.42').length > 0, 'the other call continues')
  await cancel(42)
  t.same(await answered(batch), [41, 42])
})

t.test('a cancel that is too late or has a foreign id ends nothing', async (t) => {
  await post(service, call(51, 'true'), headers)
  for (const id of [51, 999]) t.equal((await cancel(id)).status, 202)
  t.match(await post(service, call(52, 'echo on'), headers), {
    body: { result: { structuredContent: { stdout: 'on\n' } } },
  })
})
