import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { freeze, type Service, type Socket, startService, until, processesWith } from '../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-doors-'))
const home = join(folder, 'home')
mkdirSync(home)
const env = { SHELLPHONE_WORKING_DIRECTORY: folder, SHELLPHONE_MAX_QUEUED: '300' }
let service: Service
let socket: Socket
const open = async () => {
  service = await startService({ home, env })
  socket = await service.socket()
}
t.before(open)
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

/** The reply of an entry point: the run's id, its text, and the type of the error if the request was refused. */
interface Said {
  id: string | null
  text: string
  error?: string
}
type Answer = Partial<ExecRecord> & { run_id?: string | null; error?: { type: string } }
const said = ({ id, run_id, output, error }: Answer): Said => ({
  id: id ?? run_id ?? null,
  text: output ?? '',
  ...(error && { error: error.type }),
})

interface Door {
  name: string
  /** its name for the working directory */
  directory: string
  send(body: object, key?: string): Promise<Said>
}
let refs = 0
const overHttp =
  (path: string): Door['send'] =>
  async (body, key) =>
    said((await (await service.post(path, body, key === undefined ? {} : { 'idempotency-key': key })).json()) as Answer)
const overSocket =
  (more: object): Door['send'] =>
  async (body, key) =>
    said((await socket.exec(`d${refs++}`, { ...more, ...body, idempotency_key: key })) as Answer)

const doors: Door[] = [
  { name: 'POST /exec', directory: 'working_directory', send: overHttp('/exec') },
  { name: 'WebSocket', directory: 'working_directory', send: overSocket({}) },
  { name: 'POST /exec/picoclaw', directory: 'working_dir', send: overHttp('/exec/picoclaw') },
  { name: 'WebSocket, picoclaw', directory: 'working_dir', send: overSocket({ dialect: 'picoclaw' }) },
]

for (const [index, { name, directory, send }] of doors.entries()) {
  t.test(`${name}: an Idempotency-Key stands for one run`, async (t) => {
    const log = join(folder, `log-${index}`)
    const body = { command: `echo ran >> ${log}; echo out` }
    const all = await Promise.all(Array.from({ length: 5 }, () => send(body, `once-${index}`)))
    t.same(new Set(all.map(({ id }) => id)).size, 1, 'five at once')
    t.match(all[0], { id: /./, text: /out\n/ })
    t.same(await send(body, `once-${index}`), all[0], 'and later, verbatim')
    t.equal(readFileSync(log, 'utf8'), 'ran\n', 'it ran once')
    t.match(await send({ command: 'true' }, `once-${index}`), { error: 'conflict' }, 'another body')
    t.not((await send(body, `other-${index}`)).id, all[0]!.id, 'another key is another run')
    t.not((await send(body)).id, (await send(body)).id, 'without a key, runs are separate')
    for (const key of ['', 'a b', 'grün', 'k'.repeat(256)]) {
      t.match(await send(body, key), { id: null, error: 'validation_error' }, `no key: ${key.slice(0, 9)}`)
    }
  })

  t.test(`${name}: a refused request does not use up its key`, async (t) => {
    const key = `refused-${index}`
    t.equal((await send({ command: 'echo no', [directory]: '/no/such' }, key)).id, null)
    t.match(await send({ command: 'echo good' }, key), { id: /./, text: /good\n/ })
  })

  t.test(`${name}: a retry succeeds although the command removed its directory`, async (t) => {
    const gone = join(folder, `gone-${index}`)
    mkdirSync(gone)
    const body = { command: 'rmdir "$PWD"; echo removed', [directory]: gone }
    const first = await send(body, `gone-${index}`)
    t.match(first, { id: /./, text: /removed\n/ })
    t.same(await send(body, `gone-${index}`), first)
  })
}

t.test('a retry of a denied command gets the same reply', async (t) => {
  for (const { name, send } of doors) {
    const key = `denied-${name.replaceAll(' ', '-')}`
    const first = await send({ command: 'rm -rf /' }, key)
    t.ok(first.id, name)
    t.same(await send({ command: 'rm -rf /' }, key), first, name)
  }
})

t.test('after a restart a key returns the same run and reply', async (t) => {
  const body = { command: 'seq 1 3000; echo err >&2; exit 3' }
  const before: Said[] = []
  for (const [index, { send }] of doors.entries()) before.push(await send(body, `restart-${index}`))
  await service.stop()
  await open()
  for (const [index, { name, send }] of doors.entries()) {
    t.same(await send(body, `restart-${index}`), before[index], name)
  }
})

t.test('bursts over many WebSockets do not block other requests', async (t) => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => service.socket()))
  const refs = ['a', 'b', 'c', 'd', 'e']
  await freeze(service.pid) // all messages wait in the kernel, no matter how slowly we send them
  for (const { raw } of sockets) {
    for (const ref of refs) raw.send(JSON.stringify({ type: 'exec', ref, command: 'true' }))
    await new Promise((resolve) => raw.send('{"type":"ping"}', resolve))
  }
  process.kill(service.pid, 'SIGCONT')
  let early = 0
  for (const one of sockets) {
    for (const ref of refs) await one.next((message) => message.type === 'result' && message.ref === ref)
    const order = one.messages.map(({ type }) => type).filter((type) => type === 'accepted' || type === 'pong')
    t.equal(order.length, refs.length + 1)
    early += order.indexOf('pong')
    await one.close()
  }
  t.ok(early < 50, `${early} of 100 commands were begun before the pings behind them were answered`)
})

t.test('cancels a dialect call whose caller has disconnected', async (t) => {
  const newest = async () =>
    ((await (await service.request('/runs?limit=1')).json()) as { runs: ExecRecord[] }).runs[0]!
  const request = httpRequest(`${service.url}/exec/picoclaw`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
  })
  request.on('error', () => {})
  request.end(JSON.stringify({ command: 'sleep 7801' }))
  const other = await service.socket()
  other.send({ type: 'exec', dialect: 'picoclaw', command: 'sleep 7802' })
  for (const [number, leave] of [
    [7801, () => request.destroy()],
    [7802, () => other.raw.terminate()],
  ] as const) {
    t.ok(await until(() => processesWith(`sleep ${number}`).length > 0), `sleep ${number} runs`)
    leave()
    t.ok(await until(() => processesWith(`sleep ${number}`).length === 0), `sleep ${number} has ended`)
  }
  t.ok(await until(async () => (await newest()).status === 'canceled'), 'history shows the reason')
})

t.test('a run with a key continues without its callers, so that a retry finds it', async (t) => {
  const body = { type: 'exec', command: 'sleep 7803', timeout_seconds: 120, idempotency_key: 'shared', ref: 'a' }
  const accepted = async (socket: Socket) => {
    socket.send(body)
    return (await socket.next(({ type }) => type === 'accepted')).id
  }
  const callers = [await service.socket(), await service.socket()]
  const ids = await Promise.all(callers.map(accepted))
  t.equal(ids[0], ids[1], 'two share it')
  t.ok(await until(() => processesWith('sleep 7803').length > 0))
  const retry = await service.socket()
  const sockets = async () => {
    const { connections } = (await (await service.request('/connections')).json()) as {
      connections: { kind: string }[]
    }
    return connections.filter(({ kind }) => kind === 'websocket').length
  }
  const before = await sockets()
  for (const one of callers) one.raw.terminate()
  t.ok(await until(async () => (await sockets()) <= before - 2), 'both have disconnected')
  t.equal(await accepted(retry), ids[0], 'and a third')
  t.not(processesWith('sleep 7803').length, 0, 'the run continues')
  retry.send({ type: 'cancel', id: ids[0] })
  t.hasStrict(await retry.next(({ type }) => type === 'result'), { id: ids[0], status: 'canceled' })
})
