/** The parts of the curl lines of an operation that neither its path nor the example of its body gives. */
interface CurlRow {
  /** what follows the path in the address */
  query?: string
  /** options before the address; if they send a body, then instead of the example */
  options?: string
  /** lines before the call, for example those that set the variables of the path */
  before?: string[]
  /** lines after the call */
  after?: string[]
}

/** A call of curl with the token. */
export const withToken = 'curl -H "$AUTH"'
const quiet = withToken.replace('curl', 'curl -s')

/** A line that sets a variable to a string in the JSON reply of a call: the last one with this name, or the first one after `where`. */
const set = (variable: string, call: string, name: string, where = '.*') =>
  `${variable}=$(${call} | sed -n 's/${where}"${name}":"\\([^"]*\\)".*/\\1/p')`

/** A line that starts a run, and sets `ID` to its id. */
const startRun = (body: object, auth = quiet) => set('ID', `${auth} --json '${JSON.stringify(body)}' "$URL/exec"`, 'id')

const initialize = `--json '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'`
const mcpAccept = `-H 'Accept: application/json, text/event-stream'`
const demo = '?path=~/shellphone-demo.txt'

/** The rows of the operations that need one. Those of a group stand in the order in which its lines work when they are pasted from top to bottom. */
export const curlRows: Record<string, CurlRow> = {
  'GET /ws': {
    options:
      "-iN --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='",
  },
  'DELETE /exec': {
    before: [`${quiet} -m 5 -H 'Idempotency-Key: build-1' --json '{"command":"sleep 60"}' "$URL/exec"`],
    options: "-H 'Idempotency-Key: build-1'",
  },
  'GET /runs': { query: '?q=uname&limit=10' },
  'GET /runs/{id}': { before: [startRun({ command: 'cat', stdin: 'open', background: true })] },
  'PUT /runs/{id}/stdin': { before: ['echo one > copy.txt'], query: '?offset=4', options: '-T copy.txt' },
  'GET /runs/{id}/output': { query: '?follow=true' },
  'GET /runs/{id}/matches': { query: '?q=one' },
  'GET /runs/{id}/position': { query: '?offset=4' },
  'GET /runs/{id}/events': { options: "-N -H 'Accept: text/event-stream'" },
  'POST /runs/{id}/signal': { before: [startRun({ command: 'sleep 600', background: true })] },
  'POST /runs/{id}/resize': {
    before: [
      startRun({ command: 'cat', tty: { rows: 40, columns: 120 } }),
      `APPROVAL=$(${quiet} "$URL/runs/$ID" | sed -n 's/.*"pending_approval":{"id":"\\([^"]*\\)".*/\\1/p')`,
      `${withToken} --json '{"decision":"approve"}' "$URL/approvals/$APPROVAL"`,
    ],
  },
  'GET /scratchpads/{name}': {
    before: [`${withToken} --json '{"command":"uname -a","scratchpad":"demo"}' "$URL/exec/meka"`, 'NAME=demo'],
  },
  'GET /events': { query: '?types=run.ended', options: '-N' },
  'GET /sessions': { before: [`${withToken} --json '{"command":"cd /","session":"demo"}' "$URL/exec"`] },
  'GET /sessions/{name}': { before: ['NAME=demo'] },
  'PUT /files': { before: ['echo one > copy.txt'], query: demo, options: '-T copy.txt' },
  'HEAD /files': { query: demo },
  'GET /files': { query: demo, options: '-f -o copy.txt' },
  'DELETE /files': { query: demo },
  'GET /approvals': {
    before: [
      set('AGENT', `${quiet} --json '{"name":"agent","policy":"supervised"}' "$URL/tokens"`, 'token'),
      `curl -H "Authorization: Bearer $AGENT" --json '{"command":"touch shellphone-demo.txt","background":true}' "$URL/exec"`,
    ],
  },
  'POST /approvals/{id}': { before: [set('ID', `${quiet} "$URL/approvals"`, 'id', '.*"approvals":\\[{')] },
  'DELETE /approvals/rules/{id}': {
    before: [set('ID', `${quiet} "$URL/approvals"`, 'id', '.*"rules":\\[{')],
    after: [`${withToken.replace('curl', 'curl -X DELETE')} "$URL/tokens/agent"`],
  },
  'PUT /webhooks/{name}': { before: ['NAME=demo'] },
  'POST /tokens/{name}/rotate': { before: ['NAME=codex'] },
  'POST /pair': {
    before: [set('CODE', `${quiet} --json '{"read":"all"}' "$URL/pairing"`, 'code')],
    options: '--json "{\\"code\\":\\"$CODE\\",\\"name\\":\\"laptop\\"}"',
    after: [`${withToken.replace('curl', 'curl -X DELETE')} "$URL/tokens/laptop"`],
  },
  ...mcpRows('/mcp', []),
  ...mcpRows('/mcp/{dialect}', ['DIALECT=agent-world']),
  'POST /exec/{dialect}': {
    before: ['DIALECT=oneclaw'],
    after: [
      `${withToken} --json '{"command":"ls","parameters":["-la","./"]}' "$URL/exec/agent-world"`,
      `${withToken} --json '{"command":"uname -a"}' "$URL/exec/anthropic?tool=bash"`,
    ],
  },
  'GET /load': { query: '?minutes=60' },
}

function mcpRows(path: string, before: string[]): typeof curlRows {
  const address = `"$URL${path.replace('{dialect}', '$DIALECT')}"`
  const session = '-H "Mcp-Session-Id: $SESSION"'
  return {
    [`POST ${path}`]: { before, options: `-i ${mcpAccept}` },
    [`GET ${path}`]: {
      before: [`SESSION=$(${quiet} -o /dev/null -w '%header{mcp-session-id}' ${mcpAccept} ${initialize} ${address})`],
      options: `-N -H 'Accept: text/event-stream' ${session}`,
    },
    [`DELETE ${path}`]: { options: session },
  }
}

/** Groups of operations whose order on the page is not that of openapi.yaml: first those that create something, last those that delete it. */
const orders = [
  ['POST /exec', 'GET /ws', 'DELETE /exec'],
  [
    ...['GET /runs', 'GET /runs/{id}', 'POST /runs/{id}/stdin', 'GET /runs/{id}/stdin', 'PUT /runs/{id}/stdin'],
    ...['GET /runs/{id}/output', 'GET /runs/{id}/matches', 'GET /runs/{id}/position', 'GET /runs/{id}/events'],
    ...[
      'POST /runs/{id}/signal',
      'POST /runs/{id}/resize',
      'DELETE /runs/{id}',
      'GET /scratchpads/{name}',
      'GET /events',
    ],
  ],
  [
    ...['PUT /files', 'HEAD /files', 'GET /files', 'POST /files/edit', 'POST /files/search', 'POST /files/patch'],
    'DELETE /files',
  ],
  ['PUT /webhooks/{name}', 'GET /webhooks', 'GET /webhooks/{name}', 'DELETE /webhooks/{name}'],
  [
    ...['POST /tokens', 'GET /tokens', 'POST /tokens/{name}/rotate', 'DELETE /tokens/{name}', 'POST /pairing'],
    ...['POST /pair', 'GET /connections', 'GET /access-log'],
  ],
]

/** Returns the operations of a group in the order of the page. Throws if the order lacks one of them. */
export function inPageOrder(names: string[]): string[] {
  const order = orders.find((one) => names.some((name) => one.includes(name)))
  if (order === undefined) return names
  const lost = names.filter((name) => !order.includes(name))
  if (lost.length > 0) throw new Error(`${lost.join(', ')}: expected in an order of scripts/docs/curl-rows.ts`)
  return order.filter((name) => names.includes(name))
}
