import { createHash } from 'node:crypto'
import { newRecord } from '../../src/shared/schema/index.ts'

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } }
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params }

/** An example of the JSON body of each operation that has one. openapi.yaml shows it, and the curl line of /docs sends it. */
export const jsonBodies: Record<string, object> = {
  'POST /exec': { command: 'uname -a' },
  'POST /runs/{id}/signal': { signal: 'SIGINT' },
  'POST /runs/{id}/resize': { rows: 24, columns: 80 },
  'POST /runs/{id}/stdin': { data: 'yes\n' },
  'POST /exec/{dialect}': { command: 'uname -a' },
  'POST /files/edit': { path: '~/shellphone-demo.txt', edits: [{ old: 'one', new: 'two' }] },
  'POST /files/patch': {
    patch: '*** Begin Patch\n*** Update File: ~/shellphone-demo.txt\n@@\n-two\n+three\n*** End Patch',
  },
  'POST /files/search': { path: '~/shellphone-demo.txt', pattern: 'two' },
  'POST /policy/check': { command: 'rm -rf build' },
  'POST /approvals/{id}': { decision: 'approve', scope: 'always' },
  'POST /tokens': { name: 'codex', policy: 'supervised' },
  'PUT /webhooks/{name}': { url: 'https://hooks.example.com/runs', types: ['run.ended'] },
  'POST /pairing': { read: 'all' },
  'POST /pair': { code: '7QK2-9XMD', name: 'laptop' },
  'POST /mcp': initialize,
  'POST /mcp/{dialect}': initialize,
}

/** An example of a body that is not JSON, by its media type. */
export const otherBodies: Record<string, string> = {
  'text/plain': 'uname -a',
  'application/octet-stream': 'a note\n',
}

const record = newRecord({
  id: '01k7g7y3sgv0m2q4t8j6x1n5zb',
  via: 'POST /exec',
  command: 'uname -a',
  working_directory: '/home/you',
  timeout_seconds: 30,
  max_length: 50_000,
  sandbox: 'none',
  notes: [],
})
const stdout = 'Linux localhost 6.1.99 aarch64 Android\n'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Examples of what the service sends, by the name of the schema. */
export const shapes: Record<string, object> = {
  ExecRecord: {
    ...record,
    status: 'completed',
    exit_code: 0,
    stdout,
    stdout_bytes: stdout.length,
    stdout_sha256: sha256(stdout),
    stderr_sha256: sha256(''),
    output: `[Exit Code: 0]\n${stdout}`,
    decision: { ...record.decision, risk: 'low' },
    duration_ms: 21,
    started_at: '2026-01-31T10:20:30.400Z',
    ended_at: '2026-01-31T10:20:30.421Z',
  },
  Error: {
    error: {
      type: 'validation_error',
      message: 'timeout_seconds: expected a number greater than 0, got -1',
      field: 'timeout_seconds',
    },
  },
}
