/** The parts of a curl line that the path of an operation does not give: its query, then its options. */
const rows: Record<string, [query: string, options: string]> = {
  'POST /exec': ['', json({ command: 'uname -a' })],
  'DELETE /exec': ['', "-H 'Idempotency-Key: build-1'"],
  'GET /ws': [
    '',
    "-N --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='",
  ],
  'GET /runs': ['?q=make&limit=10', ''],
  'POST /runs/{id}/signal': ['', json({ signal: 'SIGINT' })],
  'POST /runs/{id}/resize': ['', json({ rows: 24, columns: 80 })],
  'POST /runs/{id}/stdin': ['', json({ data: 'yes\n' })],
  'PUT /runs/{id}/stdin': ['', '-T notes.txt'],
  'GET /runs/{id}/events': ['', "-N -H 'Accept: text/event-stream'"],
  'GET /runs/{id}/matches': ['?q=error', ''],
  'GET /files': ['?path=~/notes.txt', '-o notes.txt'],
  'PUT /files': ['?path=~/notes.txt', '-T notes.txt'],
  'DELETE /files': ['?path=~/notes.txt', ''],
  'POST /exec/{dialect}': ['', json({ command: 'uname -a' })],
  'POST /policy/check': ['', json({ command: 'rm -rf build' })],
  'POST /approvals/{id}': ['', json({ decision: 'approve' })],
  'POST /tokens': ['', json({ name: 'codex' })],
  'POST /pairing': ['', json({})],
  'POST /pair': ['', json({ code: '7QK2-9XMD', name: 'laptop' })],
  ...mcpRows('/mcp'),
  ...mcpRows('/mcp/{dialect}'),
}

function json(body: object): string {
  return `--json '${JSON.stringify(body)}'`
}

function mcpRows(path: string): typeof rows {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } }
  const session = '-H "Mcp-Session-Id: $SESSION"'
  return {
    [`POST ${path}`]: [
      '',
      `-i -H 'Accept: application/json, text/event-stream' ${json({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}`,
    ],
    [`GET ${path}`]: ['', `-N -H 'Accept: text/event-stream' ${session}`],
    [`DELETE ${path}`]: ['', session],
  }
}

/** A line that calls the operation. The names of variables in the path, such as $ID, are those of the path's parameters. */
export function curlLine(method: string, path: string, isPublic: boolean, hasBody: boolean): string {
  const [query, options] = rows[`${method} ${path}`] ?? ['', '']
  if (hasBody && options === '') throw new Error(`${method} ${path} needs a row in scripts/docs/curl-line.ts`)
  const sends = /--json|-T /.exec(options)?.[0]
  const isImplied = method === (sends === undefined ? 'GET' : sends === '--json' ? 'POST' : 'PUT')
  const address = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query}`
  return [
    'curl',
    isImplied ? '' : `-X ${method}`,
    isPublic ? '' : '-H "Authorization: Bearer $TOKEN"',
    options,
    `"$URL${address}"`,
  ]
    .filter(Boolean)
    .join(' ')
}
