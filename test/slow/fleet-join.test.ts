import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NatsConnection } from '@nats-io/transport-node'
import t from 'tap'
import { runCommandLine } from '../../src/cli/index.ts'
import { FLEET_FILE } from '../../src/shared/schema/index.ts'
import { ask, exec, linkOf, listenToPresences, rejoin, startPhone } from '../support/fleet.ts'
import { rejectionOf, root, type Service, startService, until, wants } from '../support/helper.ts'
import { type Broker, noBroker, startBroker } from '../support/nats.ts'
import { startPlane } from '../support/plane.ts'

wants(t, noBroker)

let broker: Broker
let plane: NatsConnection
/** One service for all tests; it starts without a fleet. */
let service: Service
let filesWithout: string[]
const folder = mkdtempSync(join(tmpdir(), 'shellphone-fleet-join-'))
const home = join(folder, 'joiner')
const env = { SHELLPHONE_FLEET_RECONNECT_SECONDS: '1' }
t.before(async () => {
  broker = await startBroker()
  plane = await broker.connect('plane', 'plane')
  service = await startService({ home, env, node: loadWatcher(join(folder, 'loaded')) })
  await service.exec({ command: 'true' })
  filesWithout = loadedFiles()
})
t.teardown(async () => {
  await service.stop()
  await broker.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** `shellphone fleet …` of this home. */
function fleetCli(home: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const argv = [join(root, 'dist/main.js'), 'fleet', ...args]
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { env: { ...process.env, SHELLPHONE_HOME: home } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    )
  })
}

/** The error of the same command in this process; null: none. */
const fleetError = (home: string, ...args: string[]): Promise<Error | null> =>
  rejectionOf(runCommandLine(['fleet', ...args, '--home', home]))

/** Node options that log every file that the service loads to `file`. */
function loadWatcher(file: string): string[] {
  const hook = `import fs from 'node:fs'
    export async function load(url, context, next) { fs.appendFileSync(${JSON.stringify(file)}, url + '\\n'); return next(url, context) }`
  const url = `data:text/javascript,${encodeURIComponent(hook)}`
  const register = `import { register } from 'node:module'; register(${JSON.stringify(url)})`
  return ['--import', `data:text/javascript,${encodeURIComponent(register)}`]
}

const loadedFiles = () =>
  readFileSync(join(folder, 'loaded'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((url) => url.split('/').at(-1)!)

t.test('joins a fleet with a one-time link and leaves it', async (t) => {
  let ahead = 0
  const control = await startPlane(broker, { monotonicMs: () => performance.now() + ahead })
  t.teardown(() => control.close())
  const invite = async (name: string) => {
    const { invite } = (await (await control.post('/invites', { name })).json()) as { invite: string }
    return `${control.url}/#i=${invite}`
  }
  t.same((await fleetCli(home, 'status')).code, 1, 'not in a fleet')
  const link = await invite('joiner')
  t.match(await fleetCli(home, 'join', link), { code: 0, said: /^joined the fleet of http:\/\/127.* as joiner; / })
  const place = JSON.parse(readFileSync(join(home, FLEET_FILE), 'utf8'))
  t.equal(statSync(join(home, FLEET_FILE)).mode & 0o777, 0o600)
  t.match(place, { name: 'joiner', seed: /^SU/, plane_keys: [/^MCow/] })
  t.ok(await until(async () => (await linkOf(service)).connected === true), 'without a restart')
  t.match(await fleetCli(home, 'status'), { code: 0, said: /^joiner: connected to 127\.0\.0\.1:\d+ since / })
  t.equal((await control.get('/phones/joiner/health')).status, 'ok', 'the plane reaches it, signed')
  t.equal((await ask(plane, 'joiner')).status, 401, 'an unsigned request gets 401')
  const late = await invite('late')
  ahead = 16 * 60_000
  const other = join(folder, 'other')
  const rows: [string, string[], RegExp][] = [
    [home, ['join', late], /already in a fleet/],
    [other, ['join', link], /invalid, already used, or expired/],
    [other, ['join', late], /invalid, already used, or expired/],
    [other, ['leave'], /not in a fleet/],
  ]
  for (const [at, args, message] of rows) {
    t.match(await fleetError(at, ...args), { exitCode: 1, message }, args.join(' '))
  }
  const unreachable = 'http://127.0.0.1:1/#i=AAAAAAAAAAAAAAAAAAAAAA'
  const noResponse = /no response from http:\/\/127\.0\.0\.1:1 \(.*ECONNREFUSED/
  t.match(await fleetError(other, 'join', unreachable), { exitCode: 3, message: noResponse })
  const misused: [string[], RegExp][] = [
    [['join'], /expected 'LINK', got nothing/],
    [['join', 'garbage'], /expected a link from shellphone fleet invite/],
    [['join', 'https://fleet.example.com/'], /expected a link/],
    [['join', 'http://192.0.2.1/#i=AAAAAAAAAAAAAAAAAAAAAA'], /expected a link/],
    [['leave', '--json'], /unknown option --json/],
    [['fly'], /fleet fly: unknown subcommand; expected join, leave/],
  ]
  for (const [args, message] of misused)
    t.match(await fleetError(other, ...args), { exitCode: 2, message }, args.join(' '))
  t.match(await fleetCli(other, 'leave'), { code: 1, said: /not in a fleet/ }, 'as the command prints it')
  t.notOk(existsSync(join(other, FLEET_FILE)))
  t.match(await fleetCli(home, 'leave'), { code: 0, said: /^left the fleet/ })
  t.ok(await until(async () => (await linkOf(service)).name === undefined), 'at once')
  await t.rejects(ask(plane, 'joiner'), /nobody listens/)
})

t.test('a copied home has another identity and refuses work for the original', async (t) => {
  const presences = await listenToPresences(plane)
  const { credentials } = await rejoin(broker, service, { name: 'copied' })
  t.ok(await until(() => presences.has('copied')))
  const original = presences.get('copied')![0]!.home
  const copy = join(folder, 'copy')
  cpSync(home, copy, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  const second = await startPhone(broker, { name: 'copied', home: copy, credentials })
  t.teardown(() => second.stop())
  t.ok(await until(() => presences.get('copied')!.some(({ home }) => home !== original)))
  t.equal(new Set(presences.get('copied')!.map(({ boot }) => boot)).size, 2, 'planes see two starts')
  t.equal(new Set(presences.get('copied')!.map(({ home }) => home)).size, 2, 'and two homes')
  const command = `echo x >> ${join(folder, 'copied-log')}`
  const askTwelve = (round: number) =>
    Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        exec(
          plane,
          'copied',
          { command },
          { home: original, headers: { 'idempotency-key': `copied-${round}-${index}` } },
        ),
      ),
    )
  const statuses: unknown[] = []
  // the broker picks the device at random, so repeat until both have responded
  for (let round = 0; new Set(statuses).size < 2 && round < 20; round++) {
    statuses.push(...(await askTwelve(round)).map(({ status }) => status))
  }
  t.same([...new Set(statuses)].sort(), [200, 409], 'the copy refuses what is meant for the original')
  const ran = readFileSync(join(folder, 'copied-log'), 'utf8').length / 2
  t.equal(ran, statuses.filter((status) => status === 200).length, 'nothing ran twice')
})

t.test('loads no fleet code without a fleet', async (t) => {
  const more = loadedFiles().filter((name) => !filesWithout.includes(name))
  t.ok(
    more.some((name) => /^fleet[.-]/.test(name)),
    `a fleet loads ${more.join(', ')}`,
  )
  const text = more.map((name) => (name.endsWith('.js') ? readFileSync(join(root, 'dist', name), 'utf8') : '')).join('')
  t.ok(text.includes('$SRV'), 'which is where NATS is')
  for (const name of filesWithout.filter((name) => existsSync(join(root, 'dist', name)))) {
    t.notOk(readFileSync(join(root, 'dist', name), 'utf8').includes('nats-core'), `${name} holds nothing of NATS`)
  }
})

t.test('a wiped home has another identity', async (t) => {
  const presences = await listenToPresences(plane)
  const { credentials } = await rejoin(broker, service, { name: 'wiped' })
  t.ok(await until(() => presences.has('wiped')))
  const old = presences.get('wiped')![0]!.home
  const job = { home: old, headers: { 'idempotency-key': 'job-2' } }
  const command = `echo x >> ${join(folder, 'wiped-log')}`
  t.equal((await exec(plane, 'wiped', { command }, job)).status, 200)
  await service.kill('SIGTERM')
  rmSync(join(home, 'history'), { recursive: true })
  service = await startPhone(broker, { name: 'wiped', home, credentials })
  await until(() => presences.get('wiped')!.some(({ home }) => home !== old))
  const again = await exec(plane, 'wiped', { command }, job)
  t.hasStrict([again.status, again.json().error.type], [409, 'wrong_home'])
  t.equal(
    readFileSync(join(folder, 'wiped-log'), 'utf8'),
    'x\n',
    'its idempotency keys are lost, and no command runs twice',
  )
})
