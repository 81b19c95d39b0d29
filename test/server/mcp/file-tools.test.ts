import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { contentHash } from '../../../src/server/files/index.ts'
import type { ExecRecord, PendingApproval } from '../../../src/shared/schema/index.ts'
import { watchedService } from '../../support/ask.ts'
import { startService, until } from '../../support/helper.ts'
import { form, type McpResult, modern, modernMessage, post } from '../../support/mcp/raw.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-mcp-files-')))
const service = await startService()
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
interface ListedTool {
  name: string
  description: string
  inputSchema: object
  annotations: object
  outputSchema?: object
}

const at = (name: string) => join(folder, name)
const hashOf = (text: string) => contentHash(Buffer.from(text))
const call = async (name: string, args: object, of = service) =>
  (await modern(of, 'tools/call', { name, arguments: args })).body.result as unknown as McpResult

t.test('offers the tools with hints and schemas, and parts of the list', async (t) => {
  const list = async (path: string, token = service.token) => {
    const { message, headers } = modernMessage('tools/list', {})
    const { body } = await post(service, message, { ...headers, authorization: `Bearer ${token}` }, path)
    return (body.result as { tools: ListedTool[] }).tools
  }
  const names = async (path: string, token?: string) => (await list(path, token)).map(({ name }) => name)
  const files = ['file_read', 'file_write', 'file_edit', 'file_search']
  const all = await names('/mcp')
  t.same(all.slice(-4), files)
  t.same(await names('/mcp?tools=files'), files)
  t.same(await names('/mcp?tools=run'), all.slice(0, -4))
  t.same(await names('/mcp/nullclaw?tools=files'), files)
  t.equal((await service.post('/mcp?tools=other', {})).status, 400)
  const make = async (right: string) => {
    const made = await service.post('/tokens', { name: right, files: right })
    return ((await made.json()) as { token: string }).token
  }
  t.same(await names('/mcp?tools=files', await make('none')), [])
  t.same(await names('/mcp?tools=files', await make('read')), ['file_read', 'file_search'])
  const input = (await list('/mcp')).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  // 1500 tokens (o200k), at the 4.2 characters a token of this list
  t.ok(JSON.stringify(input).length < 6500, `${JSON.stringify(input).length} characters for every agent to read`)
  for (const { name, annotations, outputSchema } of await list('/mcp?tools=files')) {
    const isReading = name === 'file_read' || name === 'file_search'
    t.match(annotations, {
      readOnlyHint: isReading,
      openWorldHint: false,
      ...(!isReading && { destructiveHint: true }),
    })
    t.ok(outputSchema, name)
  }
})

t.test('reads, writes, edits and searches; text and structured content are each complete', async (t) => {
  const path = at('file')
  t.match(await call('file_write', { path, content: 'one\ntwo\n', if_hash: 'none' }), {
    content: [{ text: `created ${path}, 8 bytes, hash ${hashOf('one\ntwo\n')}\n` }],
    structuredContent: { path, created: true, hash: hashOf('one\ntwo\n'), bytes: 8 },
  })
  t.match(await call('file_read', { path, limit: null }), {
    content: [{ text: `     1\tone\n     2\ttwo\n[lines 1 to 2 of 2, lf, hash ${hashOf('one\ntwo\n')}]\n` }],
    structuredContent: { text: '     1\tone\n     2\ttwo\n', lines: 2, next: null, hash: hashOf('one\ntwo\n') },
  })
  t.match(await call('file_read', { path, limit: '1' }), { content: [{ text: /continue with offset 2\]\n$/ }] })
  const edits = [{ old: 'two', new: '2' }]
  t.match(await call('file_edit', { path, edits, if_hash: hashOf('one\ntwo\n') }), {
    content: [{ text: `     1\tone\n     2\t2\n[1 replacement, hash ${hashOf('one\n2\n')}]\n` }],
    structuredContent: { replaced: 1, hash: hashOf('one\n2\n') },
  })
  t.equal(readFileSync(path, 'utf8'), 'one\n2\n')
  t.match(await call('file_search', { path: folder, pattern: '^2$' }), {
    content: [{ text: 'file:2:2\n[1 matching lines in 1 files]\n' }],
    structuredContent: { found: 1, text: 'file:2:2\n' },
  })
  t.match(await call('file_read', { path: folder }), { content: [{ text: 'file\n[directory, 1 names]\n' }] })
  const { runs } = (await (await service.request('/runs?limit=1')).json()) as { runs: ExecRecord[] }
  t.match(runs[0], { via: 'MCP file_read', command: `ls -al '${folder}'`, status: 'completed' })
})

t.test('an error is a tool error with its type', async (t) => {
  const path = at('errors')
  writeFileSync(path, 'a\na\n')
  const rows: [name: string, args: object, type: string, note: RegExp][] = [
    ['file_read', { path: at('missing') }, 'not_found', /no such file/],
    ['file_read', { path: 'relative' }, 'validation_error', /expected an absolute path/],
    ['file_edit', { path, edits: [{ old: 'a', new: 'b' }] }, 'conflict', /found 2 times, at lines 1, 2/],
    [
      'file_edit',
      { path, edits: [{ old: 'a', new: 'b' }], if_hash: hashOf('b') },
      'precondition_failed',
      /a file with the hash/,
    ],
    ['file_write', { path, content: 'x', if_hash: 'none' }, 'precondition_failed', /expected no file/],
    ['file_write', { path: at('new') }, 'validation_error', /content: expected a string/],
    ['file_search', { path: folder, pattern: '(' }, 'validation_error', /does not compile/],
    ['file_read', { path: service.home }, 'forbidden', /./],
  ]
  for (const [name, args, error_type, note] of rows) {
    const result = await call(name, args)
    t.equal(result.isError, true, `${name} ${JSON.stringify(args)}`)
    if (error_type === 'forbidden') t.match(result.structuredContent, { status: 'denied', note })
    else t.match(result.structuredContent, { error_type, note })
  }
  t.equal(readFileSync(path, 'utf8'), 'a\na\n')
})

t.test('a person approves exactly the change that a diff shows', async (t) => {
  const { service: asking, watcher } = await watchedService(t, { SHELLPHONE_MCP_PATIENCE_SECONDS: '240' })
  const path = at('asked')
  const before = 'one\ntwo\nthree\n'
  writeFileSync(path, before)
  const args = { path, edits: [{ old: 'two', new: '2' }] }
  const seen = new Set<string>()
  const asked = async (): Promise<PendingApproval> => {
    const { approval } = await watcher.next(
      (one) => one.type === 'approval_requested' && !seen.has((one.approval as PendingApproval).id),
    )
    seen.add((approval as PendingApproval).id)
    return approval as PendingApproval
  }
  const answer = (id: string, decision: string, more = {}) => asking.post(`/approvals/${id}`, { decision, ...more })

  const first = call('file_edit', args, asking)
  const approval = await asked()
  t.match(approval, {
    command: `sed -i '' '${path}'`,
    stdin: null,
    always: null,
    changes: [{ path, before: hashOf(before), after: hashOf('one\n2\nthree\n'), complete: true }],
  })
  t.match(approval.changes![0]!.diff, /^--- .*\n\+\+\+ .*\n@@ -1,3 \+1,3 @@\n one\n-two\n\+2\n three\n$/)
  t.equal((await answer(approval.id, 'approve', { scope: 'always' })).status, 400, 'no rule can cover it')
  await answer(approval.id, 'approve')
  t.match(await first, { structuredContent: { replaced: 1 } })
  t.equal(readFileSync(path, 'utf8'), 'one\n2\nthree\n')

  writeFileSync(path, before)
  const second = call('file_edit', args, asking)
  const { id } = await asked()
  writeFileSync(path, 'one\ntwo\nfour\n')
  await answer(id, 'approve')
  t.match(await second, {
    isError: true,
    structuredContent: { error_type: 'precondition_failed', note: /changed after the request for approval/ },
  })
  t.equal(readFileSync(path, 'utf8'), 'one\ntwo\nfour\n', 'untouched')

  const third = call('file_write', { path, content: 'new\n' }, asking)
  const { id: denied, changes } = await asked()
  t.match(changes![0]!.diff, /-one\n-two\n-four\n\+new\n$/)
  await answer(denied, 'deny')
  t.match(await third, { isError: true, structuredContent: { status: 'denied' } })
  t.equal(readFileSync(path, 'utf8'), 'one\ntwo\nfour\n')

  const fourth = call('file_edit', { path, edits: [{ old: 'nowhere', new: 'x' }] }, asking)
  t.match(await fourth, { structuredContent: { error_type: 'conflict' } }, 'nobody is asked about what cannot be done')

  const fifth = call('file_write', { path: at('linked'), content: 'x' }, asking)
  const { id: swapped } = await asked()
  symlinkSync('asked', at('linked'))
  await answer(swapped, 'approve')
  t.match(await fifth, { isError: true }, 'a link that appears after the decision')
  unlinkSync(at('linked'))
  t.equal(readFileSync(path, 'utf8'), 'one\ntwo\nfour\n')
})

t.test('asks the user of the client with the diff', async (t) => {
  const { service: asking } = await watchedService(t, { SHELLPHONE_MCP_PATIENCE_SECONDS: '240' })
  const path = at('elicited')
  writeFileSync(path, 'one\n')
  const { body } = await modern(
    asking,
    'tools/call',
    { name: 'file_edit', arguments: { path, edits: [{ old: 'one', new: '1' }] } },
    form,
  )
  const said = JSON.stringify(body.result)
  t.match(said, /changes .*elicited:/)
  t.match(said, /-one\\\\n\+1|-one\\n\+1/)
  const { approvals } = (await (await asking.request('/approvals')).json()) as { approvals: PendingApproval[] }
  await asking.post(`/approvals/${approvals[0]!.id}`, { decision: 'approve' })
  t.ok(await until(() => readFileSync(path, 'utf8') === '1\n'))
})

t.test('a call that waits too long returns a handle, and exec_wait its text', async (t) => {
  const { service: impatient } = await watchedService(t, { SHELLPHONE_MCP_PATIENCE_SECONDS: '0.1' })
  const path = at('late')
  writeFileSync(path, 'one\n')
  const handle = await call('file_edit', { path, edits: [{ old: 'one', new: '1' }] }, impatient)
  const { id, note } = handle.structuredContent
  t.match(note, /(waits for approval until|still running).*exec_wait/, 'on a busy machine the run is not yet judged')
  let approvals: PendingApproval[] = []
  await until(async () => {
    ;({ approvals } = (await (await impatient.request('/approvals')).json()) as { approvals: PendingApproval[] })
    return approvals.length > 0
  })
  await impatient.post(`/approvals/${approvals[0]!.id}`, { decision: 'approve' })
  await until(() => readFileSync(path, 'utf8') === '1\n')
  let ended = await call('exec_wait', { id }, impatient)
  while (ended.structuredContent.status === 'running') ended = await call('exec_wait', { id }, impatient)
  t.match(ended.structuredContent, {
    status: 'completed',
    stdout: `     1\t1\n[1 replacement, hash ${hashOf('1\n')}]\n`,
  })
})
