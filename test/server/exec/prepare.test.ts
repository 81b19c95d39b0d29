import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { settingsSchema } from '../../../src/server/config/index.ts'
import { baseEnvironment, checkAdditions, type EnvironmentSource } from '../../../src/server/exec/environment.ts'
import { nameRows, rowOf } from '../../../src/server/exec/secret-names.ts'
import { begunRecord } from '../../../src/server/exec/record.ts'
import { Run } from '../../../src/server/exec/run.ts'
import { shorten } from '../../../src/server/exec/shorten.ts'
import { toCommand } from '../../../src/server/exec/to-command.ts'
import { check, type Collected, OWNER, settingRows } from '../../../src/shared/schema/index.ts'
import type { RunKey } from '../../../src/server/store/index.ts'
import { Spool } from '../../../src/server/store/spool.ts'

const source = (given: Partial<EnvironmentSource>): EnvironmentSource => ({
  mode: 'filtered',
  service: {},
  keep: [],
  preload: null,
  ...given,
})

t.test('sets the environment of commands', async (t) => {
  const service = {
    HOME: '/h',
    EDITOR: 'vi',
    OPENAI_API_KEY: 'k',
    GITHUB_TOKEN: 't',
    DB_PASSWORD: 'p',
    SHELLPHONE_TOKEN: 's',
    SHELLPHONE_PORT: '1',
    EXEC_MARK: 'm',
    BOOTCLASSPATH: 'null',
    EMPTY: '',
    KEYBOARD: 'de',
  }
  const cases: [string, Partial<EnvironmentSource>, Record<string, string | undefined>][] = [
    [
      'filtered drops secrets and keeps the rest',
      {},
      {
        HOME: '/h',
        EDITOR: 'vi',
        KEYBOARD: 'de',
        OPENAI_API_KEY: undefined,
        GITHUB_TOKEN: undefined,
        DB_PASSWORD: undefined,
      },
    ],
    ['minimal is the allowlist', { mode: 'minimal' }, { HOME: '/h', EDITOR: undefined, OPENAI_API_KEY: undefined }],
    ['full is all', { mode: 'full' }, { HOME: '/h', OPENAI_API_KEY: 'k', GITHUB_TOKEN: 't' }],
    [
      'ours never, in any mode',
      { mode: 'full' },
      { SHELLPHONE_TOKEN: undefined, SHELLPHONE_PORT: undefined, EXEC_MARK: undefined },
    ],
    [
      'ours never, though kept',
      { keep: ['SHELLPHONE_TOKEN', 'GITHUB_TOKEN'] },
      { SHELLPHONE_TOKEN: undefined, GITHUB_TOKEN: 't' },
    ],
    ['empty and "null" are dropped', { mode: 'full' }, { BOOTCLASSPATH: undefined, EMPTY: undefined }],
    [
      'hints for a life without a terminal',
      {},
      { GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', DEBIAN_FRONTEND: 'noninteractive', TERM: 'dumb' },
    ],
    ['TERM only where none is set', { service: { TERM: 'xterm' } }, { TERM: 'xterm' }],
    ['LD_PRELOAD is added where it is missing', { preload: '/p.so' }, { LD_PRELOAD: '/p.so' }],
    [
      'LD_PRELOAD is kept where it is set',
      { preload: '/p.so', service: { LD_PRELOAD: '/q.so' } },
      { LD_PRELOAD: '/q.so' },
    ],
  ]
  for (const [name, given, expected] of cases) {
    const base = baseEnvironment(source({ service, ...given }))
    for (const [key, value] of Object.entries(expected)) t.equal(base[key], value, `${name}: ${key}`)
  }
})

t.test('every row of secret names withholds or keeps its examples, with a reason', async (t) => {
  for (const row of nameRows) {
    const { verdict, reason, match, notMatch } = row
    t.ok(reason && match.length > 0 && notMatch.length > 0, `${verdict}: ${reason}`)
    const service = Object.fromEntries([...match, ...notMatch].map((name) => [name, 'x']))
    const filtered = baseEnvironment(source({ service }))
    for (const name of match) {
      t.equal(rowOf(name), row, name)
      t.equal(filtered[name], verdict === 'keep' ? 'x' : undefined, `${name}: ${verdict}`)
      t.equal(baseEnvironment(source({ service, keep: [name] }))[name], 'x', `${name}: kept by its owner`)
    }
    for (const name of notMatch) t.not(rowOf(name), row, name)
  }
})

t.test('rejects variables that can hijack the shell', async (t) => {
  const refused = [
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'BASH_ENV',
    'ENV',
    'NODE_OPTIONS',
    'IFS',
    'PS4',
    'SHELLOPTS',
    'PREFIX',
    'TERMUX_EXEC__PROC_SELF_EXE',
    'EXEC_MARK',
    'SHELLPHONE_TOKEN',
    'BASH_FUNC_x',
    'A-B',
    '1A',
    '',
  ]
  for (const name of refused) {
    t.throws(() => checkAdditions({ [name]: 'x' }), new RegExp(`env.${name}: `), name || '(empty)')
  }
  t.throws(() => checkAdditions({ A: 'x\0y' }), /NUL/)
  t.throws(() => checkAdditions({ A: 'x'.repeat(140_000) }), /at most 131000 bytes/)
  t.throws(
    () => checkAdditions(Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`A${i}`, 'x'.repeat(100_000)]))),
    /in total/,
  )
  t.doesNotThrow(() => checkAdditions({ FOO: 'bar', PATH: '/bin', GIT_DIR: '.' }))
})

const schema = settingsSchema({ platform: 'linux', home: '/home/me', prefix: undefined })
const rows = settingRows(schema)
const defaults = check(schema, Object.fromEntries(rows.map((row) => [row.name, row.default])))

/** The values that fill in a request. */
const settingsIn = (folder: string) => ({
  settings: { ...defaults, working_directory: folder },
  home: folder,
  baseEnvironment: { A: '1' },
  serviceEnvironment: {},
  realpath: (path: string) => path,
  sandboxes: { available: [], by: null, reason: 'none here' },
  policy: { workspace_dir: null },
  hidden: [],
  hasLauncher: true,
})

t.test('converts a request to a command', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-prepare-'))
  writeFileSync(join(folder, 'file'), '')
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = settingsIn(folder)
  const command = toCommand({ command: 'true', env: { B: '2' } }, settings)
  t.match(command, {
    cwd: folder,
    timeoutMs: 30_000,
    maxLength: 50_000,
    env: { A: '1', B: '2' },
    notes: [],
  })
  t.same(toCommand({ command: 'true', timeout_seconds: 1e9 }, settings).notes, [
    { code: 'LOWERED', text: 'timeout_seconds 1000000000 is above the maximum of 120 and was lowered to it' },
  ])
  t.equal(toCommand({ command: 'true', background: true }, settings).timeoutMs, 86_400_000)
  t.equal(toCommand({ command: 'true', working_directory: '~' }, settings).cwd, folder)
  for (const missing of ['/no/such', `${folder}/file`, `${folder}/file/x`, 'no-such', 'x'.repeat(5000)]) {
    t.throws(() => toCommand({ command: 'true', working_directory: missing }, settings), {
      message: `Working directory does not exist: ${resolve(folder, missing)}`,
    })
  }
  for (const blank of ['', ' ', '\n\t']) {
    t.throws(() => toCommand({ command: blank }, settings), {
      message: "Parameter 'command' is required and cannot be empty",
    })
  }
})

const kept = (text: string | Buffer, headBytes = Number.POSITIVE_INFINITY): Collected => {
  const all = Buffer.from(text)
  const head = all.subarray(0, headBytes)
  const tail = all.subarray(Math.max(head.length, all.length - headBytes))
  return { bytes: all.length, lines: all.filter((byte) => byte === 10).length, head, tail }
}
const shortened = (stdout: Collected, stderr: Collected, maxLength: number) =>
  shorten({ stdout, stderr }, maxLength, 'utf8', (stream) => `see ${stream}`)

t.test('shortens output at line boundaries, keeps head and tail, and counts the rest', async (t) => {
  const lines = Array.from({ length: 1000 }, (_, i) => `${i + 1}\n`).join('')
  const cases: [string, Collected, Collected, number, { stdout: string; stderr?: string }][] = [
    ['what fits is whole', kept('abc\n'), kept('e'), 5, { stdout: 'abc\n', stderr: 'e' }],
    [
      'head and tail',
      kept(lines),
      kept(''),
      20,
      { stdout: '1\n2\n3\n4\n5\n[... 993 lines, 3874 bytes left out; see stdout ...]\n999\n1000\n' },
    ],
    [
      'both share',
      kept(lines),
      kept('err\n'),
      14,
      { stdout: '1\n2\n[... 997 lines, 3884 bytes left out; see stdout ...]\n1000\n', stderr: 'err\n' },
    ],
    [
      'one line alone',
      kept('x'.repeat(100)),
      kept(''),
      10,
      { stdout: 'xxxxx\n[... 0 lines, 90 bytes left out; see stdout ...]\nxxxxx' },
    ],
    [
      'no character is cut',
      kept('€'.repeat(100)),
      kept(''),
      3,
      { stdout: '€€\n[... 0 lines, 291 bytes left out; see stdout ...]\n€' },
    ],
    [
      'nor a pair of surrogates',
      kept('😀'.repeat(9)),
      kept(''),
      5,
      { stdout: '😀\n[... 0 lines, 28 bytes left out; see stdout ...]\n😀' },
    ],
    [
      'what was dropped before is counted',
      kept(lines, 40),
      kept(''),
      10,
      { stdout: '1\n2\n[... 997 lines, 3884 bytes left out; see stdout ...]\n1000\n' },
    ],
  ]
  for (const [name, stdout, stderr, maxLength, expected] of cases) {
    t.match(shortened(stdout, stderr, maxLength), { stderr: '', ...expected }, name)
  }
  const bytes = Buffer.from([0, 255, 254])
  t.equal(shorten({ stdout: kept(bytes), stderr: kept('') }, 10, 'base64', () => '').stdout, bytes.toString('base64'))
})

t.test('keeps a head and a tail within the limit, for any output', async (t) => {
  const piece = fc.constantFrom('a', '€', '😀', '\n', 'line\n', '\r\n', ' ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (pieces, maxLength) => {
      const text = pieces.join('')
      const { stdout, truncated } = shortened(kept(text, maxLength * 4), kept(''), maxLength)
      if (!truncated) return stdout === text && text.length <= maxLength
      const [head, tail] = stdout.split(/\n?\[\.\.\. \d+ lines, \d+ bytes left out; see stdout \.\.\.\]\n/) as [
        string,
        string,
      ]
      return (
        text.startsWith(head) &&
        text.endsWith(tail) &&
        head.length + tail.length <= maxLength &&
        !stdout.includes('\ufffd')
      )
    }),
  )
  t.pass('1000 and more texts')
})

t.test('cancels a run when its last waiting caller disconnects, even before the run begins', async (t) => {
  const rows: [string, string[], 'before' | 'after', ServiceOptions, boolean][] = [
    ['one', ['a'], 'after', {}, true],
    ['one, gone while it waited its turn', ['a'], 'before', {}, true],
    ['one of two', ['a', 'b'], 'after', {}, false],
    ['one of two, gone while it waited its turn', ['b', 'a'], 'before', {}, false],
    ['in the background', ['a'], 'after', { background: true }, false],
    ['with a key', ['a'], 'before', { key: { key: 'k', digest: 'd' } }, false],
  ]
  for (const [name, callers, when, { key, ...more }, canceled] of rows) {
    const command = toCommand({ command: 'true', ...more }, settingsIn(tmpdir()))
    const spool = new Spool('id', { quota: null, maxBytes: 0, stallMs: 0 }, false)
    const run = new Run(
      'id',
      key,
      OWNER,
      command,
      spool,
      begunRecord('id', command, OWNER, 'POST /exec'),
      Promise.resolve(),
    )
    const leaver = new AbortController()
    if (when === 'before') leaver.abort()
    for (const caller of callers) void run.join(caller === 'a' ? leaver.signal : new AbortController().signal)
    leaver.abort()
    t.equal(run.canceled.aborted, canceled, name)
  }
})

interface ServiceOptions {
  background?: boolean
  key?: RunKey
}
