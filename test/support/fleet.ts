import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node'
import {
  type CallClass,
  type CallHead,
  callSubject,
  check,
  FLEET_FILE,
  HEAD_HEADER,
  inboxPrefix,
  type LinkStatus,
  NONCE_HEADER,
  PartHead,
  type Presence,
  presenceSubject,
  SIGNATURE_HEADER,
  signedText,
} from '../../src/shared/schema/index.ts'
import { type Service, type ServiceOptions, soon, startService, becomes } from './helper.ts'
import type { Broker, Credentials } from './nats.ts'

/** A real service that is a member of the broker's fleet. */
export type Phone = Service & { credentials: Credentials; name: string }

export interface PhoneOptions extends ServiceOptions {
  name?: string
  /** calls to it must be signed with one of these keys */
  planeKeys?: string[]
  credentials?: Credentials
  /** the addresses to connect to (default: the broker's) */
  servers?: string[]
  ca?: string | null
  /** false: do not wait until it is connected */
  isConnected?: boolean
}

export async function startPhone(broker: Broker, options: PhoneOptions = {}): Promise<Phone> {
  const { name, planeKeys, credentials, servers, ca, isConnected, ...rest } = options
  const membership = { name, planeKeys, credentials, servers, ca, isConnected }
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'shellphone-phone-'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const written = await writeMembership(broker, home, membership)
  const env = { SHELLPHONE_FLEET_RECONNECT_SECONDS: '1', ...rest.env }
  const service = await startService({ ...rest, env, home })
  const stop = async () => {
    const code = await service.stop()
    if (!options.home) rmSync(home, { recursive: true, force: true })
    return code
  }
  const phone = { ...service, stop, ...written }
  if (isConnected !== false) await connected(phone)
  return phone
}

type Membership = Omit<PhoneOptions, keyof ServiceOptions>

/** Gives a running service another membership instead of the previous one. Stop the returned phone or the service, not both. */
export async function rejoin<Kind extends Service>(
  broker: Broker,
  service: Kind,
  membership: Membership,
): Promise<Kind & Phone> {
  const phone = { ...service, ...(await writeMembership(broker, service.home, membership)) }
  if (membership.isConnected !== false) await connected(phone)
  return phone
}

async function writeMembership(broker: Broker, home: string, membership: Membership) {
  const { name = 'pixel-7', planeKeys = [], servers = [broker.url], ca = null } = membership
  const { credentials = await broker.credentials('phone', name) } = membership
  const file = { name, jwt: credentials.jwt, seed: credentials.seed, servers, ca }
  const text = JSON.stringify({ ...file, plane_keys: planeKeys, plane: 'https://fleet.test' })
  writeFileSync(join(home, FLEET_FILE), text, { mode: 0o600 })
  return { credentials, name }
}

async function connected(phone: Phone): Promise<void> {
  const isConnected = async () => {
    const link = await linkOf(phone)
    return link.name === phone.name && link.connected === true
  }
  if (await becomes(isConnected)) return
  throw new Error(`${phone.name} is not connected: ${JSON.stringify(await linkOf(phone))}`)
}

/** The state of its link, from /health. */
export async function linkOf(phone: Service): Promise<Partial<LinkStatus> & Pick<LinkStatus, 'refused' | 'parts'>> {
  const { fleet } = (await (await phone.request('/health')).json()) as { fleet?: LinkStatus }
  return fleet ?? { refused: 0, parts: 0 }
}

export interface CallOptions extends Partial<Omit<CallHead, 'call'>> {
  callClass?: CallClass
  body?: string | Buffer
  caller?: string
  signer?: KeyObject
  /** changes the head after it was signed */
  tamper?(head: CallHead): CallHead
  /** called with each part as it arrives */
  onPart?(part: PartHead): void
  /** called with a function that sends the same message again */
  onSent?(again: () => Promise<void>): void
}

export interface CallResponse {
  status: number | undefined
  headers: Record<string, string>
  trailers: Record<string, string>
  body: Buffer
  end: 'eof' | 'more'
  parts: PartHead[]
  json(): Record<string, any>
}

/**
 * Calls a phone as a plane does: repeats a signed call with the nonce of the rejection, and joins the parts in order. Rejects if nobody
 * listens, the connection is closed, or the response is not complete in time.
 */
export async function ask(nc: NatsConnection, name: string, options: CallOptions = {}): Promise<CallResponse> {
  const answer = await askOnce(nc, name, options)
  const nonce = answer.headers[NONCE_HEADER]
  const isStale = options.signer && options.nonce === undefined && answer.status === 401 && nonce !== undefined
  return isStale ? askOnce(nc, name, { ...options, nonce }) : answer
}

async function askOnce(nc: NatsConnection, name: string, options: CallOptions): Promise<CallResponse> {
  const { callClass = 'read', body = '', caller = 'plane', signer, tamper, onPart, onSent, ...fields } = options
  const head: CallHead = { call: randomUUID(), method: 'GET', path: '/health', headers: {}, ...fields }
  const subject = callSubject(name, callClass, caller)
  const carried = headers()
  const text = JSON.stringify(head)
  carried.set(HEAD_HEADER, tamper ? JSON.stringify(tamper(head)) : text)
  if (signer) {
    const hash = createHash('sha256').update(body).digest('hex')
    carried.set(
      SIGNATURE_HEADER,
      sign(null, Buffer.from(signedText(subject, text, hash)), signer).toString('base64url'),
    )
  }
  const inbox = createInbox(inboxPrefix(caller))
  const parts: PartHead[] = []
  const chunks: Buffer[] = []
  const over = new Promise<void>((resolve, reject) => {
    const take = (msg: Msg) => {
      if (msg.headers?.code === 503) return reject(new Error('nobody listens'))
      const part = check(PartHead, JSON.parse(msg.headers?.get(HEAD_HEADER) ?? ''))
      if (part.part !== parts.length) return reject(new Error(`expected part ${parts.length}, got part ${part.part}`))
      parts.push(part)
      onPart?.(part)
      chunks.push(Buffer.from(msg.data))
      if (part.end) resolve()
    }
    nc.subscribe(inbox, { callback: (error, msg) => (error ? reject(error) : take(msg)) })
  })
  const send = () => nc.publish(subject, body, { headers: carried, reply: inbox })
  send()
  const closed = nc.closed().then(() => Promise.reject(new Error('the connection is closed')))
  await soon(Promise.race([over, closed]))
  onSent?.(async () => {
    send()
    await nc.flush()
  })
  const whole = Buffer.concat(chunks)
  const first = parts.find((part) => part.status !== undefined)
  return {
    status: first?.status,
    headers: first?.headers ?? {},
    trailers: parts.at(-1)!.trailers ?? {},
    body: whole,
    end: parts.at(-1)!.end!,
    parts,
    json: () => JSON.parse(whole.toString()),
  }
}

/** POST /exec of a phone, as JSON. */
export const exec = (nc: NatsConnection, name: string, body: object, more: CallOptions = {}) =>
  ask(nc, name, {
    ...{ callClass: 'run', method: 'POST', path: '/exec', body: JSON.stringify(body) },
    ...more,
    headers: { 'content-type': 'application/json', ...more.headers },
  })

/** A key that signs calls, and its public key in the form of fleet.json. */
export function signingKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') }
}

/** Records the presences of all phones, by name, newest last. */
export async function listenToPresences(plane: NatsConnection): Promise<Map<string, Presence[]>> {
  const received = new Map<string, Presence[]>()
  const take = (name: string, presence: Presence) => received.set(name, [...(received.get(name) ?? []), presence])
  plane.subscribe(presenceSubject('*'), {
    callback: (_error, msg) => void take(msg.subject.split('.')[2]!, msg.json()),
  })
  await plane.flush()
  return received
}
