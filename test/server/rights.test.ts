import { Server } from '@modelcontextprotocol/server'
import t from 'tap'
import type { Executor } from '../../src/server/exec/index.ts'
import type { FileTools } from '../../src/server/file-tools/index.ts'
import type { RunNews, Subscriptions } from '../../src/server/wake/index.ts'
import { createMcp } from '../../src/server/mcp/index.ts'
import { messageRows } from '../../src/server/routes/index.ts'
import { OWNER } from '../../src/shared/schema/index.ts'
import { initialize, modernMessage } from '../support/mcp/raw.ts'
import { eachRight } from './rights/each-right.ts'
import { httpRows, mcpRows, socketRows } from './rights/table.ts'
import { listRoutes } from '../support/routes-of-app.ts'

t.test('every route, message, method and tool has its row', async (t) => {
  const routes = (await listRoutes()).filter(({ isPublic }) => !isPublic)
  // HEAD is served by the route of GET
  const own = routes.filter(({ method, path }) => method !== 'HEAD' || path === '/files')
  const rows = Object.keys(httpRows('/')).filter((name) => !name.includes(' with '))
  const names = own.map(({ method, path }) => `${method} ${path}`)
  t.same(names.sort(), rows.sort(), 'a new route needs a row in test/server/rights/table.ts')
  t.same(Object.keys(messageRows).sort(), Object.keys(socketRows).sort(), 'so does a new message')

  const handled = new Set<string>()
  const { setRequestHandler } = Server.prototype
  t.teardown(() => void (Server.prototype.setRequestHandler = setRequestHandler))
  Server.prototype.setRequestHandler = function (this: Server, method: string, ...rest: never[]) {
    handled.add(method)
    return (setRequestHandler as (...args: unknown[]) => void).call(this, method, ...rest)
  } as typeof setRequestHandler
  const parts = {
    executor: {} as Executor,
    fileTools: {} as FileTools,
    news: {} as RunNews,
    subscriptions: {} as Subscriptions,
    version: '0',
    patienceMs: 0,
    hasReadOnlySandbox: true,
    input: {} as never,
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const mcp = createMcp(parts)
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  await mcp.answer({ request, body: initialize, over: Promise.resolve(), who: OWNER }, null)
  const ofProtocol = ['initialize', 'ping', 'server/discover', 'subscriptions/listen']
  const methods = new Set(Object.keys(mcpRows('/')).map((name) => name.split(' ')[0]!))
  t.same([...handled].filter((name) => !ofProtocol.includes(name)).sort(), [...methods].sort())
  const list = modernMessage('tools/list', {})
  const answer = await mcp.answer(
    {
      request: new Request('http://localhost/mcp', { method: 'POST', headers: { ...headers, ...list.headers } }),
      ...{ body: list.message, over: Promise.resolve(), who: OWNER },
    },
    null,
  )
  const { result } = (await answer.json()) as { result: { tools: { name: string }[] } }
  const tools = Object.keys(mcpRows('/')).flatMap((name) => name.split(' ')[1] ?? [])
  t.same(tools.sort(), result.tools.map(({ name }) => name).sort())
})

// test/slow/rights.test.ts tests all of them
await eachRight(t, 2)
