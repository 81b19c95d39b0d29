import t from 'tap'
import { messageRows } from '../src/routes/index.ts'
import type { ExecRecord, NewToken, TokenInput } from '../src/schema/index.ts'
import { noSandbox, openSocket, startService, until } from './helper.ts'
import { listRoutes } from './routes-of-app.ts'

/** Every right that a token can have, one at a time; the rest of each is as usual. */
const rights = {
  owner: null,
  usual: {},
  'approves own': { approves: 'own' },
  'approves all': { approves: 'all' },
  'read all': { read: 'all' },
  'read all, approves all': { read: 'all', approves: 'all' },
  shell: { shell: true },
  'files none': { files: 'none' },
  'files read': { files: 'read' },
  'instant answers': { instant_answers: true },
} satisfies Record<string, Omit<TokenInput, 'name'> | null>
type Holder = keyof typeof rights

const people: Holder[] = ['owner', 'approves all', 'read all, approves all']
const readers: Holder[] = ['owner', 'read all', 'read all, approves all']
const all = Object.keys(rights) as Holder[]
const except = (...some: Holder[]) => all.filter((one) => !some.includes(one))

/** Who may, and what the others hear. */
interface Decision {
  may: Holder[]
  others: (holder: Holder) => number
}
const forbidden = () => 403
/** Of the service as a whole, or of the caller's own runs. */
const anyone: Decision = { may: all, others: forbidden }
const person: Decision = { may: people, others: forbidden }
/** Another's run: who does not read it does not find it. */
const reader: Decision = { may: readers, others: () => 404 }
/** Feeding another's run, too. */
const hand: Decision = {
  may: ['owner', 'read all, approves all'],
  others: (holder) => (readers.includes(holder) ? 403 : 404),
}
const readsFiles: Decision = { may: except('files none'), others: forbidden }
const writesFiles: Decision = { may: except('files none', 'files read'), others: forbidden }
const opensTerminals: Decision = { may: ['owner', 'shell'], others: forbidden }

/** Each route and each message, what is sent, and who may. `ENDED` and `LIVE` are runs of the owner. */
const table: Record<string, [Decision, unknown?]> = {
  'POST /exec': [anyone, { command: 'true' }],
  'POST /exec with a terminal': [opensTerminals, { command: 'true', tty: { rows: 2, columns: 2 } }],
  'POST /exec/:dialect': [anyone, {}],
  'GET /runs': [anyone],
  'GET /runs/:id': [reader],
  'DELETE /runs/:id': [reader],
  'GET /runs/:id/output': [reader],
  'GET /runs/:id/events': [reader],
  'GET /runs/:id/stdin': [hand],
  'POST /runs/:id/stdin': [hand, { data: 'x' }],
  'PUT /runs/:id/stdin': [hand, 'x'],
  'POST /runs/:id/signal': [hand, { signal: 'SIGCONT' }],
  'POST /runs/:id/resize': [hand, { rows: 2, columns: 2 }],
  'GET /scratchpads/:name': [reader],
  'GET /files': [readsFiles],
  'HEAD /files': [readsFiles],
  'PUT /files': [writesFiles, 'x'],
  'DELETE /files': [writesFiles],
  'GET /doctor': [person],
  'GET /phone': [person],
  'GET /load': [person],
  'GET /settings': [person],
  'GET /dialects': [anyone],
  'POST /mcp': [anyone, {}],
  'GET /mcp': [anyone],
  'DELETE /mcp': [anyone],
  'POST /mcp/:dialect': [anyone, {}],
  'GET /mcp/:dialect': [anyone],
  'DELETE /mcp/:dialect': [anyone],
  'POST /policy/check': [anyone, { command: 'true' }],
  'GET /approvals': [anyone],
  'POST /approvals/:id': [person, { decision: 'deny' }],
  'DELETE /approvals/rules/:id': [person],
  'GET /tokens': [person],
  'POST /tokens': [person, { name: 'made' }],
  'POST /tokens/:name/rotate': [person],
  'DELETE /tokens/:name': [person],
  'POST /pairing': [person, {}],
  'GET /connections': [person],
  'GET /metrics': [anyone],
  'GET /openapi.yaml': [anyone],
  'exec of the WebSocket': [anyone, { command: 'true' }],
  'attach of the WebSocket': [reader, { id: 'ENDED' }],
  'frames of the WebSocket': [anyone, { frames: 'text' }],
  'output_taken of the WebSocket': [reader, { id: 'ENDED' }],
  'cancel of the WebSocket': [reader, { id: 'ENDED' }],
  'stdin of the WebSocket': [hand, { id: 'LIVE', data: 'x' }],
  'signal of the WebSocket': [hand, { id: 'LIVE', signal: 'SIGCONT' }],
  'resize of the WebSocket': [hand, { id: 'LIVE', rows: 2, columns: 2 }],
  'watch_approvals of the WebSocket': [person, {}],
  'watch_runs of the WebSocket': [anyone, {}],
  'approval of the WebSocket': [person, { id: 'none', decision: 'deny' }],
  'ping of the WebSocket': [anyone, {}],
}

t.test('every route and message has its row', async (t) => {
  const routes = (await listRoutes()).filter(({ isPublic }) => !isPublic)
  const own = routes.filter(({ method, path }) => method !== 'HEAD' || path === '/files')
  const names = own.map(({ method, path }) => `${method} ${path}`)
  const messages = Object.keys(messageRows).map((name) => `${name} of the WebSocket`)
  const rows = Object.keys(table).filter((name) => !name.includes(' with '))
  t.same(rows.sort(), [...names, ...messages].sort())
  t.comment(`${all.length} kinds of token, ${Object.keys(table).length} routes and messages`)
})

t.test('each right, at each route', async (t) => {
  const service = await startService({ env: { SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' } })
  t.teardown(() => service.stop())
  const folder = t.testdir({ file: 'text' })
  const ended = await service.exec({ command: 'true' })
  const live = await start({ command: 'cat', background: true, stdin: 'open' })
  await service.post('/exec/meka', { command: 'echo', scratchpad: 'pad' })
  const tokens: Record<string, string> = { owner: service.token }
  for (const [index, holder] of all.slice(1).entries()) {
    const made = await service.post('/tokens', { name: `t${index}`, ...rights[holder] })
    tokens[holder] = ((await made.json()) as NewToken).token
  }

  async function start(body: object): Promise<ExecRecord> {
    return (await (await service.post('/exec', body)).json()) as ExecRecord
  }
  const idIn = (text: string) => text.replace('ENDED', ended.id).replace('LIVE', live.id)
  async function statusOf(row: string, body: unknown, holder: Holder): Promise<number> {
    const [method, route] = row.split(' ') as [string, string]
    const run = hand === table[row]![0] ? live.id : ended.id
    const path = route.replace('/runs/:id', `/runs/${run}`).replace(/:name/, 'pad').replace(/:\w+/, 'none')
    const query = path === '/files' ? `?path=${folder}/${method === 'DELETE' ? 'none' : 'file'}` : ''
    const type = typeof body === 'object' ? 'application/json' : 'application/octet-stream'
    const sent = body === undefined ? {} : { body: typeof body === 'object' ? JSON.stringify(body) : String(body) }
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': type }
    const end = path.endsWith('/stdin') && method === 'PUT' ? '?end=false&offset=0' : ''
    const reply = await service.request(path + query + end, { method, token: tokens[holder]!, headers, ...sent })
    await reply.body?.cancel()
    return reply.status
  }
  async function errorsOf(holder: Holder): Promise<Map<string, string>> {
    const socket = await openSocket(service.url, tokens[holder]!)
    const errors = new Map<string, string>()
    for (const [row, [, body]] of Object.entries(table)) {
      if (!row.endsWith('WebSocket')) continue
      socket.send(idIn(JSON.stringify({ type: row.split(' ')[0], ref: row, ...(body as object) })))
    }
    await socket.next(({ type, ref }) => type === 'result' && ref?.startsWith('exec') === true)
    const refused = Object.keys(table).filter(
      (row) => row.endsWith('WebSocket') && !table[row]![0].may.includes(holder),
    )
    await until(() => {
      for (const { type, ref, error } of socket.messages) {
        if (type === 'error') errors.set(ref!, (error as { type: string }).type)
      }
      return refused.every((row) => errors.has(row))
    }, 3000)
    await socket.close()
    return errors
  }
  const errors = new Map<Holder, Map<string, string>>()
  for (const holder of all) errors.set(holder, await errorsOf(holder))
  const noPad = await noSandbox(service, 'read-only') // meka's, which alone makes some
  for (const [row, [{ may, others }, body]] of Object.entries(table)) {
    if (noPad && row.startsWith('GET /scratchpads')) {
      t.pass(row, { skip: noPad })
      continue
    }
    const said = new Map<Holder, number | string | undefined>()
    for (const holder of all) {
      const overSocket = row.endsWith('WebSocket')
      said.set(holder, overSocket ? errors.get(holder)!.get(row) : await statusOf(row, body, holder))
    }
    const words = { 403: 'forbidden', 404: 'not_found' } as Record<number, string>
    const refusals = new Set(except(...may).flatMap((holder) => [others(holder), words[others(holder)]]))
    for (const [holder, was] of said) {
      const isRefused = refusals.has(was as never) || was === 401 || was === 403
      const isAsOthers = was === others(holder) || was === words[others(holder)]
      if (may.includes(holder)) t.notOk(isRefused, `${row}: ${holder} may`)
      else t.ok(isAsOthers, `${row}: ${holder} may not (${was})`)
    }
  }
  t.match(await (await service.request(`/runs/${live.id}`)).json(), { status: 'running' }, 'nobody has ended it')
})
