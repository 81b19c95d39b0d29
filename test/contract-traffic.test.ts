import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { checkTraffic, prepareTraffic, readContract } from '../scripts/test/check-traffic.mjs'
import { openSocket, root, startService } from './support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-traffic-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const contract = readContract(root)
t.beforeEach(() => prepareTraffic(contract, folder))

const violationsOf = (...lines: object[]) => {
  writeFileSync(join(folder, '1.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return checkTraffic(contract, folder)!.violations
}

const pressed = { method: 'GET', path: '/approvals', status: 200, media: 'application/json', empty: false, query: [] }
const silent = { error: { type: 'phone_silent', message: 'x' } }
const sound = { ...pressed, body: { approvals: [], rules: [] } }

t.test('finds every kind of difference from the contract', async (t) => {
  const rows: [string, object, string[]][] = [
    ['nothing', sound, []],
    ['a status', { ...sound, status: 418 }, ['GET /approvals 418: status not declared']],
    ['a type', { ...sound, media: 'text/html' }, ['GET /approvals 200: type text/html not declared']],
    ['no body', { ...sound, empty: true, body: undefined }, ['GET /approvals 200: empty body not declared']],
    [
      'a field',
      { ...sound, body: { approvals: [], rules: [], more: 1 } },
      ['GET /approvals 200: body must NOT have additional properties (more)'],
    ],
    [
      'a missing field',
      { ...sound, body: { approvals: [] } },
      ["GET /approvals 200: body must have required property 'rules'"],
    ],
    [
      'a field of another type',
      { ...sound, body: { approvals: {}, rules: [] } },
      ['GET /approvals 200: /approvals must be array'],
    ],
    ['a query', { ...sound, query: ['all'] }, ['GET /approvals 200, its request: query all not declared']],
    [
      'a request',
      { ...pressed, method: 'POST', path: '/exec', media: 'text/plain', given: { command: 'ls', more: 1 } },
      ['POST /exec 200, its request: body must NOT have additional properties (more)'],
    ],
    [
      'an event',
      { ...pressed, path: '/runs/{id}/events', media: 'text/event-stream', event: { name: 'status', data: {} } },
      [
        "GET /runs/{id}/events 200 event status: body must have required property 'type'; body must match a schema in anyOf",
        'GET /runs/{id}/events 200: event status with type undefined',
      ],
    ],
    [
      'a message',
      { message: { type: 'pong', more: 1 } },
      ['message pong: body must NOT have additional properties (more)'],
    ],
    ['an unknown message', { message: { type: 'hello' } }, ['message hello: not declared']],
    [
      'a field of a control plane',
      { ...sound, document: 'plane', isPlane: true, body: { approvals: [], rules: [] } },
      ["GET /approvals 200 of the control plane: body must have required property 'silent'"],
    ],
    ['an error of a control plane', { ...sound, status: 504, isPlane: true, body: silent }, []],
    [
      'the same error of a service',
      { ...sound, status: 504, body: silent },
      ['GET /approvals 504: status not declared'],
    ],
    [
      'an error without the body of an error',
      { ...sound, path: null, status: 404 },
      ['GET another path 404: not an error body'],
    ],
  ]
  for (const [name, line, expected] of rows) {
    const found = violationsOf(line)
    if (name === 'an event') t.match(found, [/event status: body must have required/, /with type undefined/], name)
    else t.same(found, expected, name)
  }
})

t.test('compares nothing if no service has recorded traffic', async (t) => {
  t.equal(checkTraffic(contract, folder), null)
})

t.test('records responses, events and messages of a service', async (t) => {
  const recorder = pathToFileURL(join(root, 'test/support/record-traffic.mjs'))
  const service = await startService({ env: { TEST_TRAFFIC: folder, NODE_OPTIONS: `--import=${recorder}` } })
  t.teardown(() => service.stop())
  await service.exec({ command: 'echo on' })
  await service.exec({ command: 'echo two' })
  await (await service.post('/exec', { command: 'echo on' }, { accept: 'text/event-stream' })).text()
  await service.request('/runs/none')
  const socket = await openSocket(service.url, service.token)
  await socket.exec('a', { command: 'echo "$0"' })
  await socket.close()
  const lines = readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
  const exchanges = lines
    .filter(({ method }) => method)
    .map((one) => `${one.method} ${one.path} ${one.status} ${one.media}`)
  t.same([...new Set(exchanges)].sort(), [
    'GET /runs/{id} 404 application/json',
    'POST /exec 200 application/json',
    'POST /exec 200 text/event-stream',
  ])
  t.equal(exchanges.filter((one) => one === 'POST /exec 200 application/json').length, 1, 'one line for each shape')
  const types = lines
    .filter(({ message }) => message)
    .map(({ message }) => (message.type === 'status' ? message.status : message.type))
  t.same(types, ['accepted', 'queued', 'starting', 'running', 'output', 'completed', 'result'])
  t.same(checkTraffic(contract, folder)?.violations, [])
})
