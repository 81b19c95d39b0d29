import { readdirSync } from 'node:fs'
import t from 'tap'
import { makeIdentity } from '../../src/fleet/plane/index.ts'
import { cutsOf, sendAndEnd, sendAndReset, sendCutFrame, statusOf, wireText } from '../support/cut-bytes.ts'
import { openSocket, soon, until, wants } from '../support/helper.ts'
import { noBroker } from '../support/nats.ts'
import { enrol, json, startFleet } from '../support/plane.ts'
import { frame } from '../support/raw-client.ts'
import { socketRows } from '../server/rights/table.ts'
import { open, planeRows } from './plane-table.ts'

wants(t, noBroker)

/** Only every fifth of `cutsOf`'s lengths: test/slow/cut-inputs.test.ts cuts at each of them, and the parsers are the same. */
const EVERY = 5

const rejections: unknown[] = []
process.on('unhandledRejection', (reason) => rejections.push(reason))

const { plane, phone } = await startFleet(t)
await enrol(plane, 'absent', ['lab=oslo'])
const port = Number(new URL(plane.url).port)
const folder = t.testdir({})
const authorization = `Bearer ${plane.file.token}`
const asJson = { 'content-type': 'application/json' }

interface Input {
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  /** the status of the complete request; null: it is not sent */
  ok: number | null
}

/** One request for each row of the table. Requests for a phone go to the connected phone and are only sent cut. */
async function inputs(): Promise<Input[]> {
  const absentJob = { command: 'true', phones: 'name=absent', queue_seconds: 600 }
  const { job } = await json(await plane.post('/exec', absentJob))
  const { invite } = await json(await plane.post('/invites', { name: 'nexus' }))
  const enrolment = { invite, public_key: makeIdentity().publicKey, home: 'none yet', version: '0' }
  const upgrade = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
  const publicRows: Record<string, Omit<Input, 'name' | 'method'>> = {
    'GET /phones/:name/ws': { path: '/phones/pixel/ws', headers: upgrade, ok: 101 },
    'POST /enrol': { path: '/enrol', headers: asJson, body: JSON.stringify(enrolment), ok: 200 },
    'GET /health': { path: '/health', headers: {}, ok: 200 },
  }
  const rows = Object.entries(planeRows).map(([name, row]): Input => {
    const [method, route] = name.split(' ') as [string, string]
    const path = (row.path ?? route).replace(':id', job).replace('absent', 'pixel').replace('=/x', `=${folder}/x`)
    const isOfPhone = route.includes('/*') || row.headers !== undefined
    return {
      ...{ name, method, path, ok: isOfPhone || method === 'DELETE' ? null : row.ok },
      headers: { authorization, ...(row.body && asJson), ...(row.headers && { 'x-phone': 'pixel' }) },
      ...(row.body && { body: JSON.stringify(row.body) }),
    }
  })
  for (const body of [absentJob, { command: 'true', phones: '*' }]) {
    const name = `POST /exec with ${Object.keys(body).join(', ')}`
    const headers = { authorization, ...asJson }
    rows.push({ name, method: 'POST', path: '/exec', headers, body: JSON.stringify(body), ok: null })
  }
  const others = Object.entries(publicRows).map(([name, one]): Input => ({
    ...{ name, method: name.split(' ')[0]!, ...one },
    headers: { authorization, ...one.headers },
  }))
  return [...rows, ...others]
}

const all = await inputs()
/** Any bytes are a valid file, so a PUT is not JSON. */
const isJson = (input: Input): input is Input & { body: string } => input.body !== undefined && input.method !== 'PUT'

/** The state of the plane and of the phone that a cut request could have changed. */
async function state() {
  const { runs } = (await (await phone.request('/runs?limit=1000')).json()) as { runs: { id: string }[] }
  const { tokens } = await plane.get('/tokens')
  const { phones } = await plane.get('/phones')
  const metrics = await (await plane.request('/metrics')).text()
  return {
    runs: runs.map(({ id }) => id),
    ...{ tokens, phones: (phones as { name: string }[]).map(({ name }) => name) },
    jobs: metrics.match(/^shellphone_plane_(?:jobs_pairs|questions_open).*$/gm),
    files: readdirSync(folder),
  }
}
const before = await state()

let cuts = 0
const isWell = async (what: string) => {
  cuts++
  const { status } = await plane.request('/health')
  if (status !== 200 || rejections.length > 0) t.fail(what, { status, rejections })
}

t.test('every route of a control plane has a request to cut', async (t) => {
  const names = all.map(({ name }) => name)
  // test/fleet/plane-rights.test.ts compares these two with the existing routes
  t.same(
    [...Object.keys(planeRows), ...open].filter((name) => !names.includes(name)),
    [],
  )
})

t.test('requests whose connection ends early do not stop the control plane', async (t) => {
  for (const [turn, input] of all.entries()) {
    const text = wireText(input)
    for (const length of cutsOf(text.length, EVERY, turn)) {
      for (const send of [sendAndEnd, sendAndReset]) {
        await send(port, text.slice(0, length))
        await isWell(`${input.name}: ${send.name} after ${length} of ${text.length} bytes`)
      }
    }
    t.pass(input.name)
  }
  t.comment(`${all.length} requests, ${cuts} cuts`)
})

t.test('truncated bodies get 400', async (t) => {
  const cutsBefore = cuts
  for (const [turn, input] of all.filter(isJson).entries()) {
    const refused = new Set<number>()
    for (const length of cutsOf(input.body.length, 2, turn % 2)) {
      refused.add(await statusOf(port, { ...input, body: input.body.slice(0, length) }))
      await isWell(`${input.name}: ${length} of ${input.body.length} bytes`)
    }
    if (input.method !== 'PUT')
      t.same(
        [...refused].filter((status) => status !== 400),
        [],
        input.name,
      )
  }
  t.comment(`${cuts - cutsBefore} cuts`)
})

t.test('truncated WebSocket messages get validation_error', async (t) => {
  const cutsBefore = cuts
  const socket = await openSocket(`${plane.url}/phones/pixel`, plane.file.token)
  for (const [turn, [type, { send }]] of Object.entries(socketRows).entries()) {
    const text = JSON.stringify({ type, ref: 'cut', ...send('none') })
    const received = socket.messages.length
    const lengths = cutsOf(text.length, EVERY, turn)
    for (const length of lengths) socket.send(text.slice(0, length))
    await until(() => socket.messages.length >= received + lengths.length)
    const refused = socket.messages.slice(received).map((one) => (one.error as { type: string } | undefined)?.type)
    t.same(
      refused,
      lengths.map(() => 'validation_error'),
      `${type}, truncated`,
    )
    cuts += lengths.length
    for (const length of cutsOf(frame(1, text).length, EVERY, turn)) {
      await sendCutFrame({ port, token: plane.file.token, path: '/phones/pixel/ws' }, text, length)
      await isWell(`${type}: ${length} bytes of a frame`)
    }
  }
  socket.send({ type: 'ping', ref: 'last' })
  t.ok(await soon(socket.next((message) => message.type === 'pong')), 'the connection is still open')
  await socket.close()
  t.comment(`${Object.keys(socketRows).length} messages, ${cuts - cutsBefore} cuts`)
})

t.test('cut requests have changed nothing', async (t) => {
  t.ok(await until(async () => JSON.stringify(await state()) === JSON.stringify(before)))
  t.same(rejections, [])
  const faults = plane.log.filter((line) => JSON.parse(line).level >= 50)
  t.same(faults, [], 'its log has no internal errors')
  t.match(await (await phone.request('/metrics')).text(), /^shellphone_unhandled_rejections_total 0$/m)
  for (const input of all) if (input.ok !== null) t.equal(await statusOf(port, input), input.ok, input.name)
})
