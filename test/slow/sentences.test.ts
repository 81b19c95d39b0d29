import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dialects } from '../../src/server/dialects/index.ts'
import { type McpResult, modernMessage, post } from '../support/mcp/raw.ts'
import { sseEvents } from '../support/sse.ts'
import { noSandbox, root, type Service, type Socket, startService } from '../support/helper.ts'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import {
  FOLDER,
  type Reply,
  type Seam,
  seams,
  type Sentence,
  type ServiceName,
} from '../server/dialects/sentences/sentence.ts'

const fileOf = (name: string) => name.replace('/', '-')
const sentencesOf = async (name: string): Promise<Sentence[]> =>
  (await import(`../server/dialects/sentences/${fileOf(name)}.ts`)).sentences
const table = await Promise.all(dialects.map(async ({ name, tool }) => ({ name, tool, rows: await sentencesOf(name) })))

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(join(FOLDER, 'sub'), { recursive: true })
writeFileSync(join(FOLDER, 'file.txt'), 'content\n')
writeFileSync(join(FOLDER, 'long.txt'), 'x'.repeat(5000))
symlinkSync('/etc', join(FOLDER, 'link'))
spawnSync('mkfifo', [join(FOLDER, 'fifo')])
mkdirSync(join(FOLDER, 'bin'))
/** the shell of one service, which is missing when the calls are made */
const shell = join(FOLDER, 'bin', 'sh')
t.teardown(() => rmSync(FOLDER, { recursive: true, force: true }))

const inFolder = { SHELLPHONE_WORKING_DIRECTORY: FOLDER }
const common = {
  SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0',
  SHELLPHONE_KILL_GRACE_SECONDS: '60',
  SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '100000',
  SENTENCE_PLAIN: 'inherited',
  SENTENCE_API_KEY: 'sk-secret',
  OPENAI_API_KEY: 'sk-secret',
  ...{ LANG: 'a', LC_ALL: 'b', LC_CTYPE: 'c', USER: 'd', SHELL: '/e', TMPDIR: '/tmp' },
}
const settings: Record<ServiceName, Record<string, string>> = {
  plain: inFolder,
  sandboxed: inFolder,
  tight: {
    ...inFolder,
    SHELLPHONE_DIALECTS_PICOCLAW_RESTRICT_TO_WORKSPACE: 'true',
    SHELLPHONE_DIALECTS_PICOCLAW_TIMEOUT_SECONDS: '1',
    SHELLPHONE_DIALECTS_PICOCLAW_CUSTOM_DENY_PATTERNS: '["\\\\bmycriticalcmd\\\\b","\\\\bdangerous-operation\\\\b"]',
    SHELLPHONE_DIALECTS_PICOCLAW_CUSTOM_ALLOW_PATTERNS: '["^chmod 600 file","^echo"]',
    SHELLPHONE_DIALECTS_NULLCLAW_ALLOWED_COMMANDS: 'git,ls,cat,grep',
    SHELLPHONE_DIALECTS_NULLCLAW_ALLOWED_PATHS: '/usr',
    SHELLPHONE_DIALECTS_NULLCLAW_TIMEOUT_NS: '500000000',
    SHELLPHONE_DIALECTS_NULLCLAW_MAX_OUTPUT_BYTES: '1000',
    SHELLPHONE_DIALECTS_MEKA_PERMISSION: 'write',
    SHELLPHONE_DIALECTS_ANTHROPIC_TIMEOUT_SECONDS: '1',
    SHELLPHONE_DIALECTS_OPENAI_TIMEOUT_MS: '1000',
  },
  loose: {
    ...inFolder,
    SHELLPHONE_DIALECTS_PICOCLAW_TIMEOUT_SECONDS: '0',
    SHELLPHONE_DIALECTS_PICOCLAW_ENABLE_DENY_PATTERNS: 'false',
    SHELLPHONE_DIALECTS_NULLCLAW_POLICY: 'false',
    SHELLPHONE_DIALECTS_MEKA_SANDBOX: 'false',
  },
  full: { SHELLPHONE_DIALECTS_NULLCLAW_AUTONOMY: 'full', SHELLPHONE_DIALECTS_NULLCLAW_WORKSPACE_DIR: FOLDER },
  lenient: {
    ...inFolder,
    SHELLPHONE_DIALECTS_NULLCLAW_REQUIRE_APPROVAL_FOR_MEDIUM_RISK: 'false',
    SHELLPHONE_DIALECTS_NULLCLAW_BLOCK_HIGH_RISK_COMMANDS: 'false',
  },
  shellless: { ...inFolder, SHELLPHONE_SHELL: shell },
}

/** Starts all services with these further variables. */
async function start(more: Record<string, string> = {}): Promise<Record<ServiceName, Service>> {
  const started = Object.entries(settings).map(async ([name, env]) => {
    const service = await startService({ env: { ...common, ...env, ...more } })
    t.teardown(() => service.stop())
    return [name, service] as const
  })
  return Object.fromEntries(await Promise.all(started)) as Record<ServiceName, Service>
}

symlinkSync('/bin/sh', shell)
const services = await start()
rmSync(shell)
const sockets = Object.fromEntries(
  await Promise.all(Object.entries(services).map(async ([name, service]) => [name, await service.socket()])),
) as Record<ServiceName, Socket>

const noReadOnly = await noSandbox(services.sandboxed, 'read-only')
if (noReadOnly !== null) {
  t.comment(noReadOnly)
  for (const one of table) one.rows = one.rows.filter(({ call }) => call?.in !== 'sandboxed')
}

let calls = 0

/** The path of a tool. */
function pathOf(name: string): string {
  const [dialect, tool] = name.split('/')
  return `/exec/${dialect}${tool === undefined ? '' : `?tool=${tool}`}`
}

async function callMcp(service: Service, dialect: string, name: string, given: object): Promise<McpResult> {
  const { message, headers } = modernMessage('tools/call', { name, arguments: given })
  const { body } = await post(service, message, headers, `/mcp/${dialect.split('/')[0]}`)
  return body.result as unknown as McpResult
}

type Call = Required<Sentence>['call']

/** A reply, and whether it names a run. */
type Received = Reply & { run_id: string | null }

function fromMcp({ structuredContent, isError, content }: McpResult): Received {
  const { id = null, ...structured } = structuredContent
  return { ...structured, run_id: id, is_error: isError === true, output: content[0]!.text } as Received
}

/** How each seam calls a tool and reads its reply. */
const through: Record<Seam, (at: ServiceName, dialect: string, tool: string, given: object) => Promise<Received>> = {
  http: async (at, dialect, _tool, given) =>
    (await (await services[at].post(pathOf(dialect), given)).json()) as Received,
  ws: async (at, dialect, _tool, given) =>
    (await sockets[at].exec(`call${calls++}`, { dialect, arguments: given })) as unknown as Received,
  sse: async (at, dialect, _tool, given) => {
    const response = await services[at].post(pathOf(dialect), given, { accept: 'text/event-stream' })
    if (response.headers.get('content-type')?.startsWith('application/json')) {
      const reply = (await response.json()) as Received
      if (reply.run_id !== null) throw new Error('expected events of the run, got JSON')
      return reply
    }
    let last: unknown
    for await (const { data } of sseEvents(response)) last = data
    return last as Received
  },
  mcp: async (at, dialect, name, given) => fromMcp(await callMcp(services[at], dialect, name, given)),
}

/** Compares a reply, and the record of its run, with the row. A reply has an `error_type` only if the row names it. */
async function compare(
  t: Test,
  at: Record<ServiceName, Service>,
  { run_id, ...reply }: Received,
  { reply: { noRun, ...expected }, record, in: service }: Call,
  name: string,
): Promise<void> {
  t.match({ error_type: undefined, ...reply }, { error_type: undefined, ...expected }, name)
  t.equal(typeof run_id, noRun === undefined ? 'string' : 'object', `${name}: ${noRun ?? 'a run begins'}`)
  if (record === undefined) return
  const stored = (await (await at[service].request(`/runs/${run_id}`)).json()) as ExecRecord
  t.match(stored, record, `${name}: the record`)
  t.ok(stored.duration_ms < 60_000, `${name}: the grace of 60 s of the other commands has not passed`)
}

for (const seam of seams) {
  t.test(`${seam}: every sentence`, async (t) => {
    const ofDialect = async ({ name, tool, rows }: (typeof table)[number]) => {
      for (const { says, call } of rows) {
        if (!call) continue
        const received = await through[seam](call.in, name, tool, call.arguments)
        await compare(t, services, received, call, `${name}: ${says}`)
      }
    }
    await Promise.all(table.map(ofDialect))
  })
}

/** More connections at once could exceed the limit on those that have not authenticated yet. */
const MAX_CONNECTIONS = 8

/** Occupies the only slot of a service. The returned function frees it. */
async function occupy(service: Service): Promise<() => void> {
  const socket = await service.socket()
  socket.send({ type: 'exec', ref: 'slot', command: 'read line', stdin: 'open' })
  const { id } = await socket.next(({ type, status }) => type === 'status' && status === 'running')
  return () => socket.send({ type: 'stdin', id, end: true })
}

async function waitedFor(service: Service, dialect: string, id: string | null): Promise<Received> {
  let result: McpResult
  do result = await callMcp(service, dialect, 'exec_wait', { id })
  while (/^(queued|running)$/.test(String(result.structuredContent?.status)))
  return fromMcp(result)
}

t.test('mcp beyond patience: exec_wait returns the reply of every sentence with a run', async (t) => {
  symlinkSync('/bin/sh', shell)
  const late = await start({
    SHELLPHONE_MCP_PATIENCE_SECONDS: '0.1',
    SHELLPHONE_MAX_RUNNING: '1',
    SHELLPHONE_MAX_QUEUED: '1000',
    SHELLPHONE_MAX_QUEUE_WAIT_SECONDS: '3600',
  })
  const free = await Promise.all(Object.values(late).map(occupy))
  rmSync(shell)
  const rows = table.flatMap(({ name, tool, rows }) =>
    rows.flatMap(({ says, call }) => (call && call.reply.noRun === undefined ? [{ name, tool, says, call }] : [])),
  )
  const ids: (string | null)[] = []
  for (let at = 0; at < rows.length; at += MAX_CONNECTIONS) {
    const begin = async ({ name, tool, says, call }: (typeof rows)[number], index: number) => {
      // commands of one session would wait for each other
      const endpoint = name === 'anthropic/bash' ? `anthropic?session=s${at + index}` : name
      const { run_id, ...first } = fromMcp(await callMcp(late[call.in], endpoint, tool, call.arguments))
      // a step on files needs no slot, so it may end within the patience of the call
      const isStep = tool === 'str_replace_based_edit_tool' || tool === 'apply_patch'
      const hasEnded = call.reply.error_type === 'forbidden' || (isStep && !('status' in first))
      t.match(
        first,
        hasEnded ? call.reply : { status: isStep ? /^(queued|running)$/ : 'queued' },
        `${name}: ${says}: the first reply`,
      )
      return run_id
    }
    ids.push(...(await Promise.all(rows.slice(at, at + MAX_CONNECTIONS).map(begin))))
  }
  for (const one of free) one()
  for (const [at, { name, says, call }] of rows.entries()) {
    await compare(t, late, await waitedFor(late[call.in], name, ids[at]!), call, `${name}: ${says}`)
  }
})

t.test('each sentence that another test shows names that test', async (t) => {
  for (const { rows } of table) {
    for (const { says, call, shownBy } of rows) {
      t.not(call === undefined, shownBy === undefined, says)
      if (shownBy)
        t.ok(readFileSync(join(root, 'test', shownBy[0]), 'utf8').includes(shownBy[1]), `${says}: ${shownBy}`)
    }
  }
})

t.test('the README gives the reason for each deliberate difference, and for no other', async (t) => {
  const readme = readFileSync(join(root, 'src/server/dialects/README.md'), 'utf8')
  const [, section = ''] = /\n## Deliberate differences\n(.*?)\n## /s.exec(readme) ?? []
  const listed = [...section.matchAll(/^\| \*\*(.+?)\*\* +\|/gm)].map(([, name]) => name)
  const used = table.flatMap(({ rows }) => rows.flatMap(({ differs }) => differs ?? []))
  t.same(listed.toSorted(), [...new Set(used)].toSorted())
})

t.test('every file of sentences belongs to a dialect, and no sentence occurs twice in it', async (t) => {
  const files = readdirSync(new URL('../server/dialects/sentences/', import.meta.url)).map((file) =>
    file.replace(/\.ts$/, ''),
  )
  t.same(files.toSorted(), ['sentence', ...dialects.map(({ name }) => fileOf(name))].toSorted())
  for (const { name, rows } of table) {
    t.equal(new Set(rows.map(({ says, call }) => `${says} ${JSON.stringify(call)}`)).size, rows.length, name)
  }
})
