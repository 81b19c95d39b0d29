import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type { ExecRecord, Note, SandboxName } from '../../../src/shared/schema/index.ts'
import type { Sandboxes, SandboxParts } from '../../../src/server/exec/command.ts'
import { sandboxFor } from '../../../src/server/exec/to-command.ts'
import { noSandbox, startService } from '../../support/helper.ts'
import { modern } from '../../support/mcp/raw.ts'
import { bwrapAlone } from '../../support/sandbox/bwrap.ts'

const all: Sandboxes = { available: ['none', 'read-only', 'workspace-write'], by: 'landlock', reason: null }
const parts = (sandbox: SandboxName, network = true, floor = true, workspace: string | null = null): SandboxParts => ({
  settings: { sandbox, 'sandbox.network': network, sandbox_floor: floor, working_directory: '/home/me' },
  sandboxes: all,
  policy: { workspace_dir: workspace },
  hidden: ['/home/me/.shellphone'],
})

t.test('with sandbox_floor, requests can only get a stricter sandbox', async (t) => {
  const rows: [SandboxParts, Parameters<typeof sandboxFor>[0], expected: object | RegExp][] = [
    [parts('read-only', true, false), { sandbox: 'none' }, { name: 'none' }],
    [parts('read-only'), { sandbox: 'none' }, /^sandbox: expected read-only, got none: the setting sandbox_floor/],
    [parts('read-only'), { sandbox: 'workspace-write' }, /^sandbox: expected read-only, got workspace-write/],
    [parts('read-only'), {}, { name: 'read-only', network: true }],
    [parts('workspace-write'), { sandbox: 'none' }, /expected workspace-write or read-only, got none/],
    [parts('workspace-write'), { sandbox: 'read-only', network: false }, { name: 'read-only', network: false }],
    [parts('workspace-write', false), { network: true }, /^network: expected false, got true: .* sandbox_floor/],
    [parts('workspace-write', false, false), { network: true }, { network: true, writable: ['/'] }],
    [parts('workspace-write', false), {}, { network: false, writable: ['/home/me'] }],
    [parts('workspace-write', true, true, '/srv'), {}, { writable: ['/srv'] }],
    [parts('none'), { sandbox: 'none', network: true }, { name: 'none', network: true }],
  ]
  for (const [given, request, expected] of rows) {
    const name = JSON.stringify([given.settings, request])
    const ask = () => sandboxFor(request, '/', given, [])
    if (expected instanceof RegExp) t.throws(ask, { code: 'VALIDATION_ERROR', message: expected }, name)
    else t.match(ask(), expected, name)
  }
})

t.test('rejects network: false in an external sandbox at once, before any approval request', async (t) => {
  const external = (usual = true): SandboxParts => ({
    ...parts('none', usual, false),
    sandboxes: { ...all, by: 'external' },
  })
  const rows: [SandboxParts, Parameters<typeof sandboxFor>[0], expected: object | RegExp][] = [
    [
      external(),
      { sandbox: 'read-only', network: false },
      /^network: expected true in read-only, got false: the progr/,
    ],
    [
      external(false),
      { sandbox: 'read-only' },
      /, got false from the setting sandbox.network: the program in the sett/,
    ],
    [external(false), { sandbox: 'read-only', network: true }, { name: 'read-only', network: true }],
    [external(), { sandbox: 'read-only' }, { name: 'read-only', network: true }],
    [external(), { sandbox: 'workspace-write', network: false }, { name: 'workspace-write', network: false }],
    [external(false), {}, { name: 'none' }],
  ]
  for (const [given, request, expected] of rows) {
    const name = JSON.stringify([given.settings, request])
    const ask = () => sandboxFor(request, '/', given, [])
    if (expected instanceof RegExp) t.throws(ask, { code: 'VALIDATION_ERROR', message: expected }, name)
    else t.match(ask(), expected, name)
  }

  const command = [...bwrapAlone, '--tmpfs', '{hidden}']
  const env = { SHELLPHONE_SANDBOX_COMMAND: JSON.stringify(command), SHELLPHONE_POLICY: 'supervised' }
  const service = await startService({ env })
  t.teardown(() => service.stop())
  const missing = await noSandbox(service, 'read-only')
  if (missing) return t.pass('external sandbox', { skip: missing })
  const response = await service.post('/exec', { command: 'touch x', sandbox: 'read-only', network: false })
  const { error } = (await response.json()) as { error: { type: string; field: string } }
  t.same([response.status, error.type, error.field], [400, 'validation_error', 'network'])
  t.same(await (await service.request('/approvals')).json(), { approvals: [], rules: [] })
  const { body } = await modern(service, 'tools/list', {})
  const names = (body.result as { tools: { name: string }[] }).tools.map(({ name }) => name)
  t.same(
    ['exec', 'exec_read_only'].filter((name) => names.includes(name)),
    ['exec'],
    'MCP offers no tool that would always fail',
  )
})

t.test('reports the limits of a workspace that contains a hidden folder', async (t) => {
  for (const [workspace, said] of [
    ['/home/me', 1],
    ['/', 1],
    ['/home/m', 0],
    ['/home/me/work', 0],
  ] as const) {
    const notes: Note[] = []
    sandboxFor({}, '/', parts('workspace-write', true, true, workspace), notes)
    t.equal(notes.length, said, workspace)
  }
})

async function sandboxedService(t: Test, env: Record<string, string>) {
  const service = await startService({ env })
  t.teardown(() => service.stop())
  return { service, missing: await noSandbox(service, 'workspace-write') }
}

t.test('gives a sandboxed command a temporary folder outside the hidden home', async (t) => {
  const { service, missing } = await sandboxedService(t, {
    SHELLPHONE_SANDBOX: 'workspace-write',
    SHELLPHONE_SANDBOX_FLOOR: 'true',
  })
  if (missing) return t.pass('sandbox', { skip: missing })
  const work = mkdtempSync(join(tmpdir(), 'shellphone-sandboxed-'))
  mkdirSync(join(work, 'inside'))
  t.teardown(() => rmSync(work, { recursive: true }))
  const command = 'f=$(mktemp) && echo x > "$f" && cat "$f" && mv "$f" "$TMPDIR/other" && dirname "$f"; echo > HERE'
  const record = await service.exec({ command: command.replace('HERE', join(work, 'out')), working_directory: work })
  const [x, folder] = record.stdout.split('\n')
  t.equal(x, 'x', record.stderr)
  t.notOk(folder!.startsWith(service.home))
  t.notOk(existsSync(folder!), 'the folder is removed with its run')
  t.same(readdirSync(dirname(folder!)), [])
  t.same(readdirSync(work), ['inside'], 'with a floor, a request cannot write to its directory')
  t.teardown(() => rmSync(dirname(folder!), { recursive: true }))
  const reply = await service.post('/exec', { command: 'true', sandbox: 'none' })
  const { error } = (await reply.json()) as { error: { type: string; field: string } }
  t.same([reply.status, error.type, error.field], [400, 'validation_error', 'sandbox'])
  const socket = await service.socket()
  socket.send({ type: 'exec', ref: 'a', command: 'true', sandbox: 'none' })
  t.match(await socket.next((message) => message.ref === 'a'), { type: 'error', error: { field: 'sandbox' } })
  const lower = (await service.exec({ command: 'true', sandbox: 'read-only' })) as ExecRecord
  t.equal(lower.status, 'completed')
})
