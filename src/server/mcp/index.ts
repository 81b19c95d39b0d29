/**
 * mcp: *execute* over the Model Context Protocol. It uses the official SDK's low-level server and is loaded at the first call. To add a
 * tool, write its row in mcp-tools.ts or mcp-file-tools.ts and list it in `toolsOf`.
 *
 *     server.ts → sessions.ts (2025)      find the server for an exchange
 *     call-tool.ts → mcp-tools.ts → join-run.ts    find the tool of a call and wait for its run: progress.ts, elicit-question.ts, tasks.ts
 *     mcp-events.ts                       the events of runs, polled or sent to a URL
 *     result.ts                           convert a record to text and to structured content
 */
export type { McpToolCall as Call, McpParts } from './mcp-parts.ts'
export { createMcp, type Mcp } from './server.ts'
export { createSessions } from './sessions.ts'
export type { Tool } from './mcp-tool.ts'
