import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { dialects } from '../../src/server/dialects/index.ts'
import { type McpResult, modernMessage, post } from '../support/mcp/raw.ts'
import { root, type Service, type Socket, startService } from '../support/helper.ts'
import {
  FOLDER,
  type Reply,
  type Seam,
  seams,
  type Sentence,
  type ServiceName,
} from '../server/dialects/sentences/sentence.ts'

const sentencesOf = async (name: string): Promise<Sentence[]> =>
  (await import(`../server/dialects/sentences/${name}.ts`)).sentences
const table = await Promise.all(dialects.map(async ({ name, tool }) => ({ name, tool, rows: await sentencesOf(name) })))

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(join(FOLDER, 'sub'), { recursive: true })
writeFileSync(join(FOLDER, 'file.txt'), 'content\n')
writeFileSync(join(FOLDER, 'long.txt'), 'x'.repeat(5000))
symlinkSync('/etc', join(FOLDER, 'link'))
spawnSync('mkfifo', [join(FOLDER, 'fifo')])
const shell = join(FOLDER, 'bin', 'sh')
mkdirSync(join(FOLDER, 'bin'))
symlinkSync('/bin/sh', shell)
t.teardown(() => rmSync(FOLDER, { recursive: true, force: true }))

const common = {
  SHELLPHONE_WORKING_DIRECTORY: FOLDER,
  SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0',
  SHELLPHONE_KILL_GRACE_SECONDS: '60',
  SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '100000',
  SENTENCE_PLAIN: 'inherited',
  SENTENCE_API_KEY: 'sk-secret',
  OPENAI_API_KEY: 'sk-secret',
  ...{ LANG: 'a', LC_ALL: 'b', LC_CTYPE: 'c', USER: 'd', SHELL: '/e', TMPDIR: '/tmp' },
}
const settings: Record<ServiceName, Record<string, string>> = {
  plain: {},
  tight: {
    SHELLPHONE_DIALECTS_PICOCLAW_RESTRICT_TO_WORKSPACE: 'true',
    SHELLPHONE_DIALECTS_PICOCLAW_TIMEOUT_SECONDS: '1',
    SHELLPHONE_DIALECTS_PICOCLAW_CUSTOM_DENY_PATTERNS: '["\\\\bmycriticalcmd\\\\b","\\\\bdangerous-operation\\\\b"]',
    SHELLPHONE_DIALECTS_PICOCLAW_CUSTOM_ALLOW_PATTERNS: '["^chmod 600 file","^echo"]',
    SHELLPHONE_DIALECTS_NULLCLAW_ALLOWED_COMMANDS: 'git,ls,cat,grep',
    SHELLPHONE_DIALECTS_NULLCLAW_ALLOWED_PATHS: '/usr',
    SHELLPHONE_DIALECTS_NULLCLAW_TIMEOUT_NS: '500000000',
    SHELLPHONE_DIALECTS_NULLCLAW_MAX_OUTPUT_BYTES: '1000',
    SHELLPHONE_DIALECTS_MEKA_PERMISSION: 'write',
  },
  loose: {
    SHELLPHONE_DIALECTS_PICOCLAW_ENABLE_DENY_PATTERNS: 'false',
    SHELLPHONE_DIALECTS_NULLCLAW_POLICY: 'false',
    SHELLPHONE_DIALECTS_MEKA_SANDBOX: 'false',
  },
  shellless: { SHELLPHONE_SHELL: shell },
}

const services = Object.fromEntries(
  await Promise.all(
    Object.entries(settings).map(async ([name, env]) => [name, await startService({ env: { ...common, ...env } })]),
  ),
) as Record<ServiceName, Service>
rmSync(shell)
const sockets = Object.fromEntries(
  await Promise.all(Object.entries(services).map(async ([name, service]) => [name, await service.socket()])),
) as Record<ServiceName, Socket>
t.teardown(() => Promise.all(Object.values(services).map((service) => service.stop())))

let calls = 0

/** How each seam calls a tool and reads its reply. */
const through: Record<Seam, (at: ServiceName, dialect: string, tool: string, given: object) => Promise<Reply>> = {
  http: async (at, dialect, _tool, given) =>
    (await (await services[at].post(`/exec/${dialect}`, given)).json()) as Reply,
  ws: async (at, dialect, _tool, given) =>
    (await sockets[at].exec(`call${calls++}`, { dialect, arguments: given })) as unknown as Reply,
  mcp: async (at, dialect, name, given) => {
    const { message, headers } = modernMessage('tools/call', { name, arguments: given })
    const { body } = await post(services[at], message, headers, `/mcp/${dialect}`)
    const { structuredContent, isError, content } = body.result as unknown as McpResult
    const { id: _, ...structured } = structuredContent
    return { ...structured, is_error: isError === true, output: content[0]!.text } as Reply
  },
}

for (const seam of seams) {
  t.test(`${seam}: every sentence`, async (t) => {
    const ofDialect = async ({ name, tool, rows }: (typeof table)[number]) => {
      for (const { says, call } of rows) {
        if (call) t.match(await through[seam](call.in, name, tool, call.arguments), call.reply, `${name}: ${says}`)
      }
    }
    await Promise.all(table.map(ofDialect))
  })
}

t.test('a timeout that SIGTERM does not end is over within the second, whatever kill_grace_seconds is', async (t) => {
  const command = 'trap "" TERM; echo up; sleep 60; sleep 60'
  const { status, signal, duration_ms } = await services.plain.exec({ command, timeout_seconds: 1 })
  t.same([status, signal], ['timed_out', 'SIGKILL'])
  t.ok(duration_ms < 60_000, 'the grace of 60 s has not passed')
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
  t.same(files.toSorted(), ['sentence', ...dialects.map(({ name }) => name)].toSorted())
  for (const { name, rows } of table) {
    t.equal(new Set(rows.map(({ says, call }) => `${says} ${JSON.stringify(call)}`)).size, rows.length, name)
  }
})
