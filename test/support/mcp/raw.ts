import type { Service } from '../helper.ts'

/** A response to a raw MCP message. */
interface RawReply {
  status: number
  /** the reply, from a JSON body or from the last event */
  body: { result?: Record<string, unknown>; error?: { code: number; message: string } }
  session: string | null
}

/** The result of a tool call. */
export interface McpResult {
  isError?: boolean
  content: { text: string }[]
  structuredContent: Record<string, unknown>
}

const META = 'io.modelcontextprotocol'
const VERSION = '2026-07-28'

/** Sends one unchanged message over HTTP with these headers. */
export async function post(
  service: Service,
  message: unknown,
  headers: Record<string, string> = {},
  path = '/mcp',
): Promise<RawReply> {
  const accept = 'application/json, text/event-stream'
  const response = await service.post(path, message as object, { accept, ...headers })
  const text = await response.text()
  const last = text.startsWith('{') ? text : [...text.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1]
  return {
    status: response.status,
    body: last ? JSON.parse(last) : {},
    session: response.headers.get('mcp-session-id'),
  }
}

/** The client's capabilities, sent with each message. */
export const tasks = { extensions: { [`${META}/tasks`]: {} } }
export const form = { elicitation: {} }

/** Sends a request of 2026 with its headers. */
export function modern(service: Service, method: string, params: object, capabilities: object = {}): Promise<RawReply> {
  const { message, headers } = modernMessage(method, params, capabilities)
  return post(service, message, headers)
}

export function modernMessage(method: string, params: object, capabilities: object = {}, version = VERSION) {
  const _meta = {
    [`${META}/protocolVersion`]: version,
    [`${META}/clientInfo`]: { name: 'raw', version: '1' },
    [`${META}/clientCapabilities`]: capabilities,
  }
  const { name, taskId } = params as { name?: string; taskId?: string }
  const named: Record<string, string> = name || taskId ? { 'mcp-name': (name ?? taskId)! } : {}
  const headers: Record<string, string> = { 'mcp-protocol-version': version, 'mcp-method': method, ...named }
  return { message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, headers }
}

/** The first message of a session of 2025. */
export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
