import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, jwtAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { brokerError, inboxPrefix, PLANE_CALLER, ShellphoneError } from '../../../shared/schema/index.ts'
import type { Log } from '../plane-types.ts'

/** How a plane gets in. */
export interface LinkOptions {
  servers: string[]
  /** PEM; null: a public authority, or plain TCP */
  ca: string | null
  jwt: string
  seed: string
}

/** The broker, as a plane sees it. */
export interface BrokerLink {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  /** copies that a stream is to have: 3 in a cluster, else 1 */
  replicas: number
  isUp(): boolean
  /** Throws BROKER_UNAVAILABLE while there is no connection: what is published then is dropped without a word. */
  mustBeUp(): void
  /** Called when the connection is lost, and when it is there again. */
  onChange(listener: (isUp: boolean) => void): void
  close(): Promise<void>
}

const PING_MS = 20_000
const RECONNECT_MS = 500
const JITTER_MS = 500
/** Who has not got in by then says why. */
const LATE_MS = 3_000
/** JetStream's own answers. */
const API_TIMEOUT_MS = 5_000

/** For whoever connects as a plane. */
export function connectOptions({ servers, ca, jwt, seed }: LinkOptions): NodeConnectionOptions {
  const isTls = servers.some((url) => url.startsWith('tls://'))
  return {
    servers,
    authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)),
    inboxPrefix: inboxPrefix(PLANE_CALLER),
    ...(isTls && { tls: { handshakeFirst: true, ...(ca !== null && { ca }) } }),
  }
}

/** Connects, for as long as it takes, and never gives up. */
export async function openLink(options: LinkOptions, log: Log): Promise<BrokerLink> {
  const late = setTimeout(() => void sayWhy(options, log), LATE_MS)
  const nc = await connect({
    ...connectOptions(options),
    name: PLANE_CALLER,
    ...{ maxReconnectAttempts: -1, ignoreAuthErrorAbort: true, waitOnFirstConnect: true, noAsyncTraces: true },
    ...{ pingInterval: PING_MS, reconnectTimeWait: RECONNECT_MS, reconnectJitter: JITTER_MS },
  }).finally(() => clearTimeout(late))
  const listeners: ((isUp: boolean) => void)[] = []
  let isUp = true
  const turn = (is: boolean) => {
    isUp = is
    log({ connected: is, server: nc.getServer() }, is ? 'the broker is there' : 'the broker is gone')
    for (const listener of listeners) listener(is)
  }
  watchStatus(nc, turn).catch(() => turn(false))
  const mustBeUp = () => {
    if (isUp && !nc.isClosed()) return
    throw new ShellphoneError(
      'BROKER_UNAVAILABLE',
      'The control plane is not connected to its broker; nothing was sent',
    )
  }
  return {
    nc,
    js: jetstream(nc, { timeout: API_TIMEOUT_MS }),
    jsm: await jetstreamManager(nc, { checkAPI: false, timeout: API_TIMEOUT_MS }),
    replicas: nc.info?.cluster === undefined ? 1 : 3,
    isUp: () => isUp,
    mustBeUp,
    onChange: (listener) => void listeners.push(listener),
    close: () => nc.drain().catch(() => nc.close()),
  }
}

/** The client tries for ever without a word; one try of its own has one. */
/** Never rejects. */
async function sayWhy(options: LinkOptions, log: Log): Promise<void> {
  try {
    const nc = await connect({ ...connectOptions(options), reconnect: false })
    await nc.close()
  } catch (error) {
    log({ reason: brokerError(error), servers: options.servers }, 'no broker yet: it is tried for ever')
  }
}

async function watchStatus(nc: NatsConnection, turn: (isUp: boolean) => void): Promise<void> {
  for await (const { type } of nc.status()) {
    if (type === 'disconnect') turn(false)
    if (type === 'reconnect') turn(true)
  }
}
