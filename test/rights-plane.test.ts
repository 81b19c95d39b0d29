import t from 'tap'
import { wants } from './helper.ts'
import { noBroker, startBroker } from './nats.ts'
import { enrol, startPlane } from './plane.ts'

wants(t, noBroker)

const broker = await startBroker()
let listed = ''
const plane = await startPlane(broker, {
  page: async (app) => void (listed = app.printRoutes({ commonPrefix: false })),
})
t.teardown(async () => {
  await plane.close()
  await broker.stop()
})
await enrol(plane, 'pixel', ['lab=berlin'])

/** Every role, and an agent for phones that are not here. */
const tokens: Record<string, string> = {
  admin: plane.file.token,
  person: await plane.token('person', 'person'),
  agent: await plane.token('agent', 'agent'),
  elsewhere: await plane.token('elsewhere', 'agent', 'lab=paris'),
  another: await plane.token('another', 'agent'),
  nobody: 'wrong',
}
const holders = ['admin', 'person', 'agent', 'elsewhere', 'nobody'] as const
type Holder = (typeof holders)[number]
const whose = ['own', "another's", "the owner's"] as const
type Whose = (typeof whose)[number]
type Rule = (holder: Holder, of: Whose) => number | null

const anyone: Rule = () => null
const person: Rule = (holder) => (holder === 'admin' || holder === 'person' ? null : 403)
const admin: Rule = (holder) => (holder === 'admin' ? null : 403)
const forItsPhones: Rule = (holder) => (holder === 'elsewhere' ? 404 : null)
/** An agent finds its own jobs alone. */
const submitter: Rule = (holder, of) => (of === 'own' || holder === 'admin' || holder === 'person' ? null : 404)

interface Row {
  may: Rule
  ok: number
  isAboutJob?: true
  path?: string
  body?: object
  headers?: Record<string, string>
}

const job = { command: 'true', phones: 'name=pixel', queue_seconds: 600 }
const offline = { may: forItsPhones, ok: 503 } as const
const table: Record<string, Row> = {
  'POST /exec': { ...offline, body: { command: 'true' }, headers: { 'x-phone': 'pixel' } },
  'POST /exec/:dialect': { ...offline, path: '/exec/meka', body: { command: 'true' }, headers: { 'x-phone': 'pixel' } },
  'GET /phones': { may: anyone, ok: 200 },
  'GET /phones/:name': { may: forItsPhones, ok: 200, path: '/phones/pixel' },
  'GET /phones/:name/*': { ...offline, path: '/phones/pixel/runs' },
  'HEAD /phones/:name/*': { ...offline, path: '/phones/pixel/files?path=/x' },
  'POST /phones/:name/*': { ...offline, path: '/phones/pixel/exec', body: { command: 'true' } },
  'POST /phones/:name/* with an answer': {
    may: (holder) => (person(holder, 'own') === null ? null : 403),
    ok: 503,
    path: '/phones/pixel/approvals/x',
    body: { decision: 'deny' },
  },
  'DELETE /phones/:name/*': { ...offline, path: '/phones/pixel/runs/x' },
  'PUT /phones/:name/*': { ...offline, path: '/phones/pixel/files?path=/x', body: {} },
  'DELETE /conflicts/:name': { may: person, ok: 204, path: '/conflicts/pixel' },
  'DELETE /enrolled/:name': { may: admin, ok: 404, path: '/enrolled/none' },
  'GET /jobs/:id': { may: submitter, ok: 200, isAboutJob: true },
  'GET /jobs/:id/events': { may: submitter, ok: 200, isAboutJob: true },
  'DELETE /jobs/:id': { may: submitter, ok: 200, isAboutJob: true },
  'GET /approvals': { may: person, ok: 200 },
  'POST /invites': { may: admin, ok: 200, body: { name: 'nokia' } },
  'GET /tokens': { may: admin, ok: 200 },
  'POST /tokens': { may: admin, ok: 200, body: { name: 'more', role: 'agent' } },
  'DELETE /tokens/:name': { may: admin, ok: 404, path: '/tokens/none' },
  'GET /metrics': { may: anyone, ok: 200 },
}
const open = ['GET /phones/:name/ws', 'POST /enrol', 'GET /health']

/** `/phones` and below it `/:name (GET, HEAD)`, as Fastify draws its routes. */
function routesIn(tree: string): string[] {
  const path: string[] = []
  return tree.split('\n').flatMap((line) => {
    const found = /^([│├└─ ]*)([^ ]+)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (!found) return []
    const [, indent = '', segment = '', methods = ''] = found
    path.length = Math.max(0, indent.length / 4 - 1)
    path.push(segment)
    const url = path.join('').replace(/(:\w+)\*/, '$1/*')
    return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${url}`)
  })
}

async function submit(holder: string, key: string): Promise<string | null> {
  const reply = await plane.post('/exec', job, { token: tokens[holder]!, headers: { 'idempotency-key': key } })
  return reply.status === 202 ? ((await reply.json()) as { job: string }).job : null
}

t.test('every route of a control plane has its row', async (t) => {
  const routes = new Set(routesIn(listed))
  // HEAD is served by the route of GET
  const own = [...routes].filter((name) => !name.startsWith('HEAD') || name in table)
  const rows = Object.keys(table).filter((name) => !name.includes(' with '))
  t.same(own.sort(), [...rows, ...open].sort())
})

t.test('each role at each route of a control plane', async (t) => {
  let cells = 0
  for (const [name, row] of Object.entries(table)) {
    const [method, route] = name.split(' ') as [string, string]
    for (const holder of holders) {
      for (const of of row.isAboutJob ? whose : (['own'] as const)) {
        const owner = of === 'own' ? holder : of === "another's" ? 'another' : 'admin'
        const id = row.isAboutJob ? await submit(owner, `of ${owner}`.replace(' ', '-')) : ''
        if (id === null) continue
        const path = row.path ?? route.replace(':id', id)
        const body = row.body && { body: JSON.stringify(row.body) }
        const headers = { ...(body && { 'content-type': 'application/json' }), ...row.headers }
        const gone = new AbortController()
        const request = { method, token: tokens[holder]!, headers, ...body, signal: gone.signal }
        const { status } = await plane.request(path, request)
        gone.abort()
        const isOwners = holder === 'admin' && of === "the owner's"
        const expected = holder === 'nobody' ? 401 : (row.may(holder, isOwners ? 'own' : of) ?? row.ok)
        t.equal(status, expected, `${name}: ${holder}, ${of}`)
        cells++
      }
    }
  }
  t.comment(`${Object.keys(table).length} rows, ${cells} cells`)
})

t.test('the same key of two tokens is two jobs', async (t) => {
  const [one, two] = [await submit('agent', 'shared'), await submit('another', 'shared')]
  t.not(one, two)
  for (const [holder, id, status] of [
    ['agent', one, 200],
    ['another', two, 200],
    ['agent', two, 404],
    ['another', one, 404],
  ] as const) {
    t.equal((await plane.request(`/jobs/${id}`, { token: tokens[holder]! })).status, status, `${holder}`)
  }
})
