import { shapes } from './examples.ts'

const at = '2026-01-31T10:20:30.400Z'
const twoMinutesLater = '2026-01-31T10:22:30.400Z'
const aDayLater = '2026-02-01T10:20:30.400Z'
const aMonthLater = '2026-03-02T10:20:30.400Z'
const record = shapes.ExecRecord as { id: string; command: string; stderr_sha256: string }

const rights = { approves: 'none', read: 'own', shell: false, files: 'write', policy: 'supervised' }
const token = {
  ...{ ...rights, instant_answers: false, dialect: null, addresses: [], idle_days: null },
  ...{
    id: '5e490a83-9453-4fa3-8a10-b098adc95892',
    name: 'codex',
    created_at: at,
    expires_at: null,
    last_used_at: null,
  },
}
const answer = { approved: true, outcome: 'approved', by: 'laptop', how: 'http', at, scope: 'once', saved_rule: null }
const unclear = 'It is unclear what this would run. Write the commands out in full.'
const pending = {
  id: 'jngn5v06pqp4a6aa',
  run_id: record.id,
  command: 'cat todo | sh',
  working_directory: '/home/you',
  ...{
    dialect: 'oneclaw',
    token: 'codex',
    token_id: token.id,
    sandbox: 'none',
    network: true,
    writable: [],
    files: [],
  },
  ...{
    env: {},
    stdin: null,
    rule: 'opaque',
    reason: unclear,
    risk: 'medium',
    requested_at: at,
    expires_at: twoMinutesLater,
  },
  always: { covers: 'exactly this command, in /home/you, with the token codex', expires_at: aMonthLater },
}
const verdict = { guard: 'risk', verdict: 'allow', risk: 'high', rule: 'destructive', command: 'rm -rf build' }

const session = {
  ...{ name: 'build', token: 'codex', cwd: '/home/you/project', set: ['CC'], unset: [], lost: [] },
  ...{ revision: 3, busy: false, waiting: 0, used_at: at, expires_at: aDayLater },
}
const webhook = {
  ...{ name: 'agent', token: 'codex', url: 'https://agent.example/shellphone', types: ['run.ended'], session: null },
  ...{ created_at: at, expires_at: null, status: 'active', waiting: 0, dropped: 0, deliveries: [] },
}

const newToken = { ...token, token: 'VrzQ2gmBMgwA8OroTDp4Z12Ml_4AO-4ez-8KYK-t61Q' }

/** An example of each JSON reply, by its schema's name. */
const bySchema: Record<string, object> = {
  ...shapes,
  RunList: { runs: [withoutOutput(record)] },
  StdinTaken: { ok: true, offset: 4 },
  StdinState: { offset: 4, ended: false },
  OutputMatches: { matches: [{ offset: 0, line: 0, arrived: 0, count: 1 }], lines: 1, next_offset: 4, complete: true },
  OutputPosition: { stdout: 4, stderr: 0 },
  FileList: {
    path: '/home/you',
    entries: [
      {
        name: 'shellphone-demo.txt',
        type: 'file',
        bytes: 4,
        mode: '0644',
        modified_at: at,
        etag: '"1e68-2ctlz-4-dn5ngx-dn5ngx"',
      },
    ],
    next: null,
  },
  FileEditResult: {
    path: '/home/you/shellphone-demo.txt',
    hash: 'sha256:27dd8ed44a83ff94',
    replaced: 1,
    snippet: '     1\ttwo\n',
  },
  FileSearchResult: {
    path: '/home/you/shellphone-demo.txt',
    text: 'shellphone-demo.txt:1:two\n',
    found: 1,
    files: 1,
    truncated: false,
    skipped: 0,
  },
  FilePatchResult: {
    status: 'completed',
    files: [{ path: '/home/you/shellphone-demo.txt', action: 'updated', hash: 'sha256:f6936912184481f5' }],
    text: 'updated /home/you/shellphone-demo.txt, hash sha256:f6936912184481f5\n',
  },
  Health: {
    ...{ status: 'ok', version: '0.1.0', name: 'pixel', platform: 'android', node: 'v20.20.2', uptime_seconds: 3600 },
    ...{
      memory_bytes: 77_488_128,
      pool: { running: 0, queued: 0, max_running: 4, max_queued: 256 },
      pending_approvals: 0,
    },
    spawner: { name: 'launcher', reason: 'the launcher built here works' },
    sandbox: { available: ['none'], reason: 'the kernel of this device does not support Landlock' },
    terminal: { available: true, reason: null, shell: '/bin/bash' },
    ...{ slept_seconds: 0, warnings: [] },
  },
  DoctorReport: {
    status: 'ok',
    checks: [
      {
        name: 'service',
        status: 'ok',
        found: 'responds, up for 5 s',
        why: 'Without the service, no agent can use this machine.',
        fix: null,
      },
    ],
  },
  PhoneStatus: {
    ...{ looked_at: at, battery: null, wifi: null, addresses: ['192.0.2.2'], urls: ['http://127.0.0.1:8029'] },
    storage: [{ path: '/home/you/.shellphone', free_bytes: 61_220_237_312, total_bytes: 270_553_174_016 }],
    missing: ['battery: termux-battery-status is not installed'],
  },
  DialectAnswer: {
    ...{ tool: 'exec', run_id: record.id, exit_code: 0, is_error: false },
    output: '[Exit Code: 0]\nLinux localhost 6.1.99 aarch64 Android\n',
  },
  ApprovalAnswer: answer,
  Webhook: webhook,
  SessionInfo: session,
  PutWebhook: { webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwVrzQ2gmBMgw=' },
  NewToken: newToken,
  JsonRpcError: { jsonrpc: '2.0', id: 1, error: { code: -32_600, message: 'expected a JSON-RPC message' } },
}

const rpcResult = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'shellphone', version: '0.1.0' },
  },
}
const canceled = { outcome: 'cancel_requested' }

/** Examples of the replies whose schema has no name. */
export const byOperation: Record<string, object> = {
  'POST /exec 202': { id: record.id, status: 'starting' },
  'DELETE /exec 200': canceled,
  'DELETE /runs/{id} 200': canceled,
  'POST /runs/{id}/signal 200': { ok: true },
  'POST /runs/{id}/resize 200': { ok: true },
  'GET /load 200': { samples: [{ at, running: 0, queued: 0, begun: 9, memory_bytes: 78_405_632, lag_ms: 0 }] },
  'GET /settings 200': {
    config_file: '/home/you/.shellphone/config.yaml',
    settings: [
      {
        ...{ name: 'port', value: 8029, default: 8029, source: 'default', waiting: 8031, live: false, unit: '' },
        ...{ expected: 'an integer from 0 to 65535', meaning: 'TCP port; 0: the system chooses' },
      },
    ],
  },
  'POST /policy/check 200': {
    ...{ verdict: 'allow', risk: 'high', opaque: false, syntax_error: null },
    guards: [{ ...verdict, reason: 'High risk: it deletes, changes the system or reaches other machines.' }],
  },
  'GET /approvals 200': { approvals: [pending], rules: [] },
  'GET /tokens 200': { tokens: [token] },
  'GET /sessions 200': { sessions: [session] },
  'GET /webhooks 200': { webhooks: [webhook] },
  'POST /pair 201': {
    ...{ ...newToken, name: 'laptop', read: 'all', policy: null },
    ...{ idle_days: 90, expires_at: '2026-05-01T10:20:30.400Z' },
  },
  'POST /pairing 201': { code: '7QK2-9XMD', expires_at: at, links: ['http://127.0.0.1:8029/#pair=7QK2-9XMD'] },
  'GET /connections 200': { connections: [{ token: 'codex', address: '127.0.0.1', kind: 'http', opened_at: at }] },
  'GET /access-log 200': {
    events: [
      {
        ...{ at, token: 'codex', by: 'owner', how: null, from: '127.0.0.1', run_id: null, is_saved: false },
        ...{ rights, attempts: null, what: 'token_created' },
      },
    ],
  },
  'POST /mcp 200': rpcResult,
  'POST /mcp/{dialect} 200': rpcResult,
}

/** An example of the error of each status. The replies of openapi.yaml refer to it by its name. */
const errorExamples: Record<string, { type: string; message: string; field?: string }> = {
  400: {
    type: 'validation_error',
    message: 'timeout_seconds: expected a number greater than 0, got -1',
    field: 'timeout_seconds',
  },
  401: {
    type: 'unauthorized',
    message: 'A valid token is required: Authorization: Bearer TOKEN',
  },
  403: { type: 'forbidden', message: 'this token may not do that' },
  404: { type: 'not_found', message: 'no run has this id' },
  406: { type: 'validation_error', message: 'expected Accept: application/json, text/event-stream', field: 'accept' },
  409: { type: 'conflict', message: 'the Idempotency-Key was used with another body', field: 'Idempotency-Key' },
  410: { type: 'expired', message: 'the record of this run has been deleted' },
  412: { type: 'precondition_failed', message: 'the file has changed; read it again' },
  413: { type: 'too_large', message: 'the body is larger than 8388608 bytes' },
  415: { type: 'unsupported_media_type', message: 'expected Content-Type: application/json' },
  416: { type: 'out_of_range', message: 'the offset is beyond the end of the data' },
  429: { type: 'rate_limited', message: 'too many wrong tokens from this address; wait as long as Retry-After says' },
  499: { type: 'execution_error', message: 'the client closed the connection' },
  500: { type: 'execution_error', message: 'internal error; the log has more' },
  503: { type: 'pool_full', message: 'all slots and the queue are full; nothing was run' },
  507: { type: 'insufficient_storage', message: 'the disk is full; the previous file remains unchanged' },
}

/** The examples of errors, as components of the document. */
export const errorsByName = (): Record<string, object> =>
  Object.fromEntries(Object.entries(errorExamples).map(([status, error]) => [`error${status}`, { value: { error } }]))

function withoutOutput(value: object): object {
  const { stdout: _stdout, stderr: _stderr, output: _output, ...rest } = value as Record<string, unknown>
  return rest
}

/** The names of the schemas of a reply, which may be one of several. */
const namesIn = (schema: { $ref?: string; anyOf?: { $ref?: string }[] } = {}) =>
  [schema, ...(schema.anyOf ?? [])].flatMap(({ $ref }) =>
    $ref ? [$ref.slice($ref.lastIndexOf('/') + 1).replace('#', '')] : [],
  )

const why =
  'This would delete a system, home or shared-storage directory. Delete only what you created, by its own path.'
const wipe = { verdict: 'deny', risk: 'high', rule: 'wipe', reason: why }
const denied = {
  ...record,
  ...{ command: 'rm -rf /', status: 'denied', exit_code: -1, stdout: '', stdout_bytes: 0 },
  stdout_sha256: record.stderr_sha256,
  output: `[Exit Code: -1]\n[stderr]\n${why}`,
  decision: { ...wipe, rules: [{ guard: 'catastrophic', ...wipe }] },
  ...{ duration_ms: 0, started_at: null },
}

/** Examples of replies that have several forms. */
const severalExamples: Record<string, object> = {
  'POST /exec 403': {
    denied: { summary: 'The command was denied', value: denied },
    error403: { $ref: '#/components/examples/error403' },
  },
  'GET /dialects 200': {
    all: {
      value: {
        dialects: [
          {
            ...{ name: 'nullclaw', tool: 'shell', description: 'Execute a shell command in the workspace directory' },
            parameters: {
              type: 'object',
              required: ['command'],
              properties: { command: { type: 'string', description: 'The shell command to execute' } },
            },
          },
        ],
      },
    },
    anthropic: {
      summary: 'format=anthropic&dialect=anthropic',
      value: {
        tools: [
          { type: 'bash_20250124', name: 'bash' },
          { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        ],
        dialects: {
          bash: 'anthropic/bash',
          str_replace_based_edit_tool: 'anthropic/str_replace_based_edit_tool',
        },
      },
    },
    openai: {
      summary: 'format=openai&dialect=openai',
      value: {
        tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'local_shell' }, { type: 'apply_patch' }],
        dialects: {
          shell_call: 'openai/shell',
          local_shell_call: 'openai/local_shell',
          apply_patch_call: 'openai/apply_patch',
        },
      },
    },
  },
}

interface Reply {
  example?: unknown
  examples?: object
  schema?: { $ref?: string; anyOf?: { $ref?: string }[] }
}

/** Adds examples to a JSON reply: its own of `replies`, that of its schema, or for an error that of its status. */
export function addReplyExample(name: string, status: string, reply: Reply, replies: Record<string, unknown>): void {
  const names = namesIn(reply.schema)
  const own =
    replies[`${name} ${status}`] ?? names.map((one) => (one === 'Error' ? undefined : bySchema[one])).find(Boolean)
  const several = names.join() === 'Error' ? undefined : severalExamples[`${name} ${status}`]
  if (several) reply.examples = several
  else if (own !== undefined && (Number(status) < 400 || own === replies[`${name} ${status}`]))
    reply.example = structuredClone(own)
  else if (names.includes('Error') && errorExamples[status]) {
    reply.examples = { [`error${status}`]: { $ref: `#/components/examples/error${status}` } }
  }
}
