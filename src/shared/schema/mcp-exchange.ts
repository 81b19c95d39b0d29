import type { Who } from './token.ts'

/** One MCP exchange over HTTP, its body parsed; `over` resolves when the connection is no longer part of it. */
export interface McpExchange {
  /** the token that authenticated it */
  who: Who
  request: Request
  body: unknown
  over: Promise<unknown>
}
