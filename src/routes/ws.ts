import websocket from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { ShellphoneError } from '../schema/index.ts'
import { answeredBy } from './answered-by.ts'
import { toShellphoneError } from './error-replies.ts'
import type { App, RouteParts } from './parts.ts'
import { createConnection, heartbeat } from './socket.ts'
import { handleMessage, parseMessage, type Session } from './ws-messages.ts'

const AUTH_DEADLINE_MS = 5_000
const HEARTBEAT_MS = 20_000
/** RFC 6455, 7.4.1: policy violation */
const POLICY_VIOLATION = 1008

/** GET /ws: the same call over WebSocket, many at once on one connection. */
export async function wsRoute(app: App, parts: RouteParts): Promise<void> {
  // an oversized message gets an error and the connection lives; only past twice the limit is it cut off
  await app.register(websocket, { options: { maxPayload: parts.bodyLimitBytes * 2, perMessageDeflate: false } })
  const schema = { summary: 'POST /exec over WebSocket, many commands at once on one connection', tags: ['exec'] }
  app.route({
    method: 'GET',
    url: '/ws',
    schema,
    config: { public: true },
    handler: async () => {
      throw new ShellphoneError('VALIDATION_ERROR', 'Upgrade: expected websocket')
    },
    wsHandler: (socket, request) => serve(socket, request, parts),
  })
}

function serve(socket: WebSocket, request: FastifyRequest, parts: RouteParts): void {
  request.raw.socket.setNoDelay(true)
  const connection = createConnection(socket)
  const how = answeredBy(request.headers, parts.cliKey) ?? 'websocket'
  const session: Session = { executor: parts.executor, connection, how }
  heartbeat(socket, HEARTBEAT_MS)
  const gate = request.authorized ? openGate : tokenGate(socket, request, session, parts)
  socket.on('message', (data: RawData, isBinary: boolean) => {
    const text = toText(data, isBinary, parts.bodyLimitBytes)
    if (text instanceof ShellphoneError) return connection.sendError(undefined, text)
    if (gate.isOpen) return void handleMessage(session, text)
    gate.knock(text)
  })
}

interface Gate {
  isOpen: boolean
  knock(text: string): void
}

const openGate: Gate = { isOpen: true, knock: () => {} }

/** Without a token in the upgrade, the first message must bring it, within 5 s. */
function tokenGate(socket: WebSocket, request: FastifyRequest, { connection }: Session, parts: RouteParts): Gate {
  const refuse = (error: ShellphoneError) => {
    connection.sendError(undefined, error)
    connection.close(POLICY_VIOLATION, error.type)
  }
  const late = () => refuse(new ShellphoneError('UNAUTHORIZED', 'No {"type":"auth","token":"…"} came within 5 seconds'))
  const timer = setTimeout(late, AUTH_DEADLINE_MS)
  socket.on('close', () => clearTimeout(timer))
  const gate: Gate = {
    isOpen: false,
    knock: (text) => {
      clearTimeout(timer)
      gate.isOpen = parts.security.isToken(tokenIn(text))
      if (!gate.isOpen) parts.security.refuse(request).catch((error) => refuse(toShellphoneError(error)))
    },
  }
  return gate
}

function tokenIn(text: string): string {
  try {
    const { type, token } = parseMessage(text)
    return type === 'auth' && typeof token === 'string' ? token : ''
  } catch {
    return '' // whatever it was, it was not a token
  }
}

function toText(data: RawData, isBinary: boolean, limitBytes: number): string | ShellphoneError {
  const bytes = data as Buffer
  if (isBinary) return new ShellphoneError('VALIDATION_ERROR', 'message: expected text, got binary')
  if (bytes.length <= limitBytes) return bytes.toString()
  return new ShellphoneError('TOO_LARGE', `message: expected at most ${limitBytes} bytes, got ${bytes.length}`)
}
