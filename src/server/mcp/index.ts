/**
 * mcp: the Model Context Protocol as a door onto *execute*, on the official SDK's low-level server, loaded at the first call. To add a tool,
 * write its row in mcp-tools.ts and name it in `toolsOf`.
 *
 *     server.ts → sessions.ts (2025)      an exchange finds its server
 *     call-tool.ts → mcp-tools.ts → join-run.ts    a call finds its tool, which waits for a run: progress.ts, elicit-question.ts, tasks.ts
 *     result.ts                           a record as text and as structured content
 */
export type { McpToolCall as Call, McpParts } from './mcp-parts.ts'
export { createMcp, type Mcp } from './server.ts'
export { createSessions } from './sessions.ts'
export type { Tool } from './mcp-tools.ts'
