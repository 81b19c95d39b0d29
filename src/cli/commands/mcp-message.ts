/** A message of JSON-RPC 2.0, as far as the bridge looks at it. */
export interface McpMessage {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> }
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** What the revision of 2026-07-28 wants in headers, which the service compares with the body; null: an older message. */
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

/** As the specification has it for what no header can hold. */
const encoded = (text: string) =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** The answer to a request that could not be put to the service. */
export const toError = (id: McpMessage['id'], { message }: Error): McpMessage => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code: -32000, message },
})
