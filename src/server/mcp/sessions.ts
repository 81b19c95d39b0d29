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
  /** without a request or an open stream for so long a session ends, and its client begins anew */
  idleMs: number
}

interface McpSession {
  /** the id of the token that began it: to others it is not there */
  tokenId: string
  transport: WebStandardStreamableHTTPServerTransport
  server: Server
  streams: ResponseStreams
  exchanges: number
  timer: Timer | undefined
}

/** The sessions that clients of 2025 and before need: a question comes and is answered in two exchanges. */
export interface Sessions {
  answer(exchange: McpExchange, open: () => Server): Promise<Response>
  size(): number
}

export function createSessions({ maxSessions, idleMs }: SessionLimits): Sessions {
  const sessions = new Map<string, McpSession>() // the one that was used last comes last

  const end = (id: string) => {
    const session = sessions.get(id)
    if (!session || !sessions.delete(id)) return
    session.timer?.stop()
    session.server.close().catch(() => {}) // its transport is gone already
  }
  /** The session that was used least lately goes; a token past its share makes room among its own alone. */
  const makeRoom = (who: Who) => {
    const all = [...sessions]
    const own = all.filter(([, { tokenId }]) => tokenId === who.id)
    const sharer = sharerOf(who)
    if (mayTake(sharer, { own: own.length, taken: all.length, most: maxSessions })) return true
    const idle = (sharer === null || own.length === 0 ? all : own).find(([, { exchanges }]) => exchanges === 0)
    if (idle) end(idle[0])
    return idle !== undefined
  }
  const begin = async (tokenId: string, open: () => Server): Promise<McpSession> => {
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
    async answer({ request, body, over, who }, open) {
      const id = request.headers.get('mcp-session-id')
      const isNew = id === null && isInitializeRequest(body)
      if (isNew && !makeRoom(who)) return refusal(503, `${sessions.size} sessions are in use`)
      const session = isNew ? await begin(who.id, open) : sessions.get(id ?? '')
      if (session?.tokenId !== who.id) {
        return id === null ? refusal(400, 'Mcp-Session-Id: expected one, got none') : unknown()
      }
      hold(session, over)
      session.streams.open(body, over)
      const response = await session.transport.handleRequest(request, { parsedBody: body, authInfo: toAuthInfo(who) })
      session.streams.endCanceled(body)
      return response
    },
  }
}

/** Clients begin a new session then (specification 2025-11-25, Session Management). */
const unknown = () => refusal(404, 'Session not found: it has ended; begin a new one')

const refusal = (status: number, message: string) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status })
