import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, jwtAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { brokerError, inboxPrefix, PLANE_CALLER, ShellphoneError } from '../../../shared/schema/index.ts'
import type { Log } from '../plane-types.ts'

/** The addresses of the brokers and the plane's credentials. */
export interface LinkOptions {
  servers: string[]
  /** PEM; null: a public certificate authority, or plain TCP */
  ca: string | null
  jwt: string
  seed: string
}

/** A plane's connection to the broker. */
export interface BrokerLink {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  /** the number of copies of each stream: 3 in a cluster, otherwise 1 */
  replicas: number
  isUp(): boolean
  /** Throws BROKER_UNAVAILABLE while the connection is lost, because the NATS client would silently drop published messages. */
  mustBeUp(): void
  /** Calls the listener when the connection is lost and when it is restored. */
  onChange(listener: (isUp: boolean) => void): void
  close(): Promise<void>
}

const PING_MS = 20_000
const RECONNECT_MS = 500
const JITTER_MS = 500
/** If the first connection takes longer than this, `openLink` logs the reason. */
const LOG_REASON_MS = 3_000
/** The timeout of JetStream requests. */
const API_TIMEOUT_MS = 5_000

/** The options for a connection with a control plane's credentials. */
export function connectOptions({ servers, ca, jwt, seed }: LinkOptions): NodeConnectionOptions {
  const isTls = servers.some((url) => url.startsWith('tls://'))
  return {
    servers,
    authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)),
    inboxPrefix: inboxPrefix(PLANE_CALLER),
    ...(isTls && { tls: { handshakeFirst: true, ...(ca !== null && { ca }) } }),
  }
}

/** Resolves when connected. Retries and reconnects forever. */
export async function openLink(options: LinkOptions, log: Log): Promise<BrokerLink> {
  const late = setTimeout(() => void logReason(options, log), LOG_REASON_MS)
  const nc = await connect({
    ...connectOptions(options),
    name: PLANE_CALLER,
    ...{ maxReconnectAttempts: -1, ignoreAuthErrorAbort: true, waitOnFirstConnect: true, noAsyncTraces: true },
    ...{ pingInterval: PING_MS, reconnectTimeWait: RECONNECT_MS, reconnectJitter: JITTER_MS },
  }).finally(() => clearTimeout(late))
  const listeners: ((isUp: boolean) => void)[] = []
  let isUp = true
  const setUp = (value: boolean) => {
    isUp = value
    log(
      { connected: value, server: nc.getServer() },
      value ? 'connected to the broker again' : 'lost the connection to the broker',
    )
    for (const listener of listeners) listener(value)
  }
  watchStatus(nc, setUp).catch(() => setUp(false))
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

/** Makes a separate connection attempt to find out the reason, because the NATS client retries without reporting it. Never rejects. */
async function logReason(options: LinkOptions, log: Log): Promise<void> {
  try {
    const nc = await connect({ ...connectOptions(options), reconnect: false })
    await nc.close()
  } catch (error) {
    log(
      { reason: brokerError(error), servers: options.servers },
      'waiting for the broker; the control plane begins to listen when the broker responds',
    )
  }
}

async function watchStatus(nc: NatsConnection, onChange: (isUp: boolean) => void): Promise<void> {
  for await (const { type } of nc.status()) {
    if (type === 'disconnect') onChange(false)
    if (type === 'reconnect') onChange(true)
  }
}
