import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { promisify } from 'node:util'
import t from 'tap'
import { brokerVersion, newFleet } from '../../src/fleet/plane/index.ts'
import { makeCertificate } from '../../src/server/access/index.ts'
import { endWithUs, freePort, HANG_MS, root, until, wants } from '../support/helper.ts'
import { natsVersion, newerNatsServer, noBroker } from '../support/nats.ts'

wants(t, noBroker)

const binary = newerNatsServer()
const skip = binary === null && 'nats-server 2.10 or later is missing: sh scripts/test/apt-packages.sh'

/** Names that `fleet init` does not treat as loopback, where it would omit TLS, but that resolve to it. */
const NODES = ['LocalHost', 'LOCALHOST', 'localHost']

/** The files of a fleet with three brokers, changed so that all brokers can run on this machine. */
async function writeFleet(folder: string) {
  const version = brokerVersion(natsVersion(binary!), true)
  const [client, plane] = [await freePort(), await freePort()]
  const files = await newFleet({
    ...{ directory: folder, url: `http://127.0.0.1:${plane}`, nodes: NODES, port: client, version },
    makeCertificate,
  })
  const nodes = await Promise.all(
    NODES.map(async (node) => ({ node, client: await freePort(), route: await freePort() })),
  )
  for (const [path, text] of files) {
    const own = nodes.find(({ node }) => path === `broker-${node}/nats.conf`)
    let changed = own === undefined ? text : text.replace(`port: ${client}`, `port: ${own.client}`)
    changed = changed.replaceAll('host: "0.0.0.0"', 'host: "127.0.0.1"').replace('port: 6222', `port: ${own?.route}`)
    for (const { node, route, client: port } of nodes) {
      changed = changed
        .replace(`@${node}:6222`, `@${node}:${route}`)
        .replace(`//${node}:${client}`, `//${node}:${port}`)
    }
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), changed, { mode: 0o600 })
  }
  return { files, nodes, plane }
}

/** Resolves with all that the broker sends on a socket until it closes the connection, and the error that closed it. */
async function allSentOn(socket: Socket): Promise<string> {
  let sent = ''
  socket.on('data', (chunk) => (sent += chunk)).on('error', (error) => (sent += error.message))
  await new Promise((resolve) => socket.on('close', resolve))
  return sent
}

/** Connects to the route port of a broker like another broker; resolves with what the broker sends after the TLS handshake. */
async function connectAsBroker(port: number, tls: ConnectionOptions, password: string): Promise<string> {
  const socket = connectTls({ ...tls, host: '127.0.0.1', port, servername: NODES[0]! })
  const user = { name: 'intruder', cluster: 'shellphone', user: 'shellphone', pass: password, tls_required: true }
  socket.on('secureConnect', () => socket.write(`CONNECT ${JSON.stringify(user)}\r\n`))
  return allSentOn(socket)
}

t.test('three brokers connect to each other over TLS, with a password', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-fleet-cluster-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { files, nodes, plane } = await writeFleet(folder)
  const env = {
    ...process.env,
    ...{ SHELLPHONE_HOME: join(folder, 'laptop'), SHELLPHONE_PLANE_DIRECTORY: join(folder, 'plane') },
    SHELLPHONE_PLANE_PORT: String(plane),
  }
  const begin = (command: string, args: string[]) => {
    const child = endWithUs(spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    t.teardown(async () => {
      if (child.kill('SIGKILL')) await once(child, 'exit')
    })
    return () => said
  }
  const main = join(root, 'dist/main.js')
  const brokers = nodes.map(({ node }) => begin(binary!, ['-c', join(folder, `broker-${node}/nats.conf`)]))
  const served = begin(process.execPath, [main, 'fleet', 'serve'])
  t.ok(await until(() => served().includes('listening')), 'a plane', { said: served() + brokers.map((said) => said()) })
  const doctor = async () => {
    const checked = promisify(execFile)(process.execPath, [main, 'fleet', 'doctor'], { env, timeout: 10 * HANG_MS })
    return (await checked.catch((error) => error)).stdout as string
  }
  const haveCopies = async () => (await doctor()).match(/^ok .* 3 copies$/gm)?.length === 6
  t.ok(await until(haveCopies), 'each broker has a copy of both streams', { said: await doctor() })

  const [cert, key] = ['certificate', 'key'].map((name) => files.get(`broker-${NODES[0]}/${name}.pem`)!)
  const { route } = nodes[0]!
  const password = /password: "(.{43})"/.exec(files.get(`broker-${NODES[0]}/nats.conf`)!)![1]!
  t.match(await connectAsBroker(route, { ca: cert! }, password), /certificate required/, 'without the certificate')
  t.match(await connectAsBroker(route, { ca: cert!, cert: cert!, key: key! }, 'wrong'), /Authorization Violation/)
})
