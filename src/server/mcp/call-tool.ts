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
import type { McpToolCall, McpClient, McpState, SealedQuestion } from './mcp-parts.ts'
import { errorResult } from './result.ts'
import { TASKS_EXTENSION } from './tasks.ts'
import type { Tool } from './mcp-tool.ts'
import type { McpToolResult } from './join-run.ts'
import { sessionIn, whoIn } from './who.ts'

/** The parts with which a server handles tool calls. */
export interface CallParts {
  state: McpState
  tools: Tool[]
  codec: RequestStateCodec<SealedQuestion>
  resultOf: McpToolCall['resultOf']
}

/** Handles tools/call. A refused request is a tool result with isError; an unknown tool or a foreign requestState is a protocol error. */
export async function callTool(
  { params }: CallToolRequest,
  ctx: ServerContext,
  server: Server,
  { state, tools, codec, resultOf }: CallParts,
): Promise<McpToolResult> {
  const tool = tools.find(({ name }) => name === params.name)
  if (!tool) throw invalid(`Unknown tool: ${visible(params.name.slice(0, 64))}`)
  const who = whoIn(ctx)
  const digest = () =>
    createHash('sha256')
      .update(JSON.stringify([who.id, tool.name, params.arguments]))
      .digest('base64url')
  const call: McpToolCall = {
    state,
    who,
    session: sessionIn(ctx),
    executor: seenBy(state.executor, who),
    caller: callerOf(server, ctx),
    gone: goneOf(ctx),
    report: reporterOf(ctx),
    seal: (question) => codec.mint(question, ctx),
    resultOf,
    digest,
    answered: answerOf(ctx, digest),
  }
  try {
    return await tool.run(params.arguments, call)
  } catch (error) {
    return errorResult(error, messageField(tool))
  }
}

/** An agent's own tool has no schema of its structured content, but always `output`. */
function messageField({ outputSchema }: Tool): 'output' | 'note' | null {
  if (outputSchema === undefined || 'output' in outputSchema.properties) return 'output'
  return 'note' in outputSchema.properties ? 'note' : null
}

const isModern = ({ mcpReq }: ServerContext) => mcpReq.envelope !== undefined

function callerOf(server: Server, ctx: ServerContext): McpClient {
  const { elicitation, extensions } = server.getClientCapabilities() ?? {}
  return {
    name: visible((server.getClientVersion()?.name ?? 'mcp').slice(0, 100)),
    canElicit: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    supportsTasks: isModern(ctx) && extensions?.[TASKS_EXTENSION] !== undefined,
  }
}

/**
 * Returns a signal that aborts when the client cancels or disconnects. Ignores the SDK's own signal for modern clients, because that signal
 * also aborts when an exchange ends normally.
 */
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
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}) // the client has disconnected
  }
}

/** Returns the client's reply to an elicitation, if this call contains one. Throws if the state belongs to another call. */
function answerOf({ mcpReq }: ServerContext, digest: McpToolCall['digest']): McpToolCall['answered'] {
  const question = mcpReq.requestState<SealedQuestion>()
  if (question === undefined) return null
  if (question.call !== digest()) {
    throw invalid('requestState: this state belongs to a call with another token, tool or arguments')
  }
  return { question, responses: mcpReq.inputResponses }
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)
