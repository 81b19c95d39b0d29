/** What each role may do with each route, method and tool of a phone through a control plane: the tables of the phone's own rights. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { classRows, type ExecRecord } from '../../src/shared/schema/index.ts'
import { noSandbox, noTerminals, sandboxOf, type Service, wants } from '../support/helper.ts'
import { modernMessage, post, tasks } from '../support/mcp/raw.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, startPlane } from '../support/plane.ts'
import { type Rights, rightsOf, type Rule, whose } from '../server/rights/holders.ts'
import { type Kind, makeToken, objectsOf } from '../server/rights/objects.ts'
import { longLived, requestRow, statusOf } from '../server/rights/row-request.ts'
import { httpRows, mcpRows, type Row } from '../server/rights/table.ts'
import { forPeople } from '../fleet/plane-table.ts'

wants(t, noBroker)

const broker = await startBroker()
const plane = await startPlane(broker)
const pixel = await addPhone(plane, broker, 'pixel', {
  env: { ...longLived, SHELLPHONE_POLICY: 'open' },
})
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-rights-')))
writeFileSync(join(folder, 'file'), 'text')
t.teardown(async () => {
  await pixel.stop()
  await plane.close()
  await broker.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The phone as clients of the plane see it. */
const through = {
  url: `${plane.url}/phones/pixel`,
  request: (path: string, init?: RequestInit & { token?: string }) => plane.request(`/phones/pixel${path}`, init),
  post: (path: string, body: object, headers: Record<string, string> = {}) =>
    plane.post(`/phones/pixel${path}`, body, { headers }),
  exec: async (body: object) => (await (await through.post('/exec', body)).json()) as ExecRecord,
} as Service

const holders = ['admin', 'person', 'agent', 'elsewhere', 'person elsewhere', 'nobody'] as const
type Holder = (typeof holders)[number]
const tokens: Record<Holder | 'another', string> = {
  admin: plane.file.token,
  person: await plane.token('person', 'person'),
  agent: await plane.token('agent', 'agent'),
  another: await plane.token('another', 'agent'),
  elsewhere: await plane.token('elsewhere', 'agent', 'lab=rome'),
  'person elsewhere': await plane.token('roman', 'person', 'lab=rome'),
  nobody: 'wrong',
}
const agentsRights: Rights = { ...rightsOf('usual'), shell: true }

/** The routes that no fleet passes on. */
const onlyDirect = new Set(
  classRows.filter(({ callClass }) => callClass === null).map(({ method, path }) => `${method} ${path}`),
)

/** What a holder gets from a row that is about `of`'s object. `route`: the name of the row. */
function expectedFor(holder: Holder, of: (typeof whose)[number], may: Rule, route: string): ReturnType<Rule> {
  if (holder === 'nobody') return 401
  if (onlyDirect.has(route.split(' with ')[0]!)) return 403
  if (/^(?:agent|elsewhere)$/.test(holder) && forPeople.has(route.split(' with ')[0]!)) return 403
  if (holder.includes('elsewhere')) return 404
  return may(holder === 'agent' ? agentsRights : rightsOf('owner'), of, 'usual')
}

const make = objectsOf(through, folder)
const made = new Map<string, Promise<string | null>>()
let clones = 0

/** The id of an object; null: its owner cannot have one. `fresh`: for one cell only. */
async function objectOf(kind: Kind, owner: Holder | 'another', fresh: boolean): Promise<string | null> {
  // a plane's tokens are no tokens of the phone
  if (kind === 'token') return owner === 'another' ? (await makeToken(through, `t${++clones}`, {})).name : null
  const maker = { name: owner, token: tokens[owner] }
  if (fresh) return make(kind, maker)
  const key = `${kind} ${owner}`
  if (!made.has(key)) made.set(key, make(kind, maker))
  return made.get(key)!
}

interface Cell {
  holder: Holder
  of: (typeof whose)[number]
  expected: ReturnType<Rule>
  id: string
}

async function* cellsOf(route: string, { may, object, isFresh }: Pick<Row, 'may' | 'object' | 'isFresh'>) {
  for (const holder of holders) {
    const isStranger = !['admin', 'person', 'agent'].includes(holder)
    for (const of of object ? whose : (['own'] as const)) {
      if (object && ((holder === 'admin' && of === 'own') || (isStranger && of === 'own'))) continue
      const owner = of === 'own' ? holder : of === "another's" ? 'another' : 'admin'
      const expected = expectedFor(holder, owner === holder ? 'own' : of, may, route)
      const id = object ? await objectOf(object, owner, expected === 'ok' && isFresh === true) : ''
      if (id !== null) yield { holder, of, expected, id } satisfies Cell
    }
  }
}

t.test('the routes that only people can use through a plane are on a list', async (t) => {
  const rows = classRows.filter(({ callClass }) => callClass === 'answer')
  t.same(rows.map(({ method, path }) => `${method} ${path}`).sort(), [...forPeople].sort())
})

t.test('each role at each route of a phone', async (t) => {
  const noPad = await noSandbox(through, 'read-only')
  const noTerminal = await noTerminals(through)
  let cells = 0
  for (const [name, row] of Object.entries(httpRows(folder))) {
    if (noPad && row.object === 'pad') continue
    const ok = row.opensTerminal && noTerminal ? 503 : row.ok
    for await (const { holder, of, expected, id } of cellsOf(name, row)) {
      const over = new AbortController()
      const request = { id, token: tokens[holder], signal: over.signal }
      const got = await statusOf(row, await requestRow(through, [name, row], request), id)
      over.abort()
      t.equal(got, expected === 'ok' ? ok : expected, `${name}: ${holder}, ${of}`)
      cells++
    }
  }
  t.comment(`${Object.keys(httpRows(folder)).length} rows, ${cells} cells`)
})

t.test('each role at each MCP method and tool of a phone', async (t) => {
  const { available } = await sandboxOf(through)
  let cells = 0
  const calls = mcpRows(folder)
  for (const [name, row] of Object.entries(calls)) {
    if (name.endsWith('exec_read_only') && !available.includes('read-only')) continue
    for await (const { holder, of, expected, id } of cellsOf(name, row)) {
      const { message, headers } = modernMessage(name.split(' ')[0]!, row.send(id), tasks)
      const { status, body } = await post(through, message, { ...headers, authorization: `Bearer ${tokens[holder]}` })
      const said = JSON.stringify(body)
      const isRefused = status === 401 || (status === 404 && holder.includes('elsewhere'))
      const got = isRefused ? status : /No such run/.test(said) ? 404 : /may not use/.test(said) ? 403 : 'ok'
      t.equal(got, expected, `${name}: ${holder}, ${of}`)
      if (expected === 'ok' && row.error !== undefined)
        t.match(body, { error: { code: row.error } }, `${name}: ${holder}`)
      else if (expected === 'ok') t.notMatch(said, /"error"|"isError":true/, `${name}: ${holder}, ${of}: a result`)
      cells++
    }
  }
  t.comment(`${Object.keys(calls).length} rows, ${cells} cells`)
})
