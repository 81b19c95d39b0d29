import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { FLEET_FILE, type Presence, presenceSubject } from '../src/schema/index.ts'
import { ask, exec, linkOf, startPhone } from './fleet.ts'
import { root, type Service, startService, until } from './helper.ts'
import { type Broker, startBroker } from './nats.ts'
import { startPlane } from './plane.ts'

let broker: Broker
let plane: NatsConnection
const folder = mkdtempSync(join(tmpdir(), 'shellphone-fleet-life-'))
t.before(async () => {
  broker = await startBroker()
  plane = await broker.connect('plane', 'plane', { maxReconnectAttempts: -1, reconnectTimeWait: 100 })
})
t.teardown(async () => {
  await broker.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What phones say of themselves, by their names, newest last. */
async function listenToPresences() {
  const heard = new Map<string, Presence[]>()
  const take = (name: string, presence: Presence) => heard.set(name, [...(heard.get(name) ?? []), presence])
  plane.subscribe(presenceSubject('*'), {
    callback: (_error, msg) => void take(msg.subject.split('.')[2]!, msg.json()),
  })
  await plane.flush()
  return heard
}

/** `shellphone fleet …` of this home. */
function fleetCli(home: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const argv = [join(root, 'dist/main.js'), 'fleet', ...args]
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { env: { ...process.env, SHELLPHONE_HOME: home } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    )
  })
}

t.test('a phone is told of, and says goodbye; what runs at its stop is answered', async (t) => {
  const heard = await listenToPresences()
  const env = { SHELLPHONE_FLEET_LABELS: 'lab=berlin,arm64', SHELLPHONE_STOP_GRACE_SECONDS: '1' }
  const phone = await startPhone(broker, { name: 'leaver', env })
  t.ok(await until(() => heard.has('leaver')))
  const { labels, home, boot } = heard.get('leaver')![0]!
  t.same(labels, { lab: 'berlin', arm64: '' })
  t.match([home, boot], [/^[0-9a-f]{32}$/, /^[0-9a-f]{16}$/])
  const found = await plane.request('$SRV.PING.shellphone.leaver')
  t.match(found.json(), { type: 'io.nats.micro.v1.ping_response', id: 'leaver' })
  const held = exec(plane, 'leaver', { command: 'sleep 60' })
  t.ok(await until(async () => (await linkOf(phone)).open === 1))
  await phone.kill('SIGTERM')
  t.hasStrict((await held).json(), { status: 'canceled' }, 'its last answer leaves before it')
  t.equal(heard.get('leaver')!.at(-1)!.stopping, true)
  await t.rejects(ask(plane, 'leaver'), /nobody listens/)
  await phone.stop()
})

t.test('a broker that is killed and comes back finds its phones again', async (t) => {
  const phone = await startPhone(broker, { name: 'stayer' })
  t.teardown(() => phone.stop())
  const key = { headers: { 'idempotency-key': 'over-the-gap' } }
  const command = 'sleep 2; echo through'
  const cut = exec(plane, 'stayer', { command }, key).catch((error: Error) => error)
  t.ok(await until(async () => (await linkOf(phone)).open === 1))
  await broker.kill()
  t.ok(await until(async () => (await linkOf(phone)).connected === false))
  t.equal((await phone.exec({ command: 'echo here' })).stdout, 'here\n', 'its service goes on')
  t.ok((await phone.request('/metrics').then((answer) => answer.text())).includes('shellphone_fleet_connected 0'))
  await broker.restart()
  t.ok(await until(async () => (await linkOf(phone)).connected === true, 20_000))
  t.hasStrict(await linkOf(phone), { reconnects: 1, trouble: null })
  await plane.flush()
  const record = (await exec(plane, 'stayer', { command }, key)).json()
  t.hasStrict(record, { status: 'completed', stdout: 'through\n' }, 'the same key asks again')
  const runs = await phone.request('/runs?q=echo through').then((answer) => answer.json())
  t.equal((runs as { runs: object[] }).runs.length, 1, 'it ran once')
  void cut
})

t.test('a phone that is revoked is out at once, and stays out', async (t) => {
  const phone = await startPhone(broker, { name: 'stolen' })
  t.teardown(() => phone.stop())
  const startedAt = performance.now()
  await broker.revoke(phone.credentials.publicKey)
  const acknowledgedMs = performance.now() - startedAt
  t.ok(await until(async () => (await linkOf(phone)).connected === false, 10_000))
  t.comment(
    `acknowledged after ${acknowledgedMs.toFixed(0)} ms, gone after ${(performance.now() - startedAt).toFixed(0)} ms`,
  )
  await t.rejects(ask(plane, 'stolen'), /nobody listens/)
  t.ok(await until(async () => /[Aa]uthorization|revoked/.test((await linkOf(phone)).trouble ?? ''), 15_000), 'refused')
  t.equal((await phone.exec({ command: 'echo mine' })).stdout, 'mine\n', 'it is still a phone')
})

t.test('join by a link, once; leave', async (t) => {
  let ahead = 0
  const control = await startPlane(broker, { now: () => Date.now() + ahead })
  t.teardown(() => control.close())
  const invite = async (name: string) => {
    const { invite } = (await (await control.post('/invites', { name })).json()) as { invite: string }
    return `${control.url}/#i=${invite}`
  }
  const env = { SHELLPHONE_FLEET_RECONNECT_SECONDS: '1' }
  const home = join(folder, 'joiner')
  const service = await startService({ home, env })
  t.teardown(() => service.stop())
  t.same((await fleetCli(home, 'status')).code, 3, 'in no fleet')
  const link = await invite('joiner')
  t.match(await fleetCli(home, 'join', link), { code: 0, said: /^joined the fleet of http:\/\/127.* as joiner; / })
  const place = JSON.parse(readFileSync(join(home, FLEET_FILE), 'utf8'))
  t.equal(statSync(join(home, FLEET_FILE)).mode & 0o777, 0o600)
  t.match(place, { name: 'joiner', seed: /^SU/, plane_keys: [/^MCow/] })
  t.ok(await until(async () => (await linkOf(service)).connected === true, 10_000), 'without a restart')
  t.match(await fleetCli(home, 'status'), { code: 0, said: /^joiner: connected to 127\.0\.0\.1:\d+ since / })
  t.equal((await control.get('/phones/joiner/health')).status, 'ok', 'the plane reaches it, signed')
  t.equal((await ask(plane, 'joiner')).status, 401, 'who does not sign does not')
  const late = await invite('late')
  ahead = 16 * 60_000
  const other = join(folder, 'other')
  const rows: [string, string[], RegExp][] = [
    [home, ['join', late], /in a fleet already/],
    [other, ['join', link], /wrong, used, or over/],
    [other, ['join', late], /wrong, used, or over/],
    [other, ['join', 'https://fleet.example.com/'], /expected a link/],
    [other, ['join', 'http://192.0.2.1/#i=AAAAAAAAAAAAAAAAAAAAAA'], /expected a link/],
    [other, ['join', `http://127.0.0.1:1/#i=AAAAAAAAAAAAAAAAAAAAAA`], /127\.0\.0\.1:1: .*ECONNREFUSED/],
    [other, ['join'], /expected 'LINK', got 0 operands/],
    [other, ['leave'], /in no fleet/],
    [other, ['leave', '--json'], /takes no --json/],
    [other, ['fly'], /fleet fly: expected one of join, leave/],
  ]
  for (const [at, args, said] of rows) t.match(await fleetCli(at, ...args), { code: 1, said }, args.join(' '))
  t.notOk(existsSync(join(other, FLEET_FILE)))
  t.match(await fleetCli(home, 'leave'), { code: 0, said: /^left the fleet/ })
  t.ok(await until(async () => (await linkOf(service)).name === undefined), 'at once')
  await t.rejects(ask(plane, 'joiner'), /nobody listens/)
})

t.test('two devices with one identity', async (t) => {
  const heard = await listenToPresences()
  const home = join(folder, 'original')
  const first = await startPhone(broker, { name: 'twin', home })
  t.teardown(() => first.stop())
  await until(() => heard.has('twin'))
  const original = heard.get('twin')![0]!.home
  const copy = join(folder, 'copy')
  cpSync(home, copy, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  const { credentials } = first
  const second = await startPhone(broker, { name: 'twin', home: copy, credentials })
  t.teardown(() => second.stop())
  await until(() => heard.get('twin')!.some(({ home }) => home !== original))
  t.equal(new Set(heard.get('twin')!.map(({ boot }) => boot)).size, 2, 'planes see two starts')
  t.equal(new Set(heard.get('twin')!.map(({ home }) => home)).size, 2, 'and two homes')
  const command = `echo x >> ${join(folder, 'twin-log')}`
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      exec(plane, 'twin', { command }, { home: original, headers: { 'idempotency-key': `twin-${index}` } }),
    ),
  )
  const statuses = all.map(({ status }) => status)
  t.same([...new Set(statuses)].sort(), [200, 409], 'the copy refuses what is meant for the original')
  const ran = readFileSync(join(folder, 'twin-log'), 'utf8').length / 2
  t.equal(ran, statuses.filter((status) => status === 200).length, 'nothing ran twice')
})

t.test('a home that was wiped is another', async (t) => {
  const heard = await listenToPresences()
  const home = join(folder, 'wiped')
  const before = await startPhone(broker, { name: 'wiped', home })
  await until(() => heard.has('wiped'))
  const old = heard.get('wiped')![0]!.home
  const { credentials } = before
  const job = { home: old, headers: { 'idempotency-key': 'job-2' } }
  const command = `echo x >> ${join(folder, 'wiped-log')}`
  t.equal((await exec(plane, 'wiped', { command }, job)).status, 200)
  await before.stop()
  rmSync(join(home, 'history'), { recursive: true })
  const after = await startPhone(broker, { name: 'wiped', home, credentials })
  t.teardown(() => after.stop())
  const again = await exec(plane, 'wiped', { command }, job)
  t.hasStrict([again.status, again.json().error.type], [409, 'wrong_home'])
  t.equal(readFileSync(join(folder, 'wiped-log'), 'utf8'), 'x\n', 'its keys are gone, and nothing runs twice for that')
})

t.test('a fleet.json that is none, and a fleet that is switched off, stop nobody', async (t) => {
  const home = join(folder, 'broken')
  const service = await startService({ home })
  t.teardown(() => service.stop())
  const warnings = async () => ((await (await service.request('/health')).json()) as { warnings: string[] }).warnings
  for (const text of ['{', '{"name": "a.b"}']) {
    writeFileSync(join(home, FLEET_FILE), text, { mode: 0o600 })
    t.ok(await until(async () => (await warnings()).some((one) => one.startsWith('fleet.json: '))), text)
  }
  t.equal((await service.exec({ command: 'echo on' })).stdout, 'on\n')
  rmSync(join(home, FLEET_FILE))
  t.ok(await until(async () => !(await warnings()).some((one) => one.startsWith('fleet.json: '))))
  const off = await startPhone(broker, { name: 'off', isConnected: false, env: { SHELLPHONE_FLEET: 'false' } })
  t.teardown(() => off.stop())
  t.equal((await linkOf(off)).name, undefined)
})

/** Every file that the service loads is written to `file`. */
function loadWatcher(file: string): string[] {
  const hook = `import fs from 'node:fs'
    export async function load(url, context, next) { fs.appendFileSync(${JSON.stringify(file)}, url + '\\n'); return next(url, context) }`
  const url = `data:text/javascript,${encodeURIComponent(hook)}`
  const register = `import { register } from 'node:module'; register(${JSON.stringify(url)})`
  return ['--import', `data:text/javascript,${encodeURIComponent(register)}`]
}

t.test('without a fleet nothing of it is loaded', async (t) => {
  const loaded = (name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .map((url) => url.split('/').at(-1)!)
  const memory: Record<string, number> = {}
  const start = async (name: string, begin: (node: string[]) => Promise<Service>) => {
    const service = await begin(loadWatcher(join(folder, name)))
    t.teardown(() => service.stop())
    await service.exec({ command: 'true' })
    memory[name] = Math.round(service.rssBytes() / 104_858) / 10
    return service
  }
  await start('without', (node) => startService({ node }))
  await start('with', (node) => startPhone(broker, { name: 'loads', node }))
  const more = loaded('with').filter((name) => !loaded('without').includes(name))
  t.ok(more.includes('fleet.js'), `a fleet loads ${more.join(', ')}`)
  const text = more.map((name) => (name.endsWith('.js') ? readFileSync(join(root, 'dist', name), 'utf8') : '')).join('')
  t.ok(text.includes('$SRV'), 'which is where NATS is')
  for (const name of loaded('without').filter((name) => existsSync(join(root, 'dist', name)) && name !== '')) {
    t.notOk(readFileSync(join(root, 'dist', name), 'utf8').includes('nats-core'), `${name} holds nothing of NATS`)
  }
  t.comment(`resident after a start and a run: ${memory.without} MiB without a fleet, ${memory.with} MiB with one`)
})
