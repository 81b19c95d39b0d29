import { setTimeout as pause } from 'node:timers/promises'
import {
  AuthorizationError,
  connect,
  jwtAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node'
import { brokerError, type FleetFile, type LinkStatus, toIso } from '../../shared/schema/index.ts'
import { type Checks, readKeys } from './check-call.ts'
import { type CallListener, listenForCalls } from './call-listener.ts'
import type { Counts, FleetParts } from './fleet-parts.ts'
import { answerMicro } from './micro.ts'
import { createNonces } from './nonces.ts'
import { startPresence } from './start-presence.ts'

/** The timeout of a connection attempt; a phone's network may be slow. */
const CONNECT_MS = 20_000
/** The interval of the NATS client's own pings. It is long because heartbeats already test the link, and pings would only wake the phone. */
const OWN_PINGS_MS = 3_600_000
/** The upper bound of the random delay before the first reconnect attempt. It grows with each failure, so that phones do not all return to a restarted broker at once. */
const FIRST_SPREAD_MS = 2_000
const GROWTH = 3
/** A phone whose credentials the broker rejects waits up to this many times the maximum delay. It may have been revoked. */
const REFUSED_FACTOR = 10

/** The phone's connection to its fleet while the service runs. */
export interface Fleet {
  status(): LinkStatus
  /** Stops accepting calls, answers the open ones within the grace period, and disconnects. */
  close(graceMs: number): Promise<void>
}

/** One connection and everything that uses it. */
interface FleetSession {
  nc: NatsConnection
  calls: CallListener
  stopPresence(isStopping: boolean): void
}

type ConnectionState = Pick<LinkStatus, 'since' | 'server' | 'trouble'>

/** Connects and reconnects forever in the background; its errors never stop the service. Throws VALIDATION_ERROR for invalid keys. */
export function openFleet(parts: FleetParts): Fleet {
  const counts: Counts = { open: 0, requests: 0, refused: 0, parts: 0, reconnects: 0 }
  const state: ConnectionState = { since: null, server: null, trouble: null }
  const checks = { home: parts.home, keys: readKeys(parts.membership.plane_keys), nonces: createNonces() }
  const stopped = new AbortController()
  let session: FleetSession | null = null

  const serve = async () => {
    const nc = await connect(connectOptions(parts.membership))
    if (stopped.signal.aborted) return nc.close()
    if (state.since !== null) counts.reconnects += 1
    session = openSession(nc, parts, checks, counts)
    // calls arrive once the broker has the subscriptions; the connection may be lost before
    await Promise.race([nc.flush(), nc.closed()]).catch(() => {})
    if (!nc.isClosed()) {
      Object.assign(state, { since: toIso(Date.now()), server: nc.getServer(), trouble: null })
      parts.log.info({ server: state.server, name: parts.membership.name }, 'connected to the fleet')
    }
    const error = await nc.closed()
    session.stopPresence(false)
    session = null
    Object.assign(state, {
      since: toIso(Date.now()),
      server: null,
      trouble: brokerError(error ?? 'the connection was lost'),
    })
    if (!stopped.signal.aborted) parts.log.warn({ reason: state.trouble }, 'lost the connection to the fleet')
    return error
  }
  /** Never rejects. */
  const reconnectForever = async () => {
    for (let failures = 0; !stopped.signal.aborted; failures++) {
      let lost: unknown
      try {
        lost = await serve()
        failures = 0
      } catch (error) {
        lost = error
        if (state.trouble === null) parts.log.warn({ reason: brokerError(error) }, 'cannot connect to the fleet')
        state.trouble = brokerError(error)
      }
      await pause(waitMs(failures, isRefusal(lost), parts.reconnectMs), null, {
        signal: stopped.signal,
        ref: false,
      }).catch(() => {})
    }
  }
  void reconnectForever()
  return {
    status: () => ({ name: parts.membership.name, connected: state.server !== null, ...state, ...counts }),
    async close(graceMs) {
      stopped.abort()
      if (session === null) return
      const { calls, stopPresence, nc } = session
      await calls.close(graceMs)
      stopPresence(true)
      await nc.flush().catch(() => {}) // the connection may be lost
      await nc.close()
    },
  }
}

function openSession(nc: NatsConnection, parts: FleetParts, checks: Checks, counts: Counts): FleetSession {
  const calls = listenForCalls(nc, parts, checks, counts)
  answerMicro(nc, parts, counts)
  return { nc, calls, stopPresence: startPresence(nc, parts) }
}

function connectOptions({ name, jwt, seed, servers, ca }: FleetFile): NodeConnectionOptions {
  const handshakeFirst = servers.some((server) => server.startsWith('tls://'))
  return {
    servers,
    name,
    authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)),
    reconnect: false, // reconnectForever reconnects instead
    timeout: CONNECT_MS,
    pingInterval: OWN_PINGS_MS,
    ...((handshakeFirst || ca !== null) && { tls: { handshakeFirst, ...(ca !== null && { ca }) } }),
  }
}

/** Whether the broker rejected this phone's credentials. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError

/** A random delay whose upper bound grows with each failure. */
function waitMs(failures: number, isRefused: boolean, maxMs: number): number {
  const spread = Math.min(maxMs, FIRST_SPREAD_MS * GROWTH ** Math.min(failures, 20))
  return Math.random() * (isRefused ? maxMs * REFUSED_FACTOR : spread)
}
