import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import {
  canonicalText,
  type Dialect,
  type DialectRequest,
  dialectsByName,
  dialects,
  type Ended,
  findDialect,
  type ToolResult,
  settingsOf,
  type DialectWorld,
  type FileStep,
  type Refusal,
} from '../../../src/server/dialects/index.ts'
import { tierOf } from '../../../src/server/policy/index.ts'
import type { Promises } from './promises/example.ts'
import { unicode } from '../../support/unicode.ts'

const fileOf = (name: string) => name.replace('/', '-')

/** The promises of each tool are in test/server/dialects/promises, in the file with its name. */
const promisesOf = async (name: string): Promise<Promises> => (await import(`./promises/${fileOf(name)}.ts`)).promises
const promised = await Promise.all(dialects.map(async (dialect) => ({ dialect, ...(await promisesOf(dialect.name)) })))

const folders = ['/', '/home/user', '/workspace', '/workspace/src', '/workspace-other', '/data', '/etc', '/world']
const links: Record<string, string> = { '/workspace/link': '/etc', '/world/link': '/etc', '/workspace/../etc': '/etc' }
const real = new Map([...folders, '/home', '/worlds', '/world/sub'].map((path) => [path, path]))

const world: DialectWorld = {
  home: '/home/user',
  settings: { working_directory: '/home/user' },
  realpath: (path) => links[path] ?? real.get(path) ?? null,
  user: 'user',
  noReadOnlySandbox: null,
  tierOf,
}

/** A success without output, except for the fields that the example sets. */
const ended = ({ stdout = '', stderr = '', ...result }: Partial<Ended>, command: string): Ended => ({
  id: '01HXYZABCDEF',
  status: 'completed',
  exit_code: 0,
  signal: null,
  stdout,
  stderr,
  stdout_bytes: Buffer.byteLength(stdout),
  stderr_bytes: Buffer.byteLength(stderr),
  givenBytes: { stdout: Buffer.byteLength(stdout), stderr: Buffer.byteLength(stderr) },
  storedBytes: {
    stdout: result.stdout_bytes ?? Buffer.byteLength(stdout),
    stderr: result.stderr_bytes ?? Buffer.byteLength(stderr),
  },
  command,
  working_directory: '/home/user',
  timeout_seconds: 30,
  duration_ms: 4,
  started_at: '2026-03-01T12:00:00.000Z',
  artifacts: [],
  decision: { verdict: 'allow', rule: null, reason: null },
  ...result,
})

const requestOf = (dialect: Dialect, given: unknown, settings: Record<string, unknown>, place = world) => {
  const answer = dialect.toRequest(given, settingsOf(dialect, settings), place)
  const none = {
    request: undefined,
    following: undefined,
    file: undefined,
    refusal: undefined,
    code: undefined,
  }
  return { ...none, ...answer } as Partial<{ request: DialectRequest } & { following: DialectRequest[] }> &
    Partial<{ file: FileStep; output: string }> &
    Partial<Refusal>
}

const picked = (request: DialectRequest | undefined, wanted: Partial<DialectRequest>) =>
  request && Object.fromEntries(Object.keys(wanted).map((key) => [key, request[key as keyof DialectRequest]]))

for (const { dialect, examples } of promised) {
  t.test(`${dialect.name}: every example`, async (t) => {
    for (const example of examples) {
      const { expect, settings = {}, result } = example
      const answer = requestOf(dialect, example.arguments, settings, { ...world, ...example.world })
      t.equal(answer.refusal, expect.refusal, example.name)
      t.equal(answer.code, expect.code, `${example.name}: code`)
      if (expect.request) t.same(picked(answer.request, expect.request), expect.request, `${example.name}: request`)
      if (expect.file) t.match(answer.file, expect.file, `${example.name}: step`)
      if (expect.following) {
        const commands = answer.following?.map(({ command }) => command)
        t.same(commands, expect.following, `${example.name}: following`)
      }
      t.equal(answer.output, expect.endsSession, `${example.name}: ends the session`)
      if (!result) continue
      const told: ToolResult = 'problem' in result ? result : { ended: ended(result, answer.request?.command ?? '') }
      const text = dialect.toText(told, example.arguments, settingsOf(dialect, settings), world)
      if (expect.output !== undefined) t.equal(text.output, expect.output, `${example.name}: output`)
      if (expect.is_error !== undefined) t.equal(text.is_error, expect.is_error, `${example.name}: is_error`)
    }
  })
}

t.test('every example has expectations and a unique name', async (t) => {
  for (const { dialect, examples } of promised) {
    const { name } = dialect
    const idle = examples.filter(({ expect }) => Object.values(expect).every((wanted) => wanted === undefined))
    t.same(idle, [], name)
    t.equal(new Set(examples.map((example) => example.name)).size, examples.length, `${name}: names`)
  }
})

t.test('every file of promises belongs to a dialect in the list', async (t) => {
  const stems = readdirSync(new URL('./promises/', import.meta.url)).map((file) => file.replace(/\.ts$/, ''))
  const known = (stem: string) =>
    dialects.some(({ name }) => stem === fileOf(name) || stem.startsWith(`${fileOf(name)}-`))
  t.same(
    stems.filter((stem) => !known(stem)),
    ['example'],
  )
})

t.test("names, tools and parameters match the agents' own and are valid in a tool list", async (t) => {
  for (const { dialect, tool, parameters } of promised) {
    const { name, description } = dialect
    const schema = JSON.parse(JSON.stringify(dialect.parameters))
    const rows = Object.entries<{ type: string; default?: unknown; description: string }>(schema.properties)
    t.equal(dialect.tool, tool, name)
    t.same(
      rows.map(([field, row]) => [field, row.type, row.default, schema.required?.includes(field) === true]),
      parameters,
      name,
    )
    t.ok(description && rows.every(([, row]) => row.description), `${name}: described`)
    t.equal(dialectsByName.get(name), dialect)
  }
  t.equal(dialectsByName.get('bash'), undefined)
  t.throws(() => findDialect('anthropic'), {
    message: /^tool: expected one of bash, str_replace_based_edit_tool, got nothing$/,
  })
  t.throws(() => findDialect('anthropic/zsh'), { message: /, got zsh$/ })
  t.throws(() => findDialect('claude/bash'), { code: 'NOT_FOUND' })
})

t.test('settings have the keys of the agents, each with a description', async (t) => {
  for (const { dialect, settings } of promised) {
    t.same(settingsOf(dialect), settings, dialect.name)
    for (const row of dialect.settings) t.ok(row.meaning && row.schema.type, `${dialect.name}.${row.name}`)
  }
})

/** The words that a command receives from the shell for this script, each followed by NUL. */
const wordsOf = ([shell = '', ...applet]: string[], script: string): string[] =>
  spawnSync(shell, [...applet, '-c', script], { encoding: 'utf8', maxBuffer: 1 << 24 })
    .stdout.split('\0')
    .slice(0, -1)

/** Every shell on this machine that `sh` may be. */
const shells = [['/bin/sh'], ['/bin/dash'], ['/bin/bash', '--norc'], ['/bin/mksh'], ['/bin/busybox', 'sh']].filter(
  ([path]) => existsSync(path!),
)

t.test('agent-world: a real shell receives each parameter as exactly one literal word', async (t) => {
  const agentWorld = dialectsByName.get('agent-world')!
  const word = fc.oneof(
    unicode(10),
    fc.constantFrom("it's", '(x)', 'a|b', '#x', '', '$HOME', '*', '~', '\\', '"', "'", '!', 'a\n', '{a,b}', '-n', '%s'),
    fc.stringMatching(/^[ -~\n\t]*$/),
  )
  const tried = { words: 0 }
  const property = fc.property(fc.array(word, { minLength: 15, maxLength: 40 }), (list) => {
    const parameters = [
      '%s\\0',
      ...list.filter((token) => !token.includes('\0') && Buffer.from(token).toString() === token),
    ]
    const { request } = requestOf(agentWorld, { command: 'printf', parameters }, {})
    if (!request) return
    tried.words += parameters.length - 1
    if (parameters.length > 1) {
      const heard = shells.map((shell) => [shell.join(' '), wordsOf(shell, request.command)])
      t.same(
        heard,
        shells.map((shell) => [shell.join(' '), parameters.slice(1)]),
      )
    }
  })
  fc.assert(property, { numRuns: 30 })
  t.ok(tried.words > 300, `${tried.words} words`)
})

t.test('for any input, a dialect returns a valid request or a refusal and never throws', async (t) => {
  const field = fc.constantFrom(...promised.flatMap(({ parameters }) => parameters.map(([name]) => name)))
  const given = fc.oneof(fc.anything(), fc.dictionary(field, fc.oneof(fc.anything(), fc.string(), fc.constant('ls'))))
  const property = fc.property(given, (sent) => {
    for (const dialect of dialects) {
      const { request, refusal, file, output } = requestOf(dialect, sent, {})
      if (request ? typeof request.command !== 'string' || !request.command.trim() : !(refusal ?? file ?? output))
        return false
      const text = dialect.toText({ ended: ended({}, 'ls') }, sent, settingsOf(dialect), world)
      if (typeof text.output !== 'string' || text.is_error) return false
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }))
})

t.test('POST /exec returns the canonical text', async (t) => {
  t.equal(canonicalText(ended({ stdout: 'a' }, 'x')), '[Exit Code: 0]\na')
  const oneclaw = dialectsByName.get('oneclaw')!
  const property = fc.property(fc.string(), fc.string(), fc.integer({ min: 0, max: 255 }), (stdout, stderr, code) => {
    const run = ended({ stdout, stderr, exit_code: code, status: code === 0 ? 'completed' : 'failed' }, 'x')
    const { output, is_error } = oneclaw.toText({ ended: run }, {}, {}, world)
    const first = `[Exit Code: ${code}]\n`
    return !is_error && output === canonicalText(run) && output.startsWith(first + stdout) && output.endsWith(stderr)
  })
  t.doesNotThrow(() => fc.assert(property))
})
