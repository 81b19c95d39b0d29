import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { seenBy } from '../exec/index.ts'
import { invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { errorResponses, PendingClients } from '../../http/index.ts'
import { heartbeat } from '../../shared/transport/index.ts'
import { answeredBy } from './approval-routes.ts'
import type { App, RouteParts } from './route-parts.ts'
import { addressOf, SOCKET_URL, whoOf } from './security.ts'
import { createConnection } from './socket-connection.ts'
import { guardUpgrade } from './ws-gate.ts'
import { handleFrame } from './ws-frames.ts'
import { handleMessage } from './ws-messages.ts'
import { ConnectionReaders } from './ws-readers.ts'
import type { WsSession } from './ws-session.ts'

const HEARTBEAT_MS = 20_000
/** Unauthenticated WebSockets; a new one replaces the oldest. */
const MAX_UNAUTHENTICATED = { perAddress: 4, inAll: 16 }

/** GET /ws: runs commands like POST /exec, many at once on one WebSocket connection. */
export async function wsRoute(app: App, parts: RouteParts): Promise<void> {
  const pending = new PendingClients(MAX_UNAUTHENTICATED)
  const schema = {
    summary: 'Run commands over WebSocket, many at once on one connection',
    operationId: 'openSocket',
    tags: ['exec'],
    response: { 101: { type: 'null', description: 'Switched to a WebSocket' }, ...errorResponses(400) },
  }
  app.route({
    method: 'GET',
    url: SOCKET_URL,
    schema,
    config: { public: true },
    handler: async () => {
      throw invalid('Upgrade: expected websocket')
    },
    wsHandler: (socket, request) => serve(socket, request, parts, pending),
  })
}

function serve(socket: WebSocket, request: FastifyRequest, parts: RouteParts, pending: PendingClients): void {
  request.raw.socket.setNoDelay(true)
  const open = () => startSession(socket, request, parts)
  if (request.who) open()
  else guardUpgrade(socket, request, { security: parts.security, pending }, open)
}

/** Serves a client that has shown its token. */
function startSession(socket: WebSocket, request: FastifyRequest, parts: RouteParts): void {
  const { raw, headers } = request
  const who = whoOf(request)
  const connection = createConnection(socket, raw.socket, parts.unsent)
  const how = answeredBy(headers, parts.cliKey) ?? 'websocket'
  const { turn, deliveries } = parts
  const executor = seenBy(parts.executor, who)
  const readers = new ConnectionReaders(connection.gone)
  const session: WsSession = {
    executor,
    who,
    connection,
    turn,
    readers,
    deliveries,
    attached: 0,
    heldBytes: 0,
    how,
    from: addressOf(request),
    frames: 'text',
  }
  heartbeat(socket, HEARTBEAT_MS)
  listen(socket, session, raw.socket, parts)
}

/** Handles each message, and counts the bytes of an incomplete one. */
function listen(socket: WebSocket, session: WsSession, raw: Socket, { unread, bodyLimitBytes }: RouteParts): void {
  let bytes = 0
  socket.on('message', (data: RawData, isBinary: boolean) => {
    bytes = 0
    unread.note(raw, 0, true)
    const error = messageError(session, data as Buffer, isBinary, bodyLimitBytes)
    if (error) session.connection.sendError({}, error)
    else if (isBinary) void handleFrame(session, data as Buffer)
    else void handleMessage(session, data as Buffer)
  })
  // before ws's own listener, which reads the messages
  raw.prependListener('data', (chunk: Buffer) => {
    bytes += chunk.length
    unread.note(raw, bytes, true)
  })
  raw.on('close', () => unread.note(raw, 0, true))
}

function messageError(
  { frames }: WsSession,
  bytes: Buffer,
  isBinary: boolean,
  limitBytes: number,
): ShellphoneError | null {
  if (isBinary && frames === 'text') {
    return invalid('message: expected text, got binary; send {"type":"frames","frames":"binary"} first')
  }
  if (bytes.length <= limitBytes) return null
  return new ShellphoneError('TOO_LARGE', `message: expected at most ${limitBytes} bytes, got ${bytes.length}`)
}
