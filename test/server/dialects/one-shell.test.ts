import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { DialectAnswer, ExecRecord, NewToken, SessionInfo } from '../../../src/shared/schema/index.ts'
import { newFolder } from '../../support/folders.ts'
import { noSessions, startService, until, wants } from '../../support/helper.ts'
import { type McpResult, modernMessage, post } from '../../support/mcp/raw.ts'

const folder = newFolder(t, 'one-shell')
const service = await startService({
  env: { SHELLPHONE_WORKING_DIRECTORY: folder, SHELLPHONE_MCP_PATIENCE_SECONDS: '0.2' },
})
t.teardown(() => service.stop())
wants(t, await noSessions(service))

async function bash(given: object, token = service.token, query = ''): Promise<DialectAnswer> {
  const response = await service.request(`/exec/anthropic?tool=bash${query}`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  })
  return (await response.json()) as DialectAnswer
}

t.test('bash is one shell for each token, without a session in the call', async (t) => {
  await bash({ command: 'mkdir sub && cd sub && export A=1' })
  const second = await bash({ command: 'pwd; echo "$A"' })
  t.equal(second.output, `${join(folder, 'sub')}\n1`)
  const record = (await (await service.request(`/runs/${second.run_id}`)).json()) as ExecRecord
  t.match(record.session, { name: 'default', cwd: join(folder, 'sub') })
  t.equal(
    (await bash({ command: 'pwd' }, service.token, '&session=own')).output,
    folder,
    'a named session is another one',
  )
  const made = await service.post('/tokens', { name: 'other' })
  const { token } = (await made.json()) as NewToken
  t.equal(
    (await bash({ command: 'pwd; echo "${A-none}"' }, token)).output,
    `${folder}\nnone`,
    'another token has its own',
  )
  await bash({ restart: true })
  t.equal((await bash({ command: 'pwd; echo "${A-none}"' })).output, `${folder}\nnone`, 'a restart begins from nothing')
})

t.test('tools that promise a new shell for each command have no session', async (t) => {
  for (const dialect of ['oneclaw', 'picoclaw', 'nullclaw', 'meka', 'openai/shell']) {
    const given = { command: 'cd /; export B=1' }
    await service.post(
      `/exec/${dialect}`,
      dialect === 'openai/shell' ? { action: { commands: [given.command] } } : given,
    )
  }
  const { sessions } = (await (await service.request('/sessions')).json()) as { sessions: SessionInfo[] }
  t.notOk(sessions.some(({ name, set }) => name === 'default' && set.includes('B')))
  t.equal((await bash({ command: 'pwd' })).output, folder)
})

async function callTool(path: string, name: string, given: object): Promise<McpResult> {
  const { message, headers } = modernMessage('tools/call', { name, arguments: given })
  return (await post(service, message, headers, path)).body.result as unknown as McpResult
}

/** [the path of the endpoint, its tool, the session] */
const endpoints = [
  ['/mcp/anthropic', 'bash', 'default'],
  ['/mcp?session=named', 'exec', 'named'],
] as const
for (const [path, tool, session] of endpoints) {
  t.test(`${path}: a call during a long one ends with an error that names the run`, async (t) => {
    const go = `go-${session}`
    const long = await callTool(path, tool, { command: `until [ -e ${go} ]; do sleep 0.05; done; export LONG=done` })
    const { id, status } = long.structuredContent
    t.match(status, /queued|running/, 'the first call returns a handle')
    const second = await callTool(path, tool, { command: 'echo "$LONG"' })
    t.match(second, {
      isError: true,
      content: [
        { text: `session: ${session} is busy with the run ${id}; wait for its end or cancel it, then try again` },
      ],
      structuredContent: { error_type: 'pool_full' },
    })
    writeFileSync(join(folder, go), '')
    await until(async () => {
      const { structuredContent } = await callTool(path, 'exec_wait', { id })
      return !/queued|running/.test(String(structuredContent.status))
    })
    t.match((await callTool(path, tool, { command: 'echo "$LONG"' })).content[0]!.text, /done/)
  })
}
