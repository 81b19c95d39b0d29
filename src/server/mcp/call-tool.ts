import { createHash } from 'node:crypto'
import {
  type CallToolRequest,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { seenBy } from '../exec/index.ts'
import { visible } from '../../shared/schema/index.ts'
import type { McpToolCall, McpClient, Desk, SealedQuestion } from './mcp-parts.ts'
import { errorResult } from './result.ts'
import { TASKS_EXTENSION } from './tasks.ts'
import type { Tool } from './mcp-tools.ts'
import type { McpToolResult } from './join-run.ts'
import { whoIn } from './who.ts'

/** What a server needs to take calls. */
export interface CallParts {
  desk: Desk
  tools: Tool[]
  codec: RequestStateCodec<SealedQuestion>
}

/** tools/call: what became no run is an answer, too; what no tool knows is an error of the protocol. */
export async function callTool(
  { params }: CallToolRequest,
  ctx: ServerContext,
  server: Server,
  { desk, tools, codec }: CallParts,
): Promise<McpToolResult> {
  const tool = tools.find(({ name }) => name === params.name)
  if (!tool) throw invalid(`Unknown tool: ${visible(params.name.slice(0, 64))}`)
  const who = whoIn(ctx)
  const digest = () =>
    createHash('sha256')
      .update(JSON.stringify([who.id, tool.name, params.arguments]))
      .digest('base64url')
  const call: McpToolCall = {
    desk,
    who,
    executor: seenBy(desk.executor, who),
    caller: callerOf(server, ctx),
    gone: goneOf(ctx),
    report: reporterOf(ctx),
    seal: (question) => codec.mint(question, ctx),
    digest,
    answered: answerOf(ctx, digest),
  }
  try {
    return await tool.run(params.arguments, call)
  } catch (error) {
    return errorResult(error)
  }
}

const isModern = ({ mcpReq }: ServerContext) => mcpReq.envelope !== undefined

function callerOf(server: Server, ctx: ServerContext): McpClient {
  const { elicitation, extensions } = server.getClientCapabilities() ?? {}
  return {
    name: visible((server.getClientVersion()?.name ?? 'mcp').slice(0, 100)),
    canElicit: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    takesTasks: isModern(ctx) && extensions?.[TASKS_EXTENSION] !== undefined,
  }
}

/** Canceled by the client, or its connection has gone: nobody would hear the answer. The SDK's own signal tells of the end of an exchange, too. */
function goneOf(ctx: ServerContext): McpToolCall['gone'] {
  const gone = new AbortController()
  for (const signal of [ctx.http?.req?.signal, isModern(ctx) ? undefined : ctx.mcpReq.signal]) {
    if (signal?.aborted) gone.abort()
    signal?.addEventListener('abort', () => gone.abort(), { once: true })
  }
  return gone.signal
}

function reporterOf({ mcpReq }: ServerContext): McpToolCall['report'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return null
  return (progress, message) => {
    const params = { progressToken, progress, message }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}) // it has gone
  }
}

/** The second round of a question. Throws where the state belongs to another call. */
function answerOf({ mcpReq }: ServerContext, digest: McpToolCall['digest']): McpToolCall['answered'] {
  const question = mcpReq.requestState<SealedQuestion>()
  if (question === undefined) return null
  if (question.call !== digest()) {
    throw invalid('requestState: belongs to a call with another token, tool or arguments')
  }
  return { question, responses: mcpReq.inputResponses }
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
