import { writeFileSync } from 'node:fs'
import {
  anyone,
  hand,
  keyHolder,
  listsAll,
  listsApprovals,
  listsRules,
  listsRuns,
  maker,
  opensTerminals,
  person,
  reader,
  readsFiles,
  type Rule,
  tokenMaker,
  tokenRotator,
  uploads,
  writesFiles,
} from './holders.ts'
import { type Kind, webhook } from './objects.ts'

/** The request for an object named `id`; `path` if it differs from the route's path with that name in it. */
interface Sent {
  path?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface Row {
  may: Rule
  /** the status of a permitted request; 404 if the object cannot exist in this test */
  ok: number
  /** the kind of object that it concerns; absent: nothing that belongs to a token */
  object?: Kind
  /** success needs the launcher: without one, the status is 503 */
  opensTerminal?: true
  /** success uses the object up */
  isFresh?: true
  send?(id: string): Sent
  /** whether the reply shows the object; absent: the status is enough */
  shows?(reply: Response, text: string, id: string): boolean
}

const holds = (_reply: Response, text: string, id: string) => text.includes(JSON.stringify(id))
const json = (body: unknown, headers: Record<string, string> = {}) => ({
  body,
  headers: { 'content-type': 'application/json', ...headers },
})
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' }
const mcp = { accept: 'application/json, text/event-stream' }
const inSession = { may: maker, object: 'session', ok: 200 } as const
const tar = { 'content-type': 'application/x-tar', 'upload-key': 'word', 'content-range': 'bytes */*' }

/** An edit of a file, which has its old content again. */
function editIn(folder: string) {
  writeFileSync(`${folder}/edited`, 'old')
  return { path: `${folder}/edited`, edits: [{ old: 'old', new: 'new' }] }
}

/** A patch of a file, which has its old content again. */
function patchOf(folder: string) {
  writeFileSync(`${folder}/patched`, 'old\n')
  return { patch: `--- ${folder}/patched\n+++ ${folder}/patched\n@@ -1 +1 @@\n-old\n+new\n` }
}

/** Every route that is not public; `with …`: the same route for another object. */
export function httpRows(folder: string): Record<string, Row> {
  const file = (name: string) => `/files?path=${folder}/${name}`
  const made = () => {
    writeFileSync(`${folder}/gone`, '')
    return { path: file('gone') }
  }
  const mcpRows = (path: string) => ({
    [`POST ${path}`]: { ...inSession, send: (id: string) => json(ping, { ...mcp, 'mcp-session-id': id }) },
    // a permitted client would get an endless stream; this request is rejected once the session has been found
    [`GET ${path}`]: {
      ...inSession,
      ok: 406,
      send: (id: string) => ({ headers: { accept: 'application/json', 'mcp-session-id': id } }),
    },
    [`DELETE ${path}`]: {
      ...inSession,
      isFresh: true as const,
      send: (id: string) => ({ headers: { 'mcp-session-id': id } }),
    },
  })
  return {
    'POST /exec': { may: anyone, ok: 200, send: () => json({ command: 'true' }) },
    'DELETE /exec': { may: anyone, ok: 404, send: () => ({ headers: { 'idempotency-key': 'of-nobody' } }) },
    'DELETE /exec with the key of a live run': {
      may: maker,
      ok: 200,
      object: 'live key',
      isFresh: true,
      send: (keyAndRun) => ({ headers: { 'idempotency-key': keyAndRun.split(' ')[0]! } }),
    },
    'POST /exec with a terminal': {
      may: opensTerminals,
      ok: 202,
      opensTerminal: true,
      send: () => json({ command: 'true', tty: { rows: 2, columns: 2 } }),
    },
    'POST /exec with a key': {
      may: keyHolder,
      ok: 200,
      object: 'key',
      send: (keyAndRun) => json({ command: 'true' }, { 'idempotency-key': keyAndRun.split(' ')[0]! }),
      shows: (_reply, text, keyAndRun) => text.includes(keyAndRun.split(' ')[1]!),
    },
    'POST /exec/:dialect': {
      may: anyone,
      ok: 200,
      send: () => ({ path: '/exec/nullclaw', ...json({ command: 'true' }) }),
    },
    'GET /runs': { may: listsRuns, ok: 200, object: 'ended', send: () => ({ path: '/runs?limit=1000' }), shows: holds },
    'GET /runs/:id': { may: reader, ok: 200, object: 'ended' },
    'DELETE /runs/:id': { may: reader, ok: 200, object: 'ended' },
    'GET /runs/:id/output': { may: reader, ok: 200, object: 'ended' },
    'GET /runs/:id/matches': {
      may: reader,
      ok: 200,
      object: 'ended',
      send: (id) => ({ path: `/runs/${id}/matches?q=a` }),
    },
    'GET /runs/:id/position': {
      may: reader,
      ok: 200,
      object: 'ended',
      send: (id) => ({ path: `/runs/${id}/position?offset=0` }),
    },
    'GET /runs/:id/events': { may: reader, ok: 200, object: 'ended' },
    // a permitted client would get an endless stream; this position is in no history
    'GET /events': {
      may: anyone,
      ok: 410,
      send: () => ({ path: '/events', headers: { 'last-event-id': '99999999.0' } }),
    },
    'GET /runs/:id/stdin': { may: hand, ok: 200, object: 'live' },
    'POST /runs/:id/stdin': { may: hand, ok: 200, object: 'live', send: () => json({ data: 'x' }) },
    'PUT /runs/:id/stdin': {
      may: hand,
      ok: 200,
      object: 'live',
      send: (id) => ({ path: `/runs/${id}/stdin?offset=0&end=false`, body: 'x' }),
    },
    'POST /runs/:id/signal': { may: hand, ok: 200, object: 'live', send: () => json({ signal: 'SIGCONT' }) },
    'POST /runs/:id/resize': { may: hand, ok: 409, object: 'live', send: () => json({ rows: 2, columns: 2 }) },
    'GET /scratchpads/:name': { may: reader, ok: 200, object: 'pad' },
    'GET /files': { may: readsFiles, ok: 200, send: () => ({ path: file('file') }) },
    'HEAD /files': { may: readsFiles, ok: 200, send: () => ({ path: file('file') }) },
    'PUT /files': { may: writesFiles, ok: 204, send: () => ({ path: file('file'), body: 'text' }) },
    'PUT /files with an upload key': {
      may: uploads,
      ok: 308,
      object: 'upload',
      send: (path) => ({
        path: `/files?path=${path}`,
        headers: { 'upload-key': 'word', 'content-range': 'bytes */8' },
      }),
      shows: ({ headers }) => headers.get('range') !== null,
    },
    'PUT /files with the key of an archive': {
      may: uploads,
      ok: 308,
      object: 'trail',
      send: (path) => ({ path: `/files?path=${path}`, headers: tar }),
      shows: ({ headers }) => headers.get('unpacked-through') !== null,
    },
    'GET /sessions': { may: keyHolder, ok: 200, object: 'shell session', shows: holds },
    'GET /sessions with all=true': {
      may: listsAll,
      ok: 200,
      object: 'shell session',
      send: () => ({ path: '/sessions?all=true' }),
      shows: holds,
    },
    'GET /sessions/:name': { may: maker, ok: 200, object: 'shell session' },
    'DELETE /sessions/:name': { may: maker, ok: 204, object: 'shell session', isFresh: true },
    'DELETE /files': { may: writesFiles, ok: 204, send: made },
    'POST /files/edit': { may: writesFiles, ok: 200, send: () => json(editIn(folder)) },
    'POST /files/patch': { may: writesFiles, ok: 200, send: () => json(patchOf(folder)) },
    'POST /files/search': { may: readsFiles, ok: 200, send: () => json({ path: folder, pattern: 'x' }) },
    'GET /doctor': { may: person, ok: 200 },
    'GET /phone': { may: person, ok: 200 },
    'GET /load': { may: person, ok: 200 },
    'GET /settings': { may: person, ok: 200 },
    'GET /dialects': { may: anyone, ok: 200 },
    ...mcpRows('/mcp'),
    ...mcpRows('/mcp/:dialect'),
    'POST /policy/check': { may: anyone, ok: 200, send: () => json({ command: 'true' }) },
    'POST /policy/check with settings to suppose': {
      may: person,
      ok: 200,
      send: () => json({ command: 'true', policy: { policy: 'open' } }),
    },
    'GET /approvals': { may: listsApprovals, ok: 200, object: 'approval', shows: holds },
    'GET /approvals with a saved rule': { may: listsRules, ok: 200, object: 'rule', shows: holds },
    'POST /approvals/:id': {
      may: person,
      ok: 200,
      object: 'approval',
      isFresh: true,
      send: () => json({ decision: 'deny' }),
    },
    'DELETE /approvals/rules/:id': { may: person, ok: 204, object: 'rule', isFresh: true },
    'GET /tokens': { may: person, ok: 200 },
    'POST /tokens': { may: person, ok: 201, send: () => json({ name: `made-${Math.random().toString(36).slice(2)}` }) },
    'POST /tokens/:name/rotate': { may: tokenRotator, ok: 200, object: 'token', isFresh: true },
    'DELETE /tokens/:name': { may: tokenMaker, ok: 204, object: 'token', isFresh: true },
    'POST /pairing': { may: person, ok: 201, send: () => json({}) },
    'GET /webhooks': { may: keyHolder, ok: 200, object: 'webhook', shows: holds },
    'GET /webhooks with all=true': {
      may: listsAll,
      ok: 200,
      object: 'webhook',
      send: () => ({ path: '/webhooks?all=true' }),
      shows: holds,
    },
    'GET /webhooks/:name': { may: maker, ok: 200, object: 'webhook' },
    'PUT /webhooks/:name': {
      may: anyone,
      ok: 201,
      send: () => ({ path: `/webhooks/put-${Math.random().toString(36).slice(2)}`, ...json(webhook) }),
    },
    'DELETE /webhooks/:name': { may: maker, ok: 204, object: 'webhook', isFresh: true },
    'GET /connections': { may: person, ok: 200 },
    'GET /access-log': { may: person, ok: 200 },
    'GET /metrics': { may: anyone, ok: 200 },
    'GET /openapi.yaml': { may: anyone, ok: 200 },
    'GET /asyncapi.yaml': { may: anyone, ok: 200 },
  }
}

/** A message of the WebSocket, or a method of MCP. */
interface MessageRow {
  may: Rule
  /** the code of the error that a permitted call gets, because nothing can answer it here; absent: a result */
  error?: number
  object?: Kind
  isFresh?: true
  send(id: string): object
}

const followed = (id: string) => ({ id })
export const socketRows: Record<string, MessageRow> = {
  exec: { may: anyone, send: () => ({ command: 'true' }) },
  attach: { may: reader, object: 'ended', send: followed },
  frames: { may: anyone, send: () => ({ frames: 'text' }) },
  output_taken: { may: reader, object: 'ended', send: followed },
  cancel: { may: reader, object: 'ended', send: followed },
  stdin: { may: hand, object: 'live', send: (id) => ({ id, data: 'x' }) },
  signal: { may: hand, object: 'live', send: (id) => ({ id, signal: 'SIGCONT' }) },
  resize: { may: hand, object: 'live', send: (id) => ({ id, rows: 2, columns: 2 }) },
  watch_approvals: { may: person, send: () => ({}) },
  watch_runs: { may: anyone, send: () => ({}) },
  approval: { may: person, object: 'approval', isFresh: true, send: (id) => ({ id, decision: 'deny' }) },
  ping: { may: anyone, send: () => ({}) },
}

/** A callback to which nothing is sent, because its address is not public. */
const innerCallback = { mode: 'webhook', url: 'https://10.0.0.1/', secret: `whsec_${'A'.repeat(32)}` }
const tool = (name: string, more: object) => ({ name, arguments: more })
/** `tools/call NAME`: a call of one tool. */
export const mcpRows = (folder: string): Record<string, MessageRow> => ({
  'tools/list': { may: anyone, send: () => ({}) },
  'tools/call exec': { may: anyone, send: () => tool('exec', { command: 'true' }) },
  'tools/call exec_read_only': { may: anyone, send: () => tool('exec_read_only', { command: 'true' }) },
  'tools/call exec_wait': { may: reader, object: 'ended', send: (id) => tool('exec_wait', { id }) },
  'tools/call exec_output': { may: reader, object: 'ended', send: (id) => tool('exec_output', { id }) },
  'tools/call exec_input': { may: hand, object: 'live', send: (id) => tool('exec_input', { id, data: 'x' }) },
  'tools/call exec_cancel': { may: reader, object: 'ended', send: (id) => tool('exec_cancel', { id }) },
  'tools/call file_read': { may: readsFiles, send: () => tool('file_read', { path: `${folder}/file` }) },
  'tools/call file_write': {
    may: writesFiles,
    send: () => tool('file_write', { path: `${folder}/file`, content: 'text' }),
  },
  'tools/call file_edit': { may: writesFiles, send: () => tool('file_edit', editIn(folder)) },
  'tools/call file_search': { may: readsFiles, send: () => tool('file_search', { path: folder }) },
  'events/list': { may: anyone, send: () => ({}) },
  'events/poll': { may: anyone, send: () => ({ name: 'run.ended', cursor: '1.0' }) },
  'events/subscribe': { may: anyone, error: -32602, send: () => ({ name: 'run.ended', delivery: innerCallback }) },
  'events/unsubscribe': { may: anyone, error: -32011, send: () => ({ name: 'run.ended', delivery: innerCallback }) },
  'tasks/get': { may: reader, object: 'ended', send: (taskId) => ({ taskId }) },
  'tasks/cancel': { may: reader, object: 'live', isFresh: true, send: (taskId) => ({ taskId }) },
  'tasks/update': { may: anyone, object: 'ended', send: (taskId) => ({ taskId }) },
})
