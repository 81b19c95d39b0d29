import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { connect as connectNats, jwtAuthenticator } from '@nats-io/transport-node'
import t, { type Test } from 'tap'
import { brokerVersion, systemUser } from '../../src/fleet/plane/index.ts'
import { linkOf } from '../support/fleet.ts'
import { endWithUs, freePort, HANG_MS, root, startService, until, wants } from '../support/helper.ts'
import { natsServer, natsVersion, newerNatsServer, noBroker } from '../support/nats.ts'

wants(t, noBroker)

const newer = newerNatsServer()
const skip = newer === null && 'nats-server 2.10 or later is missing: sh scripts/test/apt-packages.sh'

/** A name that `fleet init` does not treat as loopback, where it would omit TLS, but that resolves to it. */
const NODE = 'LocalHost'

/** Creates the files of a fleet for a broker of this version; returns functions that start its parts. */
async function startFolder(t: Test, binary: string, version = natsVersion(binary)) {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-fleet-newer-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [broker, plane] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${plane}`
  const env = {
    ...process.env,
    ...{ SHELLPHONE_HOME: join(folder, 'laptop'), XDG_CONFIG_HOME: folder },
    ...{ SHELLPHONE_PLANE_DIRECTORY: join(folder, 'plane'), SHELLPHONE_PLANE_PORT: String(plane) },
  }
  const argv = (words: string[]) => [join(root, 'dist/main.js'), 'fleet', ...words]
  const fleet = (words: string[], more = {}) =>
    promisify(execFile)(process.execPath, argv(words), { env: { ...env, ...more }, timeout: 10 * HANG_MS })
  await fleet([
    'init',
    folder,
    '--url',
    url,
    '--nodes',
    NODE,
    '--broker-port',
    String(broker),
    '--broker-version',
    version,
  ])
  const config = join(folder, 'broker/nats.conf')
  writeFileSync(config, readFileSync(config, 'utf8').replace('host: "0.0.0.0"', 'host: "127.0.0.1"'))
  const begin = (command: string, args: string[]) => {
    const child = endWithUs(spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    const end = async (signal: NodeJS.Signals) => {
      if (child.kill(signal)) await once(child, 'exit')
    }
    t.teardown(() => end('SIGKILL'))
    return { end, said: () => said }
  }
  return {
    ...{ folder, broker, url, config, fleet },
    startBroker: () => begin(binary, ['-c', config]),
    servePlane: () => begin(process.execPath, argv(['serve'])),
  }
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** Everything that a broker sends to a client without TLS until it closes the connection. */
async function wordsWithoutTls(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
  let said = ''
  socket.on('data', (chunk) => (said += chunk)).on('error', () => {})
  await once(socket, 'close')
  return said
}

t.test('a fleet on a broker that speaks TLS first and syncs each write', { skip }, async (t) => {
  const at = await startFolder(t, newer!)
  const { broker: port, folder, fleet } = at
  t.comment(`nats-server ${natsVersion(newer!)}`)
  const first = at.startBroker()
  t.ok(await until(() => isOpen(port)), 'it begins', { said: first.said() })
  const { ca } = JSON.parse(readFileSync(join(folder, 'plane/plane.json'), 'utf8'))
  t.notMatch(await wordsWithoutTls(port), /INFO|PONG/, 'sends nothing before TLS')
  const secure = connectTls({ host: '127.0.0.1', servername: NODE, port, ca })
  t.match(String((await once(secure, 'data'))[0]), /^INFO \{/, 'INFO follows the TLS handshake')
  secure.destroy()
  const { keys } = JSON.parse(readFileSync(join(folder, 'offline/keys.json'), 'utf8'))
  const { jwt, seed } = await systemUser(keys)
  const authenticator = jwtAuthenticator(jwt, new TextEncoder().encode(seed))
  const system = await connectNats({
    servers: `tls://${NODE}:${port}`,
    authenticator,
    tls: { handshakeFirst: true, ca },
  })
  t.teardown(() => system.close())
  const { data } = (await system.request('$SYS.REQ.SERVER.PING.JSZ', '{}')).json<any>()
  t.equal(data.config.sync_always, true, 'the broker reports it')

  const plane = at.servePlane()
  t.ok(await until(() => plane.said().includes('listening')), 'a plane', { said: plane.said() })
  const invited = await fleet(['invite', 'pixel'])
  const home = join(folder, 'phone')
  const phone = await startService({ home, env: { SHELLPHONE_FLEET_RECONNECT_SECONDS: '1' } })
  t.teardown(() => phone.stop())
  await fleet(['join', /'(.+)'/.exec(invited.stdout)![1]!], { SHELLPHONE_HOME: home })
  t.ok(await until(async () => (await linkOf(phone)).connected === true), "a phone, by the fleet's own authority")
  const isOnline = async () => / online\b/.test((await fleet(['phones'])).stdout)
  t.ok(await until(isOnline), 'the plane sees it online')
  t.match((await fleet(['exec', '*', 'echo by TLS'])).stdout, /pixel +ended 0[^]*by TLS/)

  await phone.kill('SIGKILL')
  const queued = (await fleet(['exec', '*', 'echo later', '--queue', '1h'])).stdout
  await first.end('SIGKILL')
  at.startBroker()
  const again = await startService({ home, env: { SHELLPHONE_FLEET_RECONNECT_SECONDS: '1' } })
  t.teardown(() => again.stop())
  const job = /fleet job (\S+?)\)/.exec(queued)![1]!
  const hasEnded = async () => /completed/.test((await fleet(['job', job]).catch(() => ({ stdout: '' }))).stdout)
  t.ok(await until(hasEnded), 'a job survives a kill of the broker')

  const { warnings } = brokerVersion(natsVersion(newer!))
  const doctor = await fleet(['doctor']).catch((error) => error)
  t.match(doctor, { stdout: /^ok +tls:\/\/LocalHost:\d+: nats-server / }, doctor.stderr)
  t.equal(doctor.code ?? 0, warnings.length > 0 ? 1 : 0, 'doctor warns about faults of this version only')
  const revoked = await fleet(['revoke', 'pixel', '--directory', folder])
  t.match(revoked.stdout, /pixel: revoked, \d+ ms/)
  t.comment(revoked.stdout)
  t.ok(await until(async () => (await linkOf(again)).connected === false), 'the phone is disconnected')
})

t.test('explains that 2.9 cannot start with TLS', async (t) => {
  await t.rejects(
    startFolder(t, natsServer(), '2.9.10'),
    /nats-server 2\.9\.10: expected 2\.10 or later/,
    'before it starts',
  )
  const at = await startFolder(t, natsServer(), '2.12.7')
  const late = readFileSync(at.config, 'utf8')
    .replace('  handshake_first: true\n', '')
    .replace('  sync_interval: always\n', '')
  writeFileSync(at.config, late)
  const words = /the broker sends data before the TLS handshake; use nats-server 2\.10 or later/
  const old = at.startBroker()
  t.ok(await until(() => isOpen(at.broker)), 'it begins without them', { said: old.said() })
  const doctor = await at.fleet(['doctor']).catch((error) => error)
  t.match(doctor, { code: 1, stdout: words })
  const plane = at.servePlane()
  t.ok(await until(() => words.test(plane.said())), 'a plane explains why it does not start')
  const place = JSON.parse(readFileSync(join(at.folder, 'plane/plane.json'), 'utf8'))
  const home = join(at.folder, 'phone')
  const phone = await startService({ home })
  t.teardown(() => phone.stop())
  const fleetFile = {
    ...{ name: 'pixel', jwt: place.jwt, seed: place.seed, servers: place.servers, ca: place.ca },
    ...{ plane_keys: [], plane: at.url },
  }
  writeFileSync(join(home, 'fleet.json'), JSON.stringify(fleetFile), { mode: 0o600 })
  t.ok(await until(async () => words.test((await linkOf(phone)).trouble ?? '')), 'so does a phone')
})
