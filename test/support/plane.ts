import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { makeIdentity, openPlane, type PlaneFile, type PlaneOptions, publicKeyOf } from '../../src/fleet/plane/index.ts'
import { type Phone, type PhoneOptions, rejoin, startPhone } from './fleet.ts'
import { endWithUs, root, type Service, soon, until } from './helper.ts'
import { type Broker, type Credentials, startBroker } from './nats.ts'
import { recordServer } from './record-traffic.mjs'
import { sseEvents } from './sse.ts'

/** A client of a control plane. */
export interface PlaneClient {
  url: string
  file: PlaneFile
  /** fetch with a token (default: the admin's) */
  request(path: string, init?: RequestInit & { token?: string }): Promise<Response>
  post(path: string, body: unknown, more?: { token?: string; headers?: Record<string, string> }): Promise<Response>
  get(path: string, token?: string): Promise<any>
  /** creates a token with this role */
  token(name: string, role: string, select?: string): Promise<string>
}

/** A real control plane on loopback, in this process. */
interface Plane extends PlaneClient {
  /** its log entries */
  log: string[]
  close(): Promise<void>
}

/** The file that `fleet init` writes for planes, for a test broker. */
export async function planeFile(broker: Broker, url = 'http://127.0.0.1:1'): Promise<PlaneFile> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { jwt, seed } = await broker.credentials('plane', 'plane')
  return {
    ...{ url, servers: [broker.url], ca: null, jwt, seed, token: 'admin-'.repeat(8) },
    account: publicKeyOf(broker.keys.account),
    phone_role_seed: broker.keys.roles.phone,
    signer: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    plane_keys: [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
  }
}

export async function startPlane(broker: Broker, more: Partial<PlaneOptions> = {}): Promise<Plane> {
  const file = more.plane ?? (await planeFile(broker))
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  const limits = { maxPairs: 100_000, maxFailedLoginsPerMinute: 1_000, allowedHosts: [] }
  const app = await openPlane({ plane: file, version: '0', ...limits, webhook: null, logger, ...more })
  recordServer(app.server, true)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return { ...planeClient(url, file), log, close: async () => void (await app.close()) }
}

export function planeClient(url: string, file: PlaneFile): PlaneClient {
  const request: PlaneClient['request'] = (path, { token = file.token, headers, ...init } = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } })
  const post: PlaneClient['post'] = (path, body, { token, headers } = {}) =>
    request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
      ...(token === undefined ? {} : { token }),
    })
  return {
    ...{ url, file, request, post },
    get: async (path, token) => json(await request(path, token === undefined ? {} : { token })),
    token: async (name, role, select = '*') => (await json(await post('/tokens', { name, role, select }))).token,
  }
}

/** Enrols a phone with an invitation of this plane; returns its credentials. */
export async function enrol(plane: PlaneClient, name: string, labels: string[] = []): Promise<Credentials> {
  const { invite } = await json(await plane.post('/invites', { name, labels }))
  const identity = makeIdentity()
  const request = { invite, public_key: identity.publicKey, home: 'none yet', version: '0' }
  const { jwt } = await json(await plane.post('/enrol', request))
  return { ...identity, name, jwt }
}

type EnrolledPhoneOptions = PhoneOptions & { labels?: string[] }

/** Enrols and starts a real phone; waits until the plane sees it online. */
export async function addPhone(
  plane: PlaneClient,
  broker: Broker,
  name: string,
  more: EnrolledPhoneOptions = {},
): Promise<Phone> {
  const { labels, credentials = await enrol(plane, name, labels), ...options } = more
  const phone = await startPhone(broker, { name, credentials, planeKeys: plane.file.plane_keys, ...options })
  await isOnline(plane, name)
  return phone
}

/** Enrols a running service under this name; it leaves its previous membership. */
export async function renamePhone<Kind extends Service>(
  plane: PlaneClient,
  broker: Broker,
  service: Kind,
  credentials: Credentials,
): Promise<Kind & Phone> {
  const { name } = credentials
  const phone = await rejoin(broker, service, { name, credentials, planeKeys: plane.file.plane_keys })
  await isOnline(plane, name)
  return phone
}

const isOnline = (plane: PlaneClient, name: string) => until(async () => (await plane.get(`/phones/${name}`)).online)

/** The JSON body of a response. */
export const json = (answer: Response): Promise<any> => answer.json()

/** A job, as returned by GET /jobs/:id. */
export type Job = { job: string; counts: Record<string, number>; phones: Record<string, any> }

/** POST /exec as a job (default: for the phone pixel). */
export const submit = async (at: Plane, body: object, key?: string): Promise<{ status: number; job: string }> => {
  const answer = await at.post(
    '/exec',
    { phones: 'name=pixel', queue_seconds: 600, ...body },
    { headers: key ? { 'idempotency-key': key } : {} },
  )
  return { status: answer.status, ...(await json(answer)) }
}
/** The entry of a phone in a job. */
export const stateIn = async (at: Plane, job: string, name = 'pixel') =>
  ((await at.get(`/jobs/${job}`)) as Job).phones[name]
/** Resolves with whether the job reaches this state. */
export const becomes = (at: Plane, job: string, state: string, name = 'pixel'): Promise<boolean> =>
  soon(until(() => passes(at, job, state, name)))

/** Whether a job passes through this state on a phone, according to its events. */
async function passes(at: Plane, job: string, state: string, name: string): Promise<boolean> {
  const events = sseEvents(await at.request(`/jobs/${job}/events`))
  for await (const { event, data } of events)
    if (event === 'phone' && data.name === name && data.state === state) return true
  return (await stateIn(at, job, name)).state === state
}

/** Starts a broker, a plane and a phone named pixel that allows everything; stops them at the end of the test file. */
export async function startFleet(t: { teardown(end: () => Promise<void>): void }) {
  const broker = await startBroker()
  const plane = await startPlane(broker)
  const phone = await addPhone(plane, broker, 'pixel', { env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(async () => {
    await phone.stop()
    await plane.close()
    await broker.stop()
  })
  return { broker, plane, phone }
}

/** Lets a test step the wall clock of this process, and so of its planes, by milliseconds. Call it before they start. */
export function steppedClock(): (ms: number) => void {
  const real = Date.now
  let ahead = 0
  Date.now = () => real() + ahead
  return (ms) => (ahead = ms)
}

/** The command line of a machine that has paired with the plane as `fleet`. */
interface FleetCli {
  env: NodeJS.ProcessEnv
  /** runs `shellphone …` with this stdin; null: stdin stays open */
  start(args: string[], stdin?: string | Buffer | null): { child: ChildProcess; out(): Buffer; ended: Promise<Ended> }
}

export interface Ended {
  code: number | null
  out: Buffer
  err: string
}

export function fleetCli(url: string, token: string, folder: string): FleetCli {
  const config = join(folder, 'shellphone')
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, 'remotes.json'), JSON.stringify({ fleet: { url, key: null, token, fleet: true } }), {
    mode: 0o600,
  })
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, SHELLPHONE_HOME: folder }
  return {
    env,
    start(args, stdin = '') {
      const child = endWithUs(spawn(process.execPath, [join(root, 'dist/main.js'), ...args], { env, cwd: folder }))
      const [out, err]: Buffer[][] = [[], []]
      child.stdout.on('data', (chunk) => out!.push(chunk))
      child.stderr.on('data', (chunk) => err!.push(chunk))
      child.stdin.on('error', () => {}) // the process may exit before it has read everything
      if (stdin !== null) child.stdin.end(stdin)
      const all = () => Buffer.concat(out!)
      const ended = once(child, 'close').then(([code]) => ({ code, out: all(), err: Buffer.concat(err!).toString() }))
      return { child, out: all, ended }
    },
  }
}
