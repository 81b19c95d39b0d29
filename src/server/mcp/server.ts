import { randomBytes } from 'node:crypto'
import {
  createMcpHandler,
  createRequestStateCodec,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  Server,
} from '@modelcontextprotocol/server'
import type { McpExchange } from '../../shared/schema/index.ts'
import { type CallParts, callTool } from './call-tool.ts'
import type { Desk, McpParts, SealedQuestion } from './mcp-parts.ts'
import { createSessions, type SessionLimits } from './sessions.ts'
import { serveTasks, TASKS_EXTENSION } from './tasks.ts'
import { toolsOf } from './mcp-tools.ts'
import { toAuthInfo } from './who.ts'

const SESSION_LIMITS: SessionLimits = { maxSessions: 64, idleMs: 1_800_000 }
/** Streams that listen for changes of the list of tools, which never come. */
const MAX_SUBSCRIPTIONS = 64
const LIST_TTL_MS = 60_000
/** A question itself ends sooner; after this its sealed state is refused unread. */
const SEAL_SECONDS = 86_400

/** MCP over HTTP, of both eras: stateless (2026-07-28), and with sessions (2025-11-25 and before). */
export interface Mcp {
  /** `dialect`: whose own tool stands beside the run's tools; null: ours. Throws NOT_FOUND for an unknown one. */
  answer(exchange: McpExchange, dialect: string | null): Promise<Response>
  /** open sessions of clients of 2025 and before */
  sessions(): number
}

/** `toTools`: the tools of each door. */
export function createMcp(parts: McpParts, toTools = toolsOf): Mcp {
  const desk: Desk = { ...parts, started: new Map(), asked: new Set() }
  const codec = createRequestStateCodec<SealedQuestion>({ key: randomBytes(32), ttlSeconds: SEAL_SECONDS })
  const sessions = createSessions(SESSION_LIMITS)
  const doors = new Map<string | null, ReturnType<typeof openDoor>>() // one a dialect
  return {
    sessions: sessions.size,
    async answer(exchange, dialect) {
      const door = doors.get(dialect) ?? openDoor({ desk, codec, tools: toTools(dialect, desk) })
      doors.set(dialect, door)
      const { request, body, who } = exchange
      const isOld = !isModernCall(body) && (await isLegacyRequest(request, body))
      if (isOld) return sessions.answer(exchange, door.openServer)
      return door.modern.fetch(request, { parsedBody: body, authInfo: toAuthInfo(who) })
    },
  }
}

/** What is called most says itself which era it is of: the SDK's own look at the rest costs a second reading of the message. */
function isModernCall(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { _meta?: Record<string, unknown> } }
  return method === 'tools/call' && typeof params?._meta?.[PROTOCOL_VERSION_META_KEY] === 'string'
}

function openDoor(parts: CallParts) {
  const openServer = () => createServer(parts)
  const modern = createMcpHandler(openServer, { legacy: 'reject', maxSubscriptions: MAX_SUBSCRIPTIONS })
  return { openServer, modern }
}

/** One for each request (2026) or session (2025). */
function createServer(parts: CallParts): Server {
  const { desk, tools, codec } = parts
  const server = new Server(
    { name: 'shellphone', version: desk.version },
    {
      capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
      requestState: { verify: codec.verify },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ run: _run, ...shown }) => shown) }))
  server.setRequestHandler('tools/call', (request, ctx) => callTool(request, ctx, server, parts))
  serveTasks(server, desk)
  return server
}
