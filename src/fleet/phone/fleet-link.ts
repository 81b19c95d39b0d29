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

/** A try to connect takes so long, at most: a phone's link may be slow. */
const CONNECT_MS = 20_000
/** Beats ask whether the broker is there: the client's own pings would wake the phone beside them. */
const OWN_PINGS_MS = 3_600_000
/** The spread of the first try after a loss, which grows with each that fails: brokers that come back meet their phones one by one. */
const FIRST_SPREAD_MS = 2_000
const GROWTH = 3
/** Whoever is refused, being revoked, asks so much less often. */
const REFUSED_FACTOR = 10

/** The phone's place in its fleet, while the service runs. */
export interface Fleet {
  status(): LinkStatus
  /** Takes no more calls, answers those that came within the grace, and leaves. */
  close(graceMs: number): Promise<void>
}

/** One connection, with all that lives on it. */
interface FleetSession {
  nc: NatsConnection
  door: CallListener
  lastWord(isStopping: boolean): void
}

type ConnectionState = Pick<LinkStatus, 'since' | 'server' | 'trouble'>

/** Connects for ever, in the background; nothing that happens here stops the service. Throws VALIDATION_ERROR for keys that are none. */
export function openFleet(parts: FleetParts): Fleet {
  const counts: Counts = { open: 0, requests: 0, refused: 0, parts: 0, reconnects: 0 }
  const state: ConnectionState = { since: null, server: null, trouble: null }
  const checks = { home: parts.home, keys: readKeys(parts.place.plane_keys), nonces: createNonces() }
  const stopped = new AbortController()
  let session: FleetSession | null = null

  const serve = async () => {
    const nc = await connect(connectOptions(parts.place))
    if (stopped.signal.aborted) return nc.close()
    if (state.since !== null) counts.reconnects += 1
    session = openSession(nc, parts, checks, counts)
    Object.assign(state, { since: toIso(Date.now()), server: nc.getServer(), trouble: null })
    parts.log.info({ server: state.server, name: parts.place.name }, 'connected to the fleet')
    const error = await nc.closed()
    session.lastWord(false)
    session = null
    Object.assign(state, {
      since: toIso(Date.now()),
      server: null,
      trouble: brokerError(error ?? 'the connection was lost'),
    })
    if (!stopped.signal.aborted) parts.log.warn({ reason: state.trouble }, 'lost the fleet')
    return error
  }
  /** Never rejects. */
  const serveForEver = async () => {
    for (let failures = 0; !stopped.signal.aborted; failures++) {
      let lost: unknown
      try {
        lost = await serve()
        failures = 0
      } catch (error) {
        lost = error
        if (state.trouble === null) parts.log.warn({ reason: brokerError(error) }, 'no connection to the fleet')
        state.trouble = brokerError(error)
      }
      await pause(waitMs(failures, isRefusal(lost), parts.reconnectMs), null, {
        signal: stopped.signal,
        ref: false,
      }).catch(() => {})
    }
  }
  void serveForEver()
  return {
    status: () => ({ name: parts.place.name, connected: session !== null, ...state, ...counts }),
    async close(graceMs) {
      stopped.abort()
      if (session === null) return
      const { door, lastWord, nc } = session
      await door.close(graceMs)
      lastWord(true)
      await nc.flush().catch(() => {}) // it may be cut off
      await nc.close()
    },
  }
}

function openSession(nc: NatsConnection, parts: FleetParts, checks: Checks, counts: Counts): FleetSession {
  const door = listenForCalls(nc, parts, checks, counts)
  answerMicro(nc, parts, counts)
  return { nc, door, lastWord: startPresence(nc, parts) }
}

function connectOptions({ name, jwt, seed, servers, ca }: FleetFile): NodeConnectionOptions {
  const handshakeFirst = servers.some((server) => server.startsWith('tls://'))
  return {
    servers,
    name,
    authenticator: jwtAuthenticator(jwt, new TextEncoder().encode(seed)),
    reconnect: false, // it is our loop that does: with a spread, and for ever
    timeout: CONNECT_MS,
    pingInterval: OWN_PINGS_MS,
    ...((handshakeFirst || ca !== null) && { tls: { handshakeFirst, ...(ca !== null && { ca }) } }),
  }
}

/** The broker knows this phone no longer, or not yet. */
const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError

/** Somewhere within a spread, which grows with each failure. */
function waitMs(failures: number, isRefused: boolean, mostMs: number): number {
  const spread = Math.min(mostMs, FIRST_SPREAD_MS * GROWTH ** Math.min(failures, 20))
  return Math.random() * (isRefused ? mostMs * REFUSED_FACTOR : spread)
}
