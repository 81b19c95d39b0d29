import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { invalid, ShellphoneError } from '../../../shared/schema/index.ts'
import { closeReason, heartbeat } from '../../../shared/transport/index.ts'
import { type App, bearerOf, guardSocket, PendingClients, POLICY_VIOLATION, unauthorized } from '../../../http/index.ts'
import { SOCKET_URL } from './configure-http.ts'
import type { PlaneParts } from './plane-parts.ts'
import { type PlaneUser, sha256 } from '../keys/roles.ts'
import { passSocket } from './pass-socket.ts'

const HEARTBEAT_MS = 20_000
/** The maximum number of open WebSockets. */
const MAX_SOCKETS = 2_000
/** A client that does not close its side within this time after an error is disconnected. */
const CLOSE_MS = 2_000
/** The maximum number of WebSockets that have not sent a token yet; a new one replaces the oldest. Behind a proxy, all of them share one address. */
const MAX_UNAUTHENTICATED = { perAddress: 64, inAll: 64 }
const TRY_AGAIN_LATER = 1013

/** GET /phones/:name/ws: the phone's own WebSocket. The control plane closes it when the token becomes invalid or the phone leaves the fleet. */
export async function socketRoute(app: App, parts: PlaneParts): Promise<void> {
  const unauthenticated = new PendingClients(MAX_UNAUTHENTICATED)
  const open = new Set<WebSocket>()
  app.route({
    method: 'GET',
    url: SOCKET_URL,
    schema: { hide: true }, // the phone's own contract describes it
    config: { public: true },
    exposeHeadRoute: false,
    handler: async () => {
      throw invalid('Upgrade: expected websocket')
    },
    wsHandler: (socket, request) => {
      const { name } = request.params as { name: string }
      socket.on('error', () => socket.terminate())
      heartbeat(socket, HEARTBEAT_MS)
      const begin = (token: string) => void serve(parts, open, socket, { name, token, request })
      const token = bearerOf(request)
      if (token !== '') begin(token)
      else
        guardSocket(socket, request, unauthenticated, {
          open: begin,
          late: () => closeWithError(socket, unauthorized()),
        })
    },
  })
}

interface SocketTarget {
  name: string
  token: string
  /** the upgrade request */
  request: FastifyRequest
}

/** Passes messages in both directions until one side closes. Never rejects. */
async function serve(parts: PlaneParts, open: Set<WebSocket>, socket: WebSocket, target: SocketTarget): Promise<void> {
  const over = new AbortController()
  socket.on('close', () => over.abort())
  const unsubscribe = parts.registry.onChange((key) => {
    const error = isAbout(key, target) ? accessError(parts, target) : null
    if (error !== null) over.abort(error)
  })
  try {
    const caller = admit(parts, target)
    if (open.size >= MAX_SOCKETS)
      throw new ShellphoneError('POOL_FULL', `${MAX_SOCKETS} WebSockets are already open here`)
    open.add(socket)
    await passSocket(parts, { name: target.name, caller, socket, over })
  } catch (error) {
    closeWithError(socket, over.signal.aborted ? over.signal.reason : error)
  } finally {
    unsubscribe()
    open.delete(socket)
  }
}

const isAbout = (key: string, { name, token }: SocketTarget) =>
  key === `phone.${name}` || key === `token.${sha256(token)}`

/** The user of the token. Throws UNAUTHORIZED, RATE_LIMITED, NOT_FOUND, PHONE_CONFLICT. */
function admit(parts: PlaneParts, target: SocketTarget): PlaneUser {
  try {
    return checkAccess(parts, target)
  } catch (error) {
    throw parts.gate.counted(target.request, error)
  }
}

function checkAccess({ roles, phones }: PlaneParts, { name, token }: SocketTarget): PlaneUser {
  const caller = roles.find(token)
  if (caller === null) throw unauthorized()
  phones.get(name, caller.selector)
  phones.mustBeOne(name)
  return caller
}

function accessError(parts: PlaneParts, target: SocketTarget): unknown {
  try {
    checkAccess(parts, target)
    return null
  } catch (error) {
    return error
  }
}

/** Errors that reconnecting cannot fix. The client also receives them as a message. */
const finalErrors = ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'PHONE_CONFLICT']

/** Closes the WebSocket with the error as the reason, and with code 1008, or 1013 if reconnecting may help. */
function closeWithError(socket: WebSocket, cause: unknown): void {
  if (socket.readyState !== socket.OPEN) return
  const error = cause instanceof ShellphoneError ? cause : new ShellphoneError('EXECUTION_ERROR', String(cause))
  const isFinal = finalErrors.includes(error.code)
  if (isFinal) socket.send(JSON.stringify({ type: 'error', ...error.toBody() }))
  socket.close(isFinal ? POLICY_VIOLATION : TRY_AGAIN_LATER, closeReason(`${error.type}: ${error.message}`))
  socket.resume()
  setTimeout(() => socket.terminate(), CLOSE_MS).unref()
}
