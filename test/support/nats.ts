import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, jwtAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import {
  brokerConfig,
  type BrokerConfig,
  brokerVersion,
  type FleetKeys,
  type FleetTokens,
  type Identity,
  makeIdentity,
  makeKeys,
  makeTokens,
  publicKeyOf,
  revoke,
  type Role,
  signUser,
  systemUser,
  versionIn,
} from '../../src/fleet/plane/index.ts'
import { inboxPrefix } from '../../src/shared/schema/index.ts'
import { becomes, endWithUs, freePort, HANG_MS } from './helper.ts'

const debian = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'shellphone/debian')

/** Debian's binary; NATS_SERVER=/path selects another version. */
const candidates = [
  process.env.NATS_SERVER,
  '/usr/sbin/nats-server',
  '/usr/bin/nats-server',
  '/usr/local/bin/nats-server',
  `${debian}/usr/sbin/nats-server`,
]

const found = candidates.find((path) => path !== undefined && existsSync(path))

/** Why this machine cannot run a broker; null: it can. */
export const noBroker = found
  ? null
  : 'nats-server is missing: apt-get install -y nats-server (or NATS_SERVER=/path/to/nats-server)'

export function natsServer(): string {
  if (found) return found
  throw new Error(noBroker!)
}

/** The version of this binary, such as 2.9.10. */
export const natsVersion = (binary = natsServer()): string =>
  versionIn(execFileSync(binary, ['--version'], { encoding: 'utf8' }))!

/** A nats-server of at least 2.10, Debian testing's if the installed one is older; null: there is none. */
export function newerNatsServer(): string | null {
  const found = [natsServer(), `${debian}-testing/usr/sbin/nats-server`].filter((path) => existsSync(path))
  return found.find((path) => brokerVersion(natsVersion(path)).speaksTlsFirst) ?? null
}

/** The credentials of a client: its seed, and the token with its permissions. */
export type Credentials = Identity & { name: string; jwt: string }

/** A real nats-server on loopback, with its own keys, folder and ports. */
export interface Broker {
  url: string
  folder: string
  keys: FleetKeys
  tokens: FleetTokens
  /** the current process; each start creates a new one */
  process(): ChildProcess
  /** creates credentials with this role and name */
  credentials(role: Role, name: string): Promise<Credentials>
  /** opens a connection with this role and name; it is closed when the broker stops */
  connect(role: Role, name: string, more?: NodeConnectionOptions): Promise<NatsConnection>
  /** opens a connection with these credentials */
  connectAs(credentials: Credentials, more?: NodeConnectionOptions): Promise<NatsConnection>
  /** Kills it with this signal; resolves when it has exited. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Restarts it on the same port with the same streams. */
  restart(): Promise<void>
  /** Revokes the tokens of this key; resolves with the broker's response. */
  revoke(publicKey: string): Promise<unknown>
  stop(): Promise<void>
}

interface BrokerOptions {
  /** the nats-server binary (default: this machine's) */
  binary?: string
  keys?: FleetKeys
  tokens?: FleetTokens
  config?: Partial<BrokerConfig>
}

export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  const { binary = natsServer() } = options
  const { syncsAlways } = brokerVersion(natsVersion(binary))
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-nats-'))
  const { keys = makeKeys() } = options
  const { tokens = await makeTokens(keys, 'test') } = options
  const account = publicKeyOf(keys.account)
  const open = new Set<NatsConnection>()
  let child: ChildProcess
  // not one that the kernel assigns to connections, because one of them might have it when the broker restarts
  const port = options.config?.port ?? (await freePort())

  const start = async () => {
    const portsDirectory = join(folder, 'ports')
    rmSync(portsDirectory, { recursive: true, force: true })
    mkdirSync(portsDirectory)
    const file = join(folder, 'nats.conf')
    const system = publicKeyOf(keys.system)
    const usual: BrokerConfig = {
      ...{ tokens, account, system, host: '127.0.0.1', directory: folder, portsDirectory },
      ...{ tls: null, cluster: null, syncsAlways, speaksTlsFirst: false, maxConnections: 65_536 },
      port,
    }
    writeFileSync(file, brokerConfig({ ...usual, ...options.config, port }))
    child = endWithUs(spawn(binary, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] }))
    let said = ''
    child.stderr!.on('data', (chunk) => (said = (said + chunk).slice(-4000)))
    await listening(portsDirectory, child, () => said)
  }
  await start()
  const url = `nats://127.0.0.1:${port}`

  const connectAs: Broker['connectAs'] = async ({ name, seed, jwt }, more = {}) => {
    const authenticator = jwtAuthenticator(jwt, new TextEncoder().encode(seed))
    const nc = await connect({ servers: url, authenticator, inboxPrefix: inboxPrefix(name), ...more })
    open.add(nc)
    return nc
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const credentials: Broker['credentials'] = async (role, name) => {
    const identity = makeIdentity()
    const jwt = await signUser({ role, name, publicKey: identity.publicKey }, { roleSeed: keys.roles[role], account })
    return { ...identity, name, jwt }
  }
  return {
    url,
    folder,
    keys,
    tokens,
    process: () => child,
    credentials,
    connect: async (role, name, more) => connectAs(await credentials(role, name), more),
    connectAs,
    kill,
    restart: async () => {
      await kill()
      await start()
    },
    async revoke(publicKey) {
      tokens.account = await revoke(tokens.account, keys.operator, publicKey)
      const nc = await connectAs({ ...(await systemUser(keys)), name: 'system' })
      const answer = await nc.request('$SYS.REQ.CLAIMS.UPDATE', tokens.account, { timeout: HANG_MS })
      await nc.close()
      return answer.json()
    },
    stop: async () => {
      await Promise.all([...open].map((nc) => nc.close()))
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits for the file that it writes once it listens. */
async function listening(directory: string, child: ChildProcess, log: () => string): Promise<void> {
  const isThere = () => {
    if (child.exitCode !== null) throw new Error(`nats-server exited with ${child.exitCode}: ${log()}`)
    const [name] = readdirSync(directory)
    return name !== undefined && readFileSync(join(directory, name), 'utf8').trim().endsWith('}')
  }
  if (!(await becomes(isThere))) throw new Error(`nats-server did not listen: ${log()}`)
}
