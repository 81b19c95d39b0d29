import { jsonBodies } from './examples.ts'

/** The parts of a curl line that neither the path of an operation nor the example of its body gives: its query, then its options. */
const rows: Record<string, [query: string, options: string]> = {
  'DELETE /exec': ['', "-H 'Idempotency-Key: build-1'"],
  'GET /ws': [
    '',
    "-N --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='",
  ],
  'GET /runs': ['?q=uname&limit=10', ''],
  'PUT /runs/{id}/stdin': ['', '-T copy.txt'],
  'GET /events': ['?types=run.ended', '-N'],
  'GET /runs/{id}/events': ['', "-N -H 'Accept: text/event-stream'"],
  'GET /runs/{id}/matches': ['?q=error', ''],
  'GET /load': ['?minutes=60', ''],
  'HEAD /files': ['?path=~/shellphone-demo.txt', ''],
  'GET /files': ['?path=~/shellphone-demo.txt', '-o copy.txt'],
  'PUT /files': ['?path=~/shellphone-demo.txt', '-T copy.txt'],
  'DELETE /files': ['?path=~/shellphone-demo.txt', ''],
  ...mcpRows('/mcp'),
  ...mcpRows('/mcp/{dialect}'),
}

function mcpRows(path: string): typeof rows {
  const session = '-H "Mcp-Session-Id: $SESSION"'
  return {
    [`POST ${path}`]: ['', `-i -H 'Accept: application/json, text/event-stream'`],
    [`GET ${path}`]: ['', `-N -H 'Accept: text/event-stream' ${session}`],
    [`DELETE ${path}`]: ['', session],
  }
}

/** A line that calls the operation. The names of variables in the path, such as $ID, are those of the path's parameters. */
export function curlLine(method: string, path: string, isPublic: boolean, hasBody: boolean): string {
  const [query, own] = rows[`${method} ${path}`] ?? ['', '']
  const body = jsonBodies[`${method} ${path}`]
  const options = [own, body && `--json '${JSON.stringify(body)}'`].filter(Boolean).join(' ')
  if (hasBody && options === '') throw new Error(`${method} ${path} needs a row in scripts/docs/examples.ts`)
  const sends = /--json|-T /.exec(options)?.[0]
  const isImplied = method === (sends === undefined ? 'GET' : sends === '--json' ? 'POST' : 'PUT')
  const address = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query}`
  return [
    'curl',
    isImplied ? '' : method === 'HEAD' ? '-I' : `-X ${method}`,
    isPublic ? '' : '-H "Authorization: Bearer $TOKEN"',
    options,
    `"$URL${address}"`,
  ]
    .filter(Boolean)
    .join(' ')
}
