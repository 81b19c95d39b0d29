import type { Who } from './token.ts'

/** One MCP exchange over HTTP, with its parsed body; `over` resolves when its connection has closed. */
export interface McpExchange {
  /** the token that authenticated it */
  who: Who
  request: Request
  body: unknown
  over: Promise<unknown>
  /** the session of commands that name none; absent: no session */
  session?: string | undefined
}

/** The parts of the list of MCP tools: those for commands, and those for files. */
export const toolParts = ['run', 'files'] as const
export type ToolPart = (typeof toolParts)[number]
