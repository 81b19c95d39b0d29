import { randomBytes } from 'node:crypto'
import {
  createMcpHandler,
  createRequestStateCodec,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  Server,
} from '@modelcontextprotocol/server'
import { mayUseFiles } from '../file-tools/index.ts'
import type { McpExchange, ToolPart } from '../../shared/schema/index.ts'
import { type CallParts, callTool } from './call-tool.ts'
import { EVENTS_EXTENSION, serveEvents } from './mcp-events.ts'
import type { McpState, McpParts, SealedQuestion } from './mcp-parts.ts'
import { createSessions, type SessionLimits } from './sessions.ts'
import { serveTasks, TASKS_EXTENSION } from './tasks.ts'
import { toolsOf } from './mcp-tools.ts'
import { dialectResult, errorResult, recordResult } from './result.ts'
import { createToolArguments } from './tool-arguments.ts'
import { toAuthInfo, whoIn } from './who.ts'

const SESSION_LIMITS: SessionLimits = { maxSessions: 64, idleMs: 1_800_000 }
/** Maximum number of streams that wait for changes to the tool list, which never changes. */
const MAX_SUBSCRIPTIONS = 64
const LIST_TTL_MS = 60_000
/** Maximum age of sealed state. An approval request expires sooner. */
const SEAL_SECONDS = 86_400

/** MCP over HTTP in both protocol generations: stateless (2026-07-28) and with sessions (2025-11-25 and older). */
export interface Mcp {
  /**
   * `dialect`: the agent whose own tool replaces `exec`; null: no agent. `part`: only these tools; null: all. Throws NOT_FOUND for an unknown
   * dialect.
   */
  answer(exchange: McpExchange, dialect: string | null, part?: ToolPart | null): Promise<Response>
  /** the number of open sessions of clients of 2025-11-25 and older */
  sessions(): number
}

/** `toTools` returns the tools of a dialect's endpoint. */
export function createMcp(parts: McpParts, toTools = toolsOf): Mcp {
  const state: McpState = { ...parts, runs: new Map(), toolArguments: createToolArguments(), elicited: new Set() }
  const codec = createRequestStateCodec<SealedQuestion>({ key: randomBytes(32), ttlSeconds: SEAL_SECONDS })
  const sessions = createSessions(SESSION_LIMITS)
  const endpoints = new Map<string, ReturnType<typeof openEndpoint>>() // by dialect and part
  return {
    sessions: sessions.size,
    async answer(exchange, dialect, part = null) {
      const key = JSON.stringify([dialect, part])
      const endpoint =
        endpoints.get(key) ??
        openEndpoint({ state, codec, tools: toTools(dialect, part, state), resultOf: resultsOf(dialect, state) })
      endpoints.set(key, endpoint)
      const { request, body } = exchange
      const isLegacy = !isModernCall(body) && (await isLegacyRequest(request, body))
      if (isLegacy) return sessions.answer(exchange, endpoint.openServer)
      return endpoint.modern.fetch(request, { parsedBody: body, authInfo: toAuthInfo(exchange) })
    },
  }
}

/** A fast path for the most frequent message: the SDK's own check parses the message a second time. */
function isModernCall(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { _meta?: Record<string, unknown> } }
  return method === 'tools/call' && typeof params?._meta?.[PROTOCOL_VERSION_META_KEY] === 'string'
}

/** Formats the results of runs that another call began: as our own, or in the dialect in which the run began. */
const resultsOf =
  (dialect: string | null, { executor, toolArguments }: McpState): CallParts['resultOf'] =>
  async (run) => {
    try {
      return dialect === null
        ? recordResult(await run.finished)
        : dialectResult(await executor.dialectReply(run, toolArguments.of(run.id)))
    } catch (error) {
      return errorResult(error, dialect === null ? 'note' : 'output')
    }
  }

function openEndpoint(parts: CallParts) {
  const openServer = () => createServer(parts)
  const modern = createMcpHandler(openServer, { legacy: 'reject', maxSubscriptions: MAX_SUBSCRIPTIONS })
  return { openServer, modern }
}

/** Creates the server of one request (2026) or one session (2025). */
function createServer(parts: CallParts): Server {
  const { state, tools, codec, resultOf } = parts
  const server = new Server(
    { name: 'shellphone', version: state.version },
    {
      capabilities: {
        tools: {},
        extensions: { [TASKS_EXTENSION]: {}, [EVENTS_EXTENSION]: {} },
        ...({ events: {} } as object), // where clients of the drafts look, such as ChatGPT and @ai-sdk/mcp
      },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
      requestState: { verify: codec.verify },
    },
  )
  server.setRequestHandler('tools/list', (_request, ctx) => {
    const who = whoIn(ctx)
    const allowed = tools.filter(({ files }) => files === undefined || mayUseFiles(who, files))
    return { tools: allowed.map(({ run: _run, files: _files, ...shown }) => shown) }
  })
  server.setRequestHandler('tools/call', (request, ctx) => callTool(request, ctx, server, parts))
  serveTasks(server, state, resultOf)
  serveEvents(server, state)
  return server
}
