import type { Who } from './token.ts'

/** One exchange of MCP over HTTP, its body parsed; `over` resolves when the connection has no more part in it. */
export interface McpExchange {
  /** whose token it came with */
  who: Who
  request: Request
  body: unknown
  over: Promise<unknown>
}
