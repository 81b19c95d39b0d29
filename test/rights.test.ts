import { rmSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server } from '@modelcontextprotocol/server'
import t from 'tap'
import type { Executor } from '../src/exec/index.ts'
import { createMcp } from '../src/mcp/index.ts'
import { messageRows } from '../src/routes/index.ts'
import { OWNER, type PendingApproval } from '../src/schema/index.ts'
import { noSandbox, openSocket, sandboxOf, startService, until } from './helper.ts'
import { initialize, modernMessage, post, tasks } from './mcp/raw.ts'
import { all, type Holder, holders, rightsOf, type Rule, strangers, type Whose, whose } from './rights/holders.ts'
import { type Kind, makeToken, type Maker, objectsOf } from './rights/objects.ts'
import { httpRows, mcpRows, type Row, socketRows } from './rights/table.ts'
import { listRoutes } from './routes-of-app.ts'

const service = await startService({
  env: {
    SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
    SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '100000',
    SHELLPHONE_MAX_BACKGROUND_RUNNING: '200',
    SHELLPHONE_MAX_PENDING_APPROVALS: '500',
    SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100000',
  },
})
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-rights-')))
writeFileSync(join(folder, 'file'), 'text')
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const table = httpRows(folder)
const make = objectsOf(service, folder)
const makers = {} as Record<Holder | 'another', Maker>
let clones = 0
const cloneOf = async (holder: Holder | 'another'): Promise<Maker> => {
  if (holder === 'owner') return { name: 'owner', token: service.token }
  const rights = holder === 'another' ? {} : holders[holder]
  const asks = holder === 'supervised' || holder === 'strict'
  return { ...(await makeToken(service, `t${++clones}`, rights)), asks }
}
t.before(async () => {
  for (const holder of [...all, 'another'] as const) makers[holder] = await cloneOf(holder)
  makers.nobody = { name: 'nobody', token: 'wrong' }
})

const made = new Map<string, Promise<string | null>>()
/** The object of a cell, and who asks for it. What success uses up is made for the cell alone. */
async function objectFor(kind: Kind, holder: Holder, of: Whose, isFresh: boolean): Promise<[string | null, Maker]> {
  const asker = kind === 'token' && !strangers.includes(holder) ? await cloneOf(holder) : makers[holder]
  const owner = of === 'own' ? asker : makers[of === "another's" ? 'another' : 'owner']
  if (of === 'own' && strangers.includes(holder)) return [null, asker]
  if (kind === 'token') return [of === "another's" ? (await cloneOf('another')).name : owner.name, asker]
  if (isFresh) return [await make(kind, owner), asker]
  const key = `${kind} ${owner.name}`
  if (!made.has(key)) made.set(key, make(kind, owner))
  return [await made.get(key)!, asker]
}

interface Cell {
  holder: Holder
  of: Whose
  id: string
  asker: Maker
  expected: ReturnType<Rule>
}

let cells = 0
/** The cells of a row: each holder, and where it is about an object whose that is. What a holder cannot have has no cell. */
async function cellsOf({ may, object, isFresh }: { may: Rule; object?: Kind; isFresh?: true }): Promise<Cell[]> {
  const found: Cell[] = []
  for (const holder of all) {
    for (const of of object ? whose : (['own'] as const)) {
      if (object && holder === 'owner' && of === 'own') continue // the owner's
      const isOwn = of === 'own' || (holder === 'owner' && of === "the owner's")
      const expected = strangers.includes(holder) ? 401 : may(rightsOf(holder), isOwn ? 'own' : of, holder)
      const mayUse = expected === 'ok' && isFresh === true
      const [id, asker] = object ? await objectFor(object, holder, of, mayUse) : ['', makers[holder]]
      if (id !== null) found.push({ holder, of, id, asker, expected })
    }
  }
  cells += found.length
  return found
}

async function isAsked({ name }: Maker, signal: AbortSignal): Promise<'asks' | null> {
  while (!signal.aborted) {
    const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }
    if (approvals.some(({ token, dialect }) => token === name && dialect === 'files')) return 'asks'
  }
  return null
}

async function outcomeOf(name: string, row: Row, { id, asker, expected }: Cell): Promise<number | string> {
  const [method, route] = name.split(' ') as [string, string]
  const sent = row.send?.(id) ?? {}
  const { path = route.replace(':dialect', 'nullclaw').replace(/:\w+/, id || 'none'), body, headers = {} } = sent
  const over = new AbortController()
  const request = service
    .request(path, {
      ...{ method, token: asker.token, headers, redirect: 'manual', signal: over.signal },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    .catch(() => null)
  const first = expected === 'asks' ? await Promise.race([request, isAsked(asker, over.signal)]) : await request
  if (first === 'asks' || first === null) {
    over.abort()
    return first ?? 'cut'
  }
  const text = await first.text()
  over.abort()
  if (first.status !== row.ok || !row.shows) return first.status
  return row.shows(first, text, id) ? row.ok : 'hidden'
}

t.test('every route, message, method and tool has its row', async (t) => {
  const routes = (await listRoutes()).filter(({ isPublic }) => !isPublic)
  // HEAD is served by the route of GET
  const own = routes.filter(({ method, path }) => method !== 'HEAD' || path === '/files')
  const rows = Object.keys(table).filter((name) => !name.includes(' with '))
  t.same(rows.sort(), own.map(({ method, path }) => `${method} ${path}`).sort())
  t.same(Object.keys(socketRows).sort(), Object.keys(messageRows).sort())

  const handled = new Set<string>()
  const { setRequestHandler } = Server.prototype
  t.teardown(() => void (Server.prototype.setRequestHandler = setRequestHandler))
  Server.prototype.setRequestHandler = function (this: Server, method: string, ...rest: never[]) {
    handled.add(method)
    return (setRequestHandler as (...args: unknown[]) => void).call(this, method, ...rest)
  } as typeof setRequestHandler
  const parts = { executor: {} as Executor, version: '0', patienceMs: 0, hasReadOnlyBox: true, input: {} as never }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const mcp = createMcp(parts)
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  await mcp.answer({ request, body: initialize, over: Promise.resolve(), who: OWNER }, null)
  const ofProtocol = ['initialize', 'ping', 'server/discover', 'subscriptions/listen']
  const methods = new Set(Object.keys(mcpRows).map((name) => name.split(' ')[0]!))
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
  const tools = Object.keys(mcpRows).flatMap((name) => name.split(' ')[1] ?? [])
  t.same(tools.sort(), result.tools.map(({ name }) => name).sort())
})

t.test('each right at each route', async (t) => {
  const noPad = await noSandbox(service, 'read-only') // meka's, which alone makes some
  for (const [name, row] of Object.entries(table)) {
    if (noPad && row.object === 'pad') continue
    for (const cell of await cellsOf(row)) {
      const expected = cell.expected === 'ok' ? row.ok : cell.expected
      t.equal(await outcomeOf(name, row, cell), expected, `${name}: ${cell.holder}, ${cell.of}`)
    }
  }
})

t.test('each right at each message of the WebSocket', async (t) => {
  const sent = new Map<string, { cell: Cell; name: string }>()
  const rows = await Promise.all(
    Object.entries(socketRows).map(async ([name, row]) => ({ name, row, cells: await cellsOf(row) })),
  )
  for (const holder of all) {
    if (strangers.includes(holder)) {
      await t.rejects(openSocket(service.url, makers[holder].token), /401/, holder)
      continue
    }
    const socket = await openSocket(service.url, makers[holder].token)
    for (const { name, row, cells } of rows) {
      for (const cell of cells.filter((one) => one.holder === holder)) {
        const ref = `${name}: ${holder}, ${cell.of}`
        sent.set(ref, { cell, name })
        socket.send({ type: name, ref, ...row.send(cell.id) })
      }
    }
    await socket.exec('last', { command: 'true' })
    const errorOf = (ref: string) => {
      const found = socket.messages.find((message) => message.type === 'error' && message.ref === ref)
      return (found?.error as { type: string } | undefined)?.type ?? 'ok'
    }
    const types: Record<string, string> = { 403: 'forbidden', 404: 'not_found' }
    for (const [ref, { cell, name }] of sent) {
      if (cell.holder !== holder) continue
      const expected = cell.expected !== 'ok' ? types[cell.expected] : name === 'resize' ? 'conflict' : 'ok'
      await until(() => errorOf(ref) === expected, 2000)
      t.equal(errorOf(ref), expected, ref)
    }
    await socket.close()
  }
})

t.test('each right at each method and tool of MCP', async (t) => {
  const { available } = await sandboxOf(service)
  for (const [name, row] of Object.entries(mcpRows)) {
    if (name.endsWith('exec_read_only') && !available.includes('read-only')) continue
    for (const { holder, of, id, asker, expected } of await cellsOf(row)) {
      const { message, headers } = modernMessage(name.split(' ')[0]!, row.send(id), tasks)
      const authorization = `Bearer ${asker.token}`
      const isOwnTool = holder === 'dialect' && /exec(_read_only)?$/.test(name)
      const { status, body } = await post(service, message, { ...headers, authorization })
      const said = JSON.stringify(body)
      const got = status === 401 ? 401 : /No such run/.test(said) ? 404 : /may not use/.test(said) ? 403 : 'ok'
      if (isOwnTool) t.match(said, /Unknown tool/, `${name}: its own tool instead`)
      else t.equal(got, expected, `${name}: ${holder}, ${of}`)
      if (!isOwnTool && expected === 'ok')
        t.notMatch(said, /"error"|"isError":true/, `${name}: ${holder}, ${of}: a result`)
    }
  }
})

t.test('nobody has ended what others run', async (t) => {
  const ids = await Promise.all([...made].filter(([key]) => key.startsWith('live')).map(([, id]) => id))
  for (const id of ids) {
    if (id !== null) t.match(await (await service.request(`/runs/${id}`)).json(), { status: 'running' }, id)
  }
  t.comment(
    `${Object.keys({ ...table, ...socketRows, ...mcpRows }).length} rows, ${cells} cells, ${all.length} holders`,
  )
})
