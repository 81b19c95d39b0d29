import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { awakeClock, type Timer } from '../../shared/async/index.ts'
import { mayTake, type McpExchange, sharerOf, type Who } from '../../shared/schema/index.ts'
import { createStreams, type ResponseStreams } from './mcp-streams.ts'
import { toAuthInfo } from './who.ts'

export interface SessionLimits {
  maxSessions: number
  /** a session without a request or an open stream ends after this time; its client can start a new one */
  idleMs: number
}

interface McpSession {
  /** the id of the token that started the session; other tokens cannot use the session */
  tokenId: string
  transport: WebStandardStreamableHTTPServerTransport
  server: Server
  streams: ResponseStreams
  exchanges: number
  timer: Timer | undefined
}

/** The sessions for clients of 2025-11-25 and older, which need them because a server request and its response are two exchanges. */
interface Sessions {
  answer(exchange: McpExchange, open: () => Server): Promise<Response>
  size(): number
}

export function createSessions({ maxSessions, idleMs }: SessionLimits): Sessions {
  const sessions = new Map<string, McpSession>() // in order of last use

  const end = (id: string) => {
    const session = sessions.get(id)
    if (!session || !sessions.delete(id)) return
    session.timer?.stop()
    session.server.close().catch(() => {}) // its transport has closed already
  }
  /** At the limit, ends the least recently used idle session; a token beyond its share can end only its own. Returns whether it found room. */
  const evictIdle = (who: Who) => {
    const all = [...sessions]
    const own = all.filter(([, { tokenId }]) => tokenId === who.id)
    const sharer = sharerOf(who)
    if (mayTake(sharer, { own: own.length, taken: all.length, most: maxSessions })) return true
    const idle = (sharer === null || own.length === 0 ? all : own).find(([, { exchanges }]) => exchanges === 0)
    if (idle) end(idle[0])
    return idle !== undefined
  }
  const start = async (tokenId: string, open: () => Server): Promise<McpSession> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: end,
    })
    const streams = createStreams(transport)
    const session: McpSession = { tokenId, transport, server: open(), streams, exchanges: 0, timer: undefined }
    await session.server.connect(transport)
    return session
  }
  const hold = (session: McpSession, over: Promise<unknown>) => {
    session.timer?.stop()
    session.exchanges++
    const leave = () => {
      const { sessionId } = session.transport
      if (--session.exchanges > 0 || sessionId === undefined || !sessions.delete(sessionId)) return
      sessions.set(sessionId, session)
      session.timer = awakeClock.startTimer(() => end(sessionId), idleMs).unref()
    }
    over.then(leave, leave)
  }
  return {
    size: () => sessions.size,
    async answer({ request, body, over, who, session: named }, open) {
      const id = request.headers.get('mcp-session-id')
      const isNew = id === null && isInitializeRequest(body)
      if (isNew && !evictIdle(who)) return refusal(503, `${sessions.size} sessions are in use`)
      const session = isNew ? await start(who.id, open) : sessions.get(id ?? '')
      if (session?.tokenId !== who.id) {
        return id === null ? refusal(400, 'Mcp-Session-Id: expected a session id, got no header') : notFound()
      }
      hold(session, over)
      session.streams.open(body, over)
      const authInfo = toAuthInfo({ who, session: named })
      const response = await session.transport.handleRequest(request, { parsedBody: body, authInfo })
      session.streams.endCanceled(body)
      return response
    },
  }
}

/** A 404 makes clients start a new session (specification 2025-11-25, Session Management). */
const notFound = () => refusal(404, 'Session not found or ended: start a new one')

const refusal = (status: number, message: string) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status })
