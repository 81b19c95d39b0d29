/** The parts of a JSON-RPC 2.0 message that the bridge reads. */
export interface McpMessage {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> }
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** The headers that revision 2026-07-28 requires, and that the service compares with the body; null for a message of an older revision. */
export function modernHeaders({ method, params }: McpMessage): Record<string, string> | null {
  const version = params?._meta?.[VERSION_KEY]
  if (typeof version !== 'string') return null
  const name = params?.name ?? params?.uri ?? params?.taskId
  return {
    'mcp-protocol-version': version,
    'mcp-method': String(method),
    ...(typeof name === 'string' && { 'mcp-name': encoded(name) }),
  }
}

/** Encodes text that a header cannot contain, as the specification requires. */
const encoded = (text: string) =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The response to a request that did not reach the service. */
export const toError = (id: McpMessage['id'], { message }: Error): McpMessage => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code: -32000, message },
})
