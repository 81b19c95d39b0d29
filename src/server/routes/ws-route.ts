import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { seenBy } from '../exec/index.ts'
import { invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { Lobby, errorResponses } from '../../http/index.ts'
import { heartbeat } from '../../shared/transport/index.ts'
import { answeredBy } from './approval-routes.ts'
import type { App, RouteParts } from './route-parts.ts'
import { SOCKET_URL, whoOf } from './security.ts'
import { createConnection } from './socket-connection.ts'
import { guardGate } from './ws-gate.ts'
import { handleFrame } from './ws-frames.ts'
import { handleMessage } from './ws-messages.ts'
import { ConnectionReaders } from './ws-readers.ts'
import type { WsSession } from './ws-session.ts'

const HEARTBEAT_MS = 20_000
/** WebSockets that have not shown the token; the next one takes the place of the oldest. */
const MAX_STRANGERS = { perAddress: 4, inAll: 16 }

/** GET /ws: the same call over WebSocket, many at once on one connection. */
export async function wsRoute(app: App, parts: RouteParts): Promise<void> {
  const lobby = new Lobby(MAX_STRANGERS)
  const schema = {
    summary: 'POST /exec over WebSocket, many commands at once on one connection',
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
    wsHandler: (socket, request) => serve(socket, request, parts, lobby),
  })
}

function serve(socket: WebSocket, request: FastifyRequest, parts: RouteParts, lobby: Lobby): void {
  request.raw.socket.setNoDelay(true)
  const open = () => talk(socket, request, parts)
  if (request.who) open()
  else guardGate(socket, request, { security: parts.security, lobby }, open)
}

/** From now on it is somebody's. */
function talk(socket: WebSocket, request: FastifyRequest, parts: RouteParts): void {
  const { raw, headers } = request
  const who = whoOf(request)
  const connection = createConnection(socket, raw.socket, parts.unsent)
  const how = answeredBy(headers, parts.cliKey) ?? 'websocket'
  const { turn } = parts
  const executor = seenBy(parts.executor, who)
  const readers = new ConnectionReaders(connection.gone)
  const session: WsSession = {
    executor,
    who,
    connection,
    turn,
    readers,
    attached: 0,
    heldBytes: 0,
    how,
    frames: 'text',
  }
  heartbeat(socket, HEARTBEAT_MS)
  listen(socket, session, raw.socket, parts)
}

/** Hands over each message, and counts what has come of one that is not whole yet. */
function listen(socket: WebSocket, session: WsSession, raw: Socket, { unread, bodyLimitBytes }: RouteParts): void {
  let bytes = 0
  socket.on('message', (data: RawData, isBinary: boolean) => {
    bytes = 0
    unread.note(raw, 0, true)
    const trouble = troubleWith(session, data as Buffer, isBinary, bodyLimitBytes)
    if (trouble) session.connection.sendError({}, trouble)
    else if (isBinary) void handleFrame(session, data as Buffer)
    else void handleMessage(session, data as Buffer)
  })
  // ahead of ws's own, which reads the messages
  raw.prependListener('data', (chunk: Buffer) => {
    bytes += chunk.length
    unread.note(raw, bytes, true)
  })
  raw.on('close', () => unread.note(raw, 0, true))
}

function troubleWith(
  { frames }: WsSession,
  bytes: Buffer,
  isBinary: boolean,
  limitBytes: number,
): ShellphoneError | null {
  if (isBinary && frames === 'text') {
    return invalid('message: expected text until "frames": "binary", got binary')
  }
  if (bytes.length <= limitBytes) return null
  return new ShellphoneError('TOO_LARGE', `message: expected at most ${limitBytes} bytes, got ${bytes.length}`)
}
