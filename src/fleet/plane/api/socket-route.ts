import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { invalid, ShellphoneError } from '../../../shared/schema/index.ts'
import { closeReason, heartbeat } from '../../../shared/transport/index.ts'
import { type App, bearerOf, guardSocket, Lobby, POLICY_VIOLATION, unauthorized } from '../../../http/index.ts'
import { SOCKET_URL } from './speak-http.ts'
import type { PlaneParts } from './plane-parts.ts'
import { type PlaneUser, sha256 } from '../keys/roles.ts'
import { passSocket } from './pass-socket.ts'

const HEARTBEAT_MS = 20_000
/** Open at once; the next one is refused. */
const MAX_SOCKETS = 2_000
/** Who is told why, and does not go, is cut. */
const GOODBYE_MS = 2_000
/** WebSockets that have shown no token yet, behind a proxy all of one address; the next one takes the place of the oldest. */
const MAX_UNAUTHENTICATED = { perAddress: 64, inAll: 64 }
const TRY_AGAIN_LATER = 1013

/** GET /phones/:name/ws: the phone's own WebSocket, for as long as token and phone are what they were. */
export async function socketRoute(app: App, parts: PlaneParts): Promise<void> {
  const lobby = new Lobby(MAX_UNAUTHENTICATED)
  const open = new Set<WebSocket>()
  app.route({
    method: 'GET',
    url: SOCKET_URL,
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
      const shown = bearerOf(request)
      if (shown !== '') begin(shown)
      else guardSocket(socket, request, lobby, { open: begin, late: () => sayGoodbye(socket, unauthorized()) })
    },
  })
}

interface SocketTarget {
  name: string
  token: string
  /** the upgrade */
  request: FastifyRequest
}

/** Passes its messages on until one side closes; never rejects. */
async function serve(parts: PlaneParts, open: Set<WebSocket>, socket: WebSocket, wanted: SocketTarget): Promise<void> {
  const over = new AbortController()
  socket.on('close', () => over.abort())
  const deaf = parts.registry.onChange((key) => {
    const trouble = isAbout(key, wanted) ? accessError(parts, wanted) : null
    if (trouble !== null) over.abort(trouble)
  })
  try {
    const caller = admit(parts, wanted)
    if (open.size >= MAX_SOCKETS)
      throw new ShellphoneError('POOL_FULL', `${MAX_SOCKETS} WebSockets are already open here`)
    open.add(socket)
    await passSocket(parts, { name: wanted.name, caller, socket, over })
  } catch (error) {
    sayGoodbye(socket, over.signal.aborted ? over.signal.reason : error)
  } finally {
    deaf()
    open.delete(socket)
  }
}

const isAbout = (key: string, { name, token }: SocketTarget) =>
  key === `phone.${name}` || key === `token.${sha256(token)}`

/** Throws UNAUTHORIZED, RATE_LIMITED, NOT_FOUND, PHONE_CONFLICT. */
function admit(parts: PlaneParts, wanted: SocketTarget): PlaneUser {
  try {
    return judge(parts, wanted)
  } catch (error) {
    throw parts.gate.counted(wanted.request, error)
  }
}

function judge({ roles, phones }: PlaneParts, { name, token }: SocketTarget): PlaneUser {
  const caller = roles.find(token)
  if (caller === null) throw unauthorized()
  phones.get(name, caller.selector)
  phones.mustBeOne(name)
  return caller
}

function accessError(parts: PlaneParts, wanted: SocketTarget): unknown {
  try {
    judge(parts, wanted)
    return null
  } catch (error) {
    return error
  }
}

/** What coming back would not mend is told as an error, too. */
const final = ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'PHONE_CONFLICT']

/** Why, as a code and a reason: 1008, or 1013 where coming back may help. */
function sayGoodbye(socket: WebSocket, why: unknown): void {
  if (socket.readyState !== socket.OPEN) return
  const error = why instanceof ShellphoneError ? why : new ShellphoneError('EXECUTION_ERROR', String(why))
  const isFinal = final.includes(error.code)
  if (isFinal) socket.send(JSON.stringify({ type: 'error', ...error.toBody() }))
  socket.close(isFinal ? POLICY_VIOLATION : TRY_AGAIN_LATER, closeReason(`${error.type}: ${error.message}`))
  socket.resume()
  setTimeout(() => socket.terminate(), GOODBYE_MS).unref()
}
