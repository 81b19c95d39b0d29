import type { Who } from './token.ts'

/** One MCP exchange over HTTP, with its parsed body; `over` resolves when its connection has closed. */
export interface McpExchange {
  /** the token that authenticated it */
  who: Who
  request: Request
  body: unknown
  over: Promise<unknown>
}
