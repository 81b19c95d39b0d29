import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { makeCertificate } from '../../src/server/access/index.ts'
import { FLEET_FILE } from '../../src/shared/schema/index.ts'
import { ask, exec, linkOf, listenToPresences, type Phone, rejoin, startPhone } from '../support/fleet.ts'
import { HANG_MS, type Service, until, wants } from '../support/helper.ts'
import { type Broker, noBroker, startBroker } from '../support/nats.ts'

wants(t, noBroker)

let broker: Broker
let plane: NatsConnection
/** One service for all tests; each test gives it its own membership. */
let phone: Phone
const folder = mkdtempSync(join(tmpdir(), 'shellphone-fleet-life-'))
t.before(async () => {
  broker = await startBroker()
  plane = await broker.connect('plane', 'plane', { maxReconnectAttempts: -1, reconnectTimeWait: 100 })
  const env = { SHELLPHONE_FLEET_LABELS: 'lab=berlin,arm64', SHELLPHONE_STOP_GRACE_SECONDS: '60' }
  phone = await startPhone(broker, { name: 'stayer', env })
})
t.teardown(async () => {
  await phone.stop()
  await broker.stop()
  rmSync(folder, { recursive: true, force: true })
})

const warningsOf = async (service: Service) =>
  ((await (await service.request('/health')).json()) as { warnings: string[] }).warnings

t.test('phones reconnect after the broker was killed and restarted', async (t) => {
  const file = join(folder, 'is-back')
  const key = { headers: { 'idempotency-key': 'over-the-gap' } }
  const command = `until [ -e ${file} ]; do sleep 0.1; done; echo through`
  const asker = await broker.connect('plane', 'plane', { reconnect: false })
  const cut = t.rejects(exec(asker, 'stayer', { command, timeout_seconds: 600 }, key), /the connection is closed/)
  const isRunning = async () => ((await (await phone.request('/runs?status=running')).json()) as Runs).runs.length === 1
  t.ok(await until(isRunning))
  await broker.kill()
  await cut
  t.ok(await until(async () => (await linkOf(phone)).connected === false))
  t.equal((await phone.exec({ command: 'echo here' })).stdout, 'here\n', 'its service keeps running')
  t.ok((await phone.request('/metrics').then((answer) => answer.text())).includes('shellphone_fleet_connected 0'))
  await broker.restart()
  t.ok(await until(async () => (await linkOf(phone)).connected === true))
  t.hasStrict(await linkOf(phone), { reconnects: 1, trouble: null })
  const isBack = () =>
    plane.rtt().then(
      () => true,
      () => false,
    )
  t.ok(await until(isBack), 'the caller is connected again, too')
  writeFileSync(file, '')
  const record = (await exec(plane, 'stayer', { command, timeout_seconds: 600 }, key)).json()
  t.hasStrict(record, { status: 'completed', stdout: 'through\n' }, 'sent again with the same key')
  const { runs } = (await (await phone.request('/runs?q=echo through')).json()) as Runs
  t.equal(runs.length, 1, 'it ran once')
})

t.test('connects over TLS with the certificate of its fleet', async (t) => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  const certificate = await makeCertificate(String(key), ['localhost'])
  const tls = { certificate: join(folder, 'broker.pem'), key: join(folder, 'broker-key.pem') }
  writeFileSync(tls.certificate, certificate)
  writeFileSync(tls.key, String(key))
  const secure = await startBroker({ config: { tls } })
  t.teardown(() => secure.stop())
  const servers = [`nats://localhost:${new URL(secure.url).port}`]
  await rejoin(secure, phone, { name: 'wrapped', servers, ca: certificate })
  const other = await makeCertificate(String(key), ['elsewhere'])
  await rejoin(secure, phone, { name: 'wary', servers, ca: other, isConnected: false })
  t.ok(await until(async () => /certificate/.test((await linkOf(phone)).trouble ?? '')), 'another certificate')
})

t.test('a revoked phone is disconnected at once and stays disconnected', async (t) => {
  const { credentials } = await rejoin(broker, phone, { name: 'stolen' })
  await broker.revoke(credentials.publicKey)
  t.ok(await until(async () => (await linkOf(phone)).connected === false))
  await t.rejects(ask(plane, 'stolen'), /nobody listens/)
  t.ok(await until(async () => /[Aa]uthorization|revoked/.test((await linkOf(phone)).trouble ?? '')), 'refused')
  t.equal((await phone.exec({ command: 'echo mine' })).stdout, 'mine\n', 'its own service still works')
})

t.test('an invalid plane key prevents the connection and is reported', async (t) => {
  let connections = 0
  const { hostname, port } = new URL(broker.url)
  const between = createServer((near) => {
    connections += 1
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(between, 'listening')
  t.teardown(() => between.close())
  const servers = [`nats://127.0.0.1:${(between.address() as AddressInfo).port}`]
  await rejoin(broker, phone, { name: 'keyless', servers, planeKeys: ['bm8ga2V5'], isConnected: false })
  const isReported = async () => (await warningsOf(phone)).some((one) => /^fleet\.json: plane_keys: expected/.test(one))
  t.ok(await until(isReported), 'the warning names the wrong field')
  t.equal(connections, 0)
})

t.test('an invalid fleet.json or a disabled fleet does not stop the service', async (t) => {
  const isWarned = async (reason: RegExp) => (await warningsOf(phone)).some((one) => reason.test(one))
  for (const [text, reason] of [
    ['{', /^fleet\.json: .*JSON/],
    ['{"name": "a.b"}', /^fleet\.json: (?!.*JSON)/],
  ] as const) {
    writeFileSync(join(phone.home, FLEET_FILE), text, { mode: 0o600 })
    t.ok(await until(() => isWarned(reason)), text)
  }
  t.equal((await phone.exec({ command: 'echo on' })).stdout, 'on\n')
  rmSync(join(phone.home, FLEET_FILE))
  t.ok(await until(async () => !(await isWarned(/^fleet\.json: /))))
  const off = await startPhone(broker, { name: 'off', isConnected: false, env: { SHELLPHONE_FLEET: 'false' } })
  t.teardown(() => off.stop())
  t.equal((await linkOf(off)).name, undefined)
  await off.kill('SIGTERM')
  t.notOk(
    off.log.some((line) => line.includes('the fleet')),
    'it never tries to connect',
  )
})

t.test('a phone publishes its presence and its stop, and answers open calls before it stops', async (t) => {
  const presences = await listenToPresences(plane)
  await rejoin(broker, phone, { name: 'leaver' })
  t.ok(await until(() => presences.has('leaver')))
  const { labels, home, boot } = presences.get('leaver')![0]!
  t.same(labels, { lab: 'berlin', arm64: '' })
  t.match([home, boot], [/^[0-9a-f]{32}$/, /^[0-9a-f]{16}$/])
  const found = await plane.request('$SRV.PING.shellphone.leaver', '', { timeout: HANG_MS })
  t.match(found.json(), { type: 'io.nats.micro.v1.ping_response', id: 'leaver' })
  const waiting = exec(plane, 'leaver', { command: 'sleep 600', timeout_seconds: 600 })
  const running = async () =>
    (await phone.request('/runs?status=running').then((answer) => answer.text())).includes('sleep 600')
  t.ok(await until(running))
  await phone.kill('SIGTERM')
  t.hasStrict((await waiting).json(), { status: 'canceled' }, 'the last response is sent before it stops')
  t.ok(await until(() => presences.get('leaver')!.at(-1)!.stopping === true))
  await t.rejects(ask(plane, 'leaver'), /nobody listens/)
})

interface Runs {
  runs: object[]
}
