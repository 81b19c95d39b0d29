import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type ExecRecord, note, type Note } from '../../../src/shared/schema/index.ts'
import { allProcessesWith, NOBODY, noNobody, processesWith, startService, until } from '../../support/helper.ts'

const MiB = 1_048_576
const required = "Parameter 'command' is required and cannot be empty"
const folder = mkdtempSync(join(tmpdir(), 'shellphone-exec-'))
const file = join(folder, 'a-file')
writeFileSync(file, 'x')
const service = await startService()
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

interface Refusal {
  status: number
  type: string
  /** the whole message, or a pattern that it must match */
  message?: string | RegExp
  field?: string
}
const invalid = (field?: string, message?: string | RegExp): Refusal => ({
  status: 400,
  type: 'validation_error',
  ...(field === undefined ? {} : { field }),
  ...(message === undefined ? {} : { message }),
})
const tooLarge: Refusal = { status: 413, type: 'too_large' }
const wrongMedia: Refusal = { status: 415, type: 'unsupported_media_type' }
const withEnv = (name: string, value: unknown = 'x') => ({ command: 'true', env: { [name]: value } })
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** Requests that never become a run: [name, body (a string is sent unchanged), the error, headers]. */
const refused: [string, unknown, Refusal, Record<string, string>?][] = [
  ['no command', {}, invalid('command', required)],
  ['empty command', { command: '' }, invalid('command', required)],
  ['blank command', { command: ' \n\t ' }, invalid('command', required)],
  ['null command', { command: null }, invalid('command')],
  ['number as command', { command: 5 }, invalid('command')],
  ['boolean as command', { command: true }, invalid('command')],
  ['list as command', { command: ['echo', 'hi'] }, invalid('command')],
  ['object as command', { command: { a: 1 } }, invalid('command')],
  ['NUL in the command', { command: 'echo a\0b' }, invalid('command', /NUL/)],
  ['command of 1 MiB and a byte', { command: `echo ${'x'.repeat(MiB - 4)}` }, { ...tooLarge, field: 'command' }],
  ['command of 1 MiB in characters, more in bytes', { command: `echo ${'ä'.repeat(MiB - 100)}` }, tooLarge],
  [
    'command of 10 MiB',
    { command: `echo ${'x'.repeat(10 * MiB)}` },
    { ...tooLarge, message: /^body: expected at most 8388608 bytes/ },
  ],
  ['timeout 0', { command: 'true', timeout_seconds: 0 }, invalid('timeout_seconds', /0/)],
  ['timeout -1', { command: 'true', timeout_seconds: -1 }, invalid('timeout_seconds', /-1/)],
  ['timeout "soon"', { command: 'true', timeout_seconds: 'soon' }, invalid('timeout_seconds', /a number.*"soon"/)],
  ['timeout "0"', { command: 'true', timeout_seconds: '0' }, invalid('timeout_seconds')],
  ['timeout ""', { command: 'true', timeout_seconds: '' }, invalid('timeout_seconds')],
  ['timeout null', { command: 'true', timeout_seconds: null }, invalid('timeout_seconds')],
  ['timeout true', { command: 'true', timeout_seconds: true }, invalid('timeout_seconds')],
  ['timeout [5]', { command: 'true', timeout_seconds: [5] }, invalid('timeout_seconds')],
  ['infinite timeout', '{"command":"true","timeout_seconds":1e999}', invalid('timeout_seconds')],
  ['max_length 0', { command: 'true', max_length: 0 }, invalid('max_length')],
  ['max_length -1', { command: 'true', max_length: -1 }, invalid('max_length')],
  ['max_length 1.5', { command: 'true', max_length: 1.5 }, invalid('max_length')],
  ['max_length "many"', { command: 'true', max_length: 'many' }, invalid('max_length')],
  [
    'missing directory',
    { command: 'true', working_directory: '/no/such' },
    invalid('working_directory', 'Working directory does not exist: /no/such'),
  ],
  [
    'a file as directory',
    { command: 'true', working_directory: file },
    invalid('working_directory', `Working directory does not exist: ${file}`),
  ],
  ['a path below a file', { command: 'true', working_directory: `${file}/x` }, invalid('working_directory')],
  ['empty directory', { command: 'true', working_directory: '' }, invalid('working_directory')],
  ['NUL in the directory', { command: 'true', working_directory: '/tmp\0' }, invalid('working_directory')],
  [
    'a directory with too long a name',
    { command: 'true', working_directory: `/${'x'.repeat(900)}` },
    invalid('working_directory'),
  ],
  ['number as directory', { command: 'true', working_directory: 1 }, invalid('working_directory')],
  [
    'unknown field',
    { command: 'true', comand: 'x' },
    invalid('comand', /^comand: unknown field; expected one of command, /),
  ],
  ['unknown field beside a wrong one', { command: 'true', max_length: 0, frobnicate: 1 }, invalid()],
  ['unknown field __proto__', '{"command":"true","__proto__":{"x":1}}', invalid()],
  ['unknown field constructor', '{"command":"true","constructor":{"prototype":{"x":1}}}', invalid()],
  ['unknown sandbox', { command: 'true', sandbox: 'moon' }, invalid('sandbox')],
  ['unknown encoding', { command: 'true', encoding: 'latin1' }, invalid('encoding')],
  ['number as stdin', { command: 'cat', stdin: 5 }, invalid('stdin')],
  ['text as background', { command: 'true', background: 'yes' }, invalid('background')],
  ['text as artifact_paths', { command: 'true', artifact_paths: 'a' }, invalid('artifact_paths')],
  ['65 artifact_paths', { command: 'true', artifact_paths: Array(65).fill('a') }, invalid('artifact_paths')],
  ['number in artifact_paths', { command: 'true', artifact_paths: [1] }, invalid()],
  ['text as env', { command: 'true', env: 'A=b' }, invalid('env')],
  ['list as env', { command: 'true', env: ['A=b'] }, invalid()],
  ['number in env', withEnv('A', 1), invalid('env.A')],
  ['NUL in env', withEnv('A', 'a\0b'), invalid('env.A')],
  ['env name with =', withEnv('A=B'), invalid()],
  ['empty env name', withEnv(''), invalid()],
  ['env value that no process could be started with', withEnv('A', 'x'.repeat(200_000)), invalid('env.A')],
  ...[
    ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'BASH_ENV', 'ENV', 'NODE_OPTIONS', 'IFS', 'PROMPT_COMMAND', 'PS4'],
    ...['BASH_FUNC_ls%%', 'SHELLOPTS', 'PERL5OPT', 'PYTHONSTARTUP', 'RUBYOPT', 'EXEC_MARK', 'SHELLPHONE_TOKEN'],
  ].map((name): [string, unknown, Refusal] => [
    `env ${name}`,
    withEnv(name),
    invalid(undefined, new RegExp(name.replace('%%', ''))),
  ]),
  ['another name for the command', { cmd: 'ls' }, invalid('command', `${required}; cmd: unknown field`)],
  ['body null', 'null', invalid('command', required)],
  ['body a list', '[]', invalid()],
  ['body a text', '"ls"', invalid()],
  ['body a number', '5', invalid()],
  ['empty body', '', invalid(undefined, required)],
  ['half a JSON', '{"command":', invalid()],
  ['JSON with a comma too many', '{"command":"true",}', invalid(undefined, /expected JSON: .*position 18/)],
  ['not JSON at all', 'command=ls', invalid(undefined, /expected JSON: .*command=ls.*single quotes: curl --json/)],
  ['deep JSON', deep(200_000), invalid()],
  ['deep JSON in a field', `{"command":"true","env":{"A":${deep(200_000)}}}`, invalid()],
  [
    'a form',
    'command=ls',
    { ...wrongMedia, message: /curl --json/ },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
  ['octets', '{"command":"true"}', wrongMedia, { 'content-type': 'application/octet-stream' }],
  ['no sort of type', '{"command":"true"}', wrongMedia, { 'content-type': 'x' }],
]

t.test('rejects bad input with a reason and creates no run', async (t) => {
  for (const [name, body, expected, headers] of refused) {
    const response = await service.post('/exec', body, headers)
    const { error } = (await response.json()) as { error: { type: string; message: string; field?: string } }
    const { message, ...exact } = expected
    t.hasStrict({ status: response.status, ...error }, exact, `${name}: ${error.message.slice(0, 100)}`)
    if (typeof message === 'string') t.equal(error.message, message, `${name}: to the letter`)
    if (message instanceof RegExp) t.match(error.message, message, `${name}: says what was wrong`)
    t.ok(error.message.length < 1000, `${name}: no endless message`)
  }
  const { runs } = (await (await service.request('/runs')).json()) as { runs: unknown[] }
  t.strictSame(runs, [], 'history is empty')
})

t.test('an unavailable sandbox is an error, never silently omitted', async (t) => {
  for (const sandbox of ['read-only', 'workspace-write']) {
    const response = await service.post('/exec', {
      command: 'echo > here; echo ran',
      sandbox,
      working_directory: folder,
    })
    const body = (await response.json()) as ExecRecord & { error?: { type: string } }
    if (response.status === 200) t.equal(body.sandbox, sandbox, 'runs in the requested sandbox')
    else t.hasStrict({ status: response.status, ...body.error }, { status: 503, type: 'sandbox_unavailable' }, sandbox)
  }
})

type Fields = Partial<ExecRecord> & { output_like?: RegExp; note?: Note }
const done: Fields = { status: 'completed', exit_code: 0, signal: null, timed_out: false, truncated: false }
const killed = (seconds: number, before = '') =>
  `[Exit Code: -1 (timeout)]\n${before}[stderr]\nProcess killed after ${seconds} seconds timeout.`

/** Requests that run: [name, body, fields of the record]. */
const ran: [string, object, Fields][] = [
  ['stdout', { command: 'echo hi' }, { ...done, stdout: 'hi\n', stdout_bytes: 3, output: '[Exit Code: 0]\nhi\n' }],
  ['no newline at the end', { command: 'printf a' }, { ...done, output: '[Exit Code: 0]\na' }],
  [
    'both streams',
    { command: 'echo out; echo err >&2; exit 1' },
    {
      status: 'failed',
      exit_code: 1,
      stdout: 'out\n',
      stderr: 'err\n',
      output: '[Exit Code: 1]\nout\n[stderr]\nerr\n',
    },
  ],
  [
    '[stderr] has a line of its own',
    { command: 'printf a; printf b >&2' },
    { output: '[Exit Code: 0]\na\n[stderr]\nb' },
  ],
  ['stderr alone', { command: 'echo err >&2' }, { ...done, output: '[Exit Code: 0]\n[stderr]\nerr\n' }],
  ['no output', { command: 'true' }, { ...done, stdout: '', output: '[Exit Code: 0]\n(no output)' }],
  [
    'no output, failed',
    { command: 'exit 7' },
    { status: 'failed', exit_code: 7, output: '[Exit Code: 7]\n(no output)' },
  ],
  [
    'no such command',
    { command: 'no-such-command-at-all' },
    {
      status: 'failed',
      exit_code: 127,
      output_like: /^\[Exit Code: 127]\n\[stderr]\n.*no-such-command-at-all.*not found/,
    },
  ],
  [
    'a syntax error',
    { command: 'echo "' },
    { status: 'failed', exit_code: 2, output_like: /\[stderr]\n.*nterminated/ },
  ],
  [
    'a signal of its own making',
    { command: 'echo a; kill -9 $$' },
    { status: 'failed', exit_code: -1, signal: 'SIGKILL', timed_out: false, stdout: 'a\n' },
  ],
  ['SIGTERM to itself', { command: 'kill -TERM $$' }, { status: 'failed', signal: 'SIGTERM', timed_out: false }],
  [
    'timeout',
    { command: 'sleep 7001', timeout_seconds: 0.5 },
    { status: 'timed_out', exit_code: -1, timed_out: true, timeout_seconds: 0.5, output: killed(0.5) },
  ],
  [
    'timeout keeps what had come',
    { command: 'echo a; printf b; sleep 7002', timeout_seconds: 5 },
    { status: 'timed_out', stdout: 'a\nb', output: killed(5, 'a\nb\n') },
  ],
  [
    'timeout keeps stderr',
    { command: 'echo e >&2; sleep 7003', timeout_seconds: 5 },
    { output: '[Exit Code: -1 (timeout)]\n[stderr]\ne\nProcess killed after 5 seconds timeout.' },
  ],
  ['the defaults', { command: 'true' }, { timeout_seconds: 30, max_length: 50_000, sandbox: 'none', notes: [] }],
  [
    'timeout 1e9 is clamped',
    { command: 'true', timeout_seconds: 1e9 },
    { ...done, timeout_seconds: 120, note: note('LOWERED', 'timeout_seconds', 1e9, 120) },
  ],
  [
    'timeout 121 is clamped',
    { command: 'true', timeout_seconds: 121 },
    { timeout_seconds: 120, note: note('LOWERED', 'timeout_seconds', 121, 120) },
  ],
  ['timeout 120 is not', { command: 'true', timeout_seconds: 120 }, { timeout_seconds: 120, notes: [] }],
  ['timeout "119"', { command: 'true', timeout_seconds: '119' }, { ...done, timeout_seconds: 119 }],
  ['timeout "119.5"', { command: 'true', timeout_seconds: '119.5' }, { ...done, timeout_seconds: 119.5 }],
  ['max_length "100"', { command: 'true', max_length: '100' }, { ...done, max_length: 100 }],
  ['a pipe', { command: 'echo hello | tr a-z A-Z' }, { ...done, stdout: 'HELLO\n' }],
  ['a redirection', { command: 'echo x > r; cat < r; rm r', working_directory: folder }, { ...done, stdout: 'x\n' }],
  [
    'working_directory',
    { command: 'pwd', working_directory: folder },
    { stdout: `${folder}\n`, working_directory: folder },
  ],
  [
    'special characters',
    { command: `printf '%s\\n' "a'b" 'c"d' '\\' '*' ';' '&' '🦊'` },
    { stdout: `a'b\nc"d\n\\\n*\n;\n&\n🦊\n` },
  ],
  ['several lines', { command: 'a=1\nif [ $a = 1 ]\nthen echo yes\nfi' }, { stdout: 'yes\n' }],
  ['a here-document', { command: 'cat <<EOF\none\ntwo\nEOF' }, { stdout: 'one\ntwo\n' }],
  ['a command that begins with a dash', { command: '-x' }, { status: 'failed', exit_code: 127 }],
  ['a comment', { command: '# nothing' }, { ...done, output: '[Exit Code: 0]\n(no output)' }],
  ['no stdin: /dev/null', { command: 'cat; readlink /proc/self/fd/0' }, { ...done, stdout: '/dev/null\n' }],
  ['stdin', { command: 'cat', stdin: 'grüße\n' }, { ...done, stdout: 'grüße\n' }],
  ['empty stdin', { command: 'wc -c', stdin: '' }, { ...done, stdout: '0\n' }],
  ['1 MiB of stdin', { command: 'wc -c', stdin: 'x'.repeat(MiB) }, { ...done, stdout: `${MiB}\n` }],
  ['stdin that nobody reads', { command: 'exec 0<&-; echo a', stdin: 'x'.repeat(MiB) }, { ...done, stdout: 'a\n' }],
  ['env', { command: 'echo $A-$B', env: { A: 'a b', B: '$(id)' } }, { ...done, stdout: 'a b-$(id)\n' }],
  [
    'no terminal: hints',
    { command: 'echo $GIT_TERMINAL_PROMPT $PAGER $DEBIAN_FRONTEND' },
    { stdout: '0 cat noninteractive\n' },
  ],
  ['binary as utf8', { command: String.raw`printf 'a\000\377b'` }, { ...done, stdout: 'a\0\ufffdb', stdout_bytes: 4 }],
  [
    'binary as base64',
    { command: String.raw`printf 'a\000\377b'; printf '\376' >&2`, encoding: 'base64' },
    { ...done, stdout: 'YQD/Yg==', stderr: '/g==' },
  ],
  ['a command of 1 MiB', { command: `echo ran #${'x'.repeat(MiB - 10)}` }, { ...done, stdout: 'ran\n' }],
  [
    'a command of 300 kB that counts',
    { command: `printf %s "${'y'.repeat(300_000)}" | wc -c` },
    { stdout: '300000\n' },
  ],
  [
    'both streams at once, 1 MB each',
    { command: 'seq 150000 & seq 150000 >&2; wait' },
    { stdout_bytes: 938_895, stderr_bytes: 938_895, truncated: true },
  ],
  [
    'a line of 50 MB',
    { command: "head -c 50000000 /dev/zero | tr '\\0' x" },
    { ...done, truncated: true, stdout_bytes: 50_000_000, output_like: /^\[Exit Code: 0]\nx+\n\[\.\.\..*\.\.\.]\nx+/ },
  ],
]

/** Only a hang takes longer. */
const HANG_MS = 300_000

t.test('runs commands and reports their results', async (t) => {
  const answers = await Promise.allSettled(
    ran.map(async ([, body]) => {
      const response = await service.request('/exec', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(HANG_MS),
      })
      return { status: response.status, headers: response.headers, record: (await response.json()) as ExecRecord }
    }),
  )
  for (const [index, [name, body, { output_like, note: said, ...exact }]] of ran.entries()) {
    const answer = answers[index]!
    if (answer.status === 'rejected') {
      t.fail(`${name}: no answer: ${answer.reason}`)
      continue
    }
    const { status, headers, record } = answer.value
    t.equal(status, 200, `${name}: 200`)
    t.hasStrict(record, exact, name)
    t.equal(record.command, (body as { command: string }).command, `${name}: the command as it was given`)
    t.equal(headers.get('run-id'), record.id, `${name}: Run-Id`)
    t.equal(headers.get('exit-code'), String(record.exit_code), `${name}: Exit-Code`)
    t.ok(
      record.output.startsWith(`[Exit Code: ${record.exit_code}${record.timed_out ? ' (timeout)' : ''}]\n`),
      `${name}: head line`,
    )
    t.ok(Date.parse(record.ended_at!) >= Date.parse(record.started_at!) && record.duration_ms >= 0, `${name}: times`)
    if (output_like) t.match(record.output, output_like, `${name}: output`)
    if (said) t.same(record.notes, [said], `${name}: the reply says so`)
  }
  const ids = new Set(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.record.id : null)))
  t.equal(ids.size, ran.length, 'every run has a unique id')
  for (const number of [7001, 7002, 7003]) t.strictSame(processesWith(`sleep ${number}`), [], 'no process is left')
})

t.test('truncation keeps head, tail and exit code, cuts at lines, and reports what it omits', async (t) => {
  /** [command, max_length, has lines] */
  const rows: [string, number, boolean][] = [
    ['seq 1 100000; exit 3', 1000, true],
    ['seq 1 100000', 50_000, true],
    ['seq 1 1000', 100, true],
    ['yes äöü🦊 | head -n 20000', 999, true],
    ["head -c 100000 /dev/zero | tr '\\0' x", 1000, false],
    ['i=0; while [ $i -lt 300 ]; do printf 🦊; i=$((i+1)); done', 101, false],
    ['seq 1 1000', 1, false],
  ]
  for (const [command, max_length, hasLines] of rows) {
    const name = `${command.slice(0, 40)} in ${max_length}`
    const record = await service.exec({ command, max_length })
    const whole = await (await service.request(`/runs/${record.id}/output?limit=10000000`)).text()
    t.equal(Buffer.byteLength(whole), record.stdout_bytes, `${name}: the whole is there`)
    t.equal(record.truncated, true, `${name}: truncated`)
    const marker = /(?:^|\n)(\[\.\.\. (\d+) lines?, (\d+) bytes left out;[^\n]*)\n/.exec(record.stdout)
    if (!marker) {
      t.fail(`${name}: no marker in ${record.stdout.slice(0, 300)}`)
      continue
    }
    const head = record.stdout.slice(0, record.stdout.indexOf(marker[1]!))
    const tail = record.stdout.slice(head.length + marker[1]!.length + 1)
    const headText = hasLines || head === '' ? head : head.slice(0, -1)
    t.ok(whole.startsWith(headText), `${name}: head`)
    t.ok(whole.endsWith(tail), `${name}: tail`)
    t.equal(
      Number(marker[3]),
      record.stdout_bytes - Buffer.byteLength(headText) - Buffer.byteLength(tail),
      `${name}: bytes`,
    )
    const newlines = (text: string) => text.split('\n').length - 1
    t.equal(Number(marker[2]), newlines(whole) - newlines(headText) - newlines(tail), `${name}: lines`)
    t.ok(headText.length + tail.length <= max_length, `${name}: within max_length`)
    t.notMatch(headText + tail, /\ufffd/, `${name}: no character split`)
    t.match(marker[1], record.id, `${name}: says where the whole is`)
    t.match(record.output, /^\[Exit Code: \d+]\n/, `${name}: the exit code stays`)
    if (hasLines) {
      t.ok(headText.endsWith('\n'), `${name}: head ends with a line`)
      t.ok(whole.endsWith(`\n${tail}`), `${name}: tail begins with a line`)
      t.ok(headText.length + tail.length > max_length / 2 - 20, `${name}: the room is used`)
    }
  }
  const both = await service.exec({ command: 'seq 1 10000; seq 1 10000 >&2; exit 9', max_length: 2000 })
  t.match(
    both.output,
    /^\[Exit Code: 9]\n1\n2\n.*\n\[\.\.\. .*\n10000\n\[stderr]\n1\n2\n.*\n\[\.\.\. .*\n10000\n$/s,
    'both streams have head and tail',
  )
  t.ok(both.stdout.length + both.stderr.length < 2000 + 400, 'max_length limits both streams together')
  const fair = await service.exec({ command: 'seq 1 10000; echo small >&2', max_length: 2000 })
  t.equal(fair.stderr, 'small\n', 'a short stream is not cut because of a long one')
  const exact = await service.exec({ command: 'printf 12345', max_length: 5 })
  t.hasStrict(exact, { stdout: '12345', truncated: false }, 'output of exactly max_length is complete')
})

t.test('replies with JSON, text/plain or events according to Accept', async (t) => {
  /** [Accept, Content-Type of the response] */
  const rows: [string, RegExp][] = [
    ['application/json', /^application\/json/],
    ['*/*', /^application\/json/],
    ['text/plain', /^text\/plain/],
    ['text/plain;q=0.5, application/json', /^application\/json/],
    ['text/html, text/plain;q=0.9, */*;q=0.1', /^text\/plain/],
    ['text/event-stream', /^text\/event-stream/],
    ['TEXT/PLAIN', /^text\/plain/],
  ]
  for (const [accept, type] of rows) {
    const response = await service.post('/exec', { command: 'echo a; exit 4' }, { accept })
    const text = await response.text()
    t.match(response.headers.get('content-type'), type, accept)
    t.ok(response.headers.get('run-id'), `${accept}: Run-Id`)
    if (type.test('text/event-stream')) continue
    t.equal(response.headers.get('exit-code'), '4', `${accept}: Exit-Code`)
    const isText = type.test('text/plain')
    t.equal(isText ? text : JSON.parse(text).output, '[Exit Code: 4]\na\n', accept)
  }
  const error = await service.post('/exec', { command: '' }, { accept: 'text/plain' })
  t.hasStrict([error.status, (await errorOf(error)).message], [400, required], 'errors are still JSON')
})

t.test('a background child that holds the pipes does not delay the reply', async (t) => {
  /** [command, stdout] */
  const rows: [string, string][] = [
    ['sleep 7011 & echo hi', 'hi\n'],
    ['setsid sleep 7012 & echo hi', 'hi\n'],
    ['nohup sleep 7013 & echo hi', 'hi\n'],
    ['(sleep 7014 &); echo hi', 'hi\n'],
    ['(setsid sh -c "sleep 7015 & sleep 7015" &) ; echo hi', 'hi\n'],
    ['sleep 7016 > /dev/null 2>&1 & echo hi', 'hi\n'],
    ['echo hi; exec sleep 7017 & exit 0', 'hi\n'],
  ]
  for (const [command, stdout] of rows) {
    const record = await service.exec({ command })
    t.hasStrict(record, { status: 'completed', exit_code: 0 }, command)
    t.match(record.stdout, stdout.trim(), command)
    t.ok(record.left_behind.ended >= 1, `${command}: what was left behind is counted`)
    t.strictSame(record.left_behind.survivors, [], `${command}: no survivors`)
    t.ok(record.notes.length > 0, `${command}: and said`)
    const number = /70\d\d/.exec(command)![0]
    t.strictSame(processesWith(`sleep ${number}`), [], `${command}: ended`)
  }
  const unfindable = `/bin/sleep 7018.${process.pid}`
  const escaped = await service.exec({ command: `setsid env -i ${unfindable} & sleep 0.05; echo hi` })
  t.equal(escaped.stdout, 'hi\n', 'nor does a process that no search can find')
  const found = escaped.left_behind.ended > 0 || escaped.notes.some(({ code }) => code === 'OUTPUT_STILL_OPEN')
  t.ok(found, `and is ended, or the reply says that the output is still open: ${JSON.stringify(escaped.notes)}`)
  for (const pid of allProcessesWith(unfindable)) process.kill(pid, 'SIGKILL')
  const quiet = await service.exec({ command: 'echo a & wait; echo b' })
  t.strictSame(quiet.left_behind, { ended: 0, survivors: [] }, 'processes that ended on their own are not counted')
})

t.test('a timeout kills the whole process tree, but not early', async (t) => {
  const tree =
    'echo before; (sleep 7031 &); sleep 7032 & setsid sleep 7033 & sh -c \'setsid sh -c "sleep 7034 &"\'; trap "" TERM; sleep 7035'
  const record = await service.exec({ command: tree, timeout_seconds: 5 })
  t.ok(record.duration_ms >= 5000, `${record.duration_ms} ms`)
  t.hasStrict(record, { status: 'timed_out', exit_code: -1, timed_out: true, stdout: 'before\n' })
  t.equal(record.output, killed(5, 'before\n'))
  t.strictSame(record.left_behind.survivors, [])
  for (const number of [7031, 7032, 7033, 7034, 7035]) {
    t.strictSame(processesWith(`sleep ${number}`), [], String(number))
  }
})

t.test('cancels the command of a client that disconnects', async (t) => {
  for (const accept of ['application/json', 'text/event-stream']) {
    const body = JSON.stringify({ command: 'sleep 7041 & setsid sleep 7042 & sleep 7043' })
    const request = httpRequest(`${service.url}/exec`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', accept },
    })
    request.on('error', () => {})
    request.end(body)
    t.ok(await until(() => processesWith('sleep 7043').length > 0), `${accept}: it runs`)
    request.destroy()
    t.ok(await until(() => processesWith('sleep 704').length === 0), `${accept}: it has ended`)
    const newest = async () =>
      ((await (await service.request('/runs?limit=1')).json()) as { runs: ExecRecord[] }).runs[0]!
    // the record is written a moment after the last process has ended
    t.ok(await until(async () => (await newest()).status === 'canceled'), `${accept}: history says so`)
  }
})

t.test('commands have the OOM score of the settings, if the launcher runs them', async (t) => {
  const { spawner } = (await (await service.request('/health')).json()) as { spawner: { name: string } }
  if (spawner.name !== 'launcher') return t.pass('OOM score', { skip: 'the launcher does not run here' })
  const score = readFileSync(`/proc/${service.pid}/oom_score_adj`, 'utf8').trim()
  const { stdout } = await service.exec({ command: 'cat /proc/$$/oom_score_adj' })
  t.equal(stdout, `${Math.max(Number(score), 200)}\n`)
})

t.test('refuses at once a limit that only the launcher can enforce', async (t) => {
  const service = await startService({ env: { SHELLPHONE_SPAWNER: 'child_process' } })
  t.teardown(() => service.stop())
  const refused = await service.post('/exec', { command: 'true', limits: { processes: 5 } })
  const error = { type: 'validation_error', field: 'limits.processes', message: /needs the launcher/ }
  t.match({ status: refused.status, ...((await refused.json()) as object) }, { status: 400, error })
  t.match(await service.exec({ command: 'true', limits: { open_files: 50 } }), { status: 'completed' })
})

t.test('limits the FIFO queue in number and waiting time', async (t) => {
  const small = await startService({ env: { SHELLPHONE_MAX_RUNNING: '1', SHELLPHONE_MAX_QUEUED: '1' } })
  t.teardown(() => small.stop())
  const gate = join(folder, 'gate')
  const first = small.exec({ command: `until [ -e ${gate} ]; do sleep 0.1; done; echo first` })
  t.ok(await until(async () => (await health(small)).pool.running === 1))
  const second = small.exec({ command: 'echo second' })
  t.ok(await until(async () => (await health(small)).pool.queued === 1))
  const key = { 'idempotency-key': 'third' }
  const third = await small.post('/exec', { command: 'echo third' }, key)
  t.equal(third.status, 503, 'beyond the queue: 503')
  t.match(third.headers.get('retry-after'), /^[1-9]\d*$/, 'Retry-After in seconds')
  t.match(await errorOf(third), {
    type: 'pool_full',
    message: /^The queue is full: running: \d+, waiting: \d+.*; retry later$/,
  })
  writeFileSync(gate, '')
  const ended = await first
  t.hasStrict(ended, { status: 'completed', stdout: 'first\n' })
  const waited = await second
  t.hasStrict(waited, { status: 'completed', stdout: 'second\n' })
  t.ok(waited.queued_ms > 0, `the wait is reported (${waited.queued_ms} ms)`)
  const startedMs = Date.parse(waited.started_at!)
  t.ok(startedMs >= Date.parse(ended.ended_at!), 'starts when the first command has ended')
  t.ok(startedMs + waited.duration_ms <= Date.now(), 'the duration excludes the wait')
  const again = await small.post('/exec', { command: 'echo third' }, key)
  t.hasStrict(await again.json(), { stdout: 'third\n' }, 'the key is free')

  const gone = new AbortController()
  const blocker = small.exec({ command: 'sleep 7051' })
  t.ok(await until(() => processesWith('sleep 7051').length > 0))
  const leaver = small.post('/exec', { command: 'echo no > /tmp/never' }, {}).catch(() => null)
  gone.abort()
  t.ok(await until(async () => (await health(small)).pool.queued === 1))
  const { runs } = (await (await small.request('/runs?status=queued')).json()) as { runs: ExecRecord[] }
  t.equal(runs.length, 1, 'history lists the queued run')
  const cancel = await small.request(`/runs/${runs[0]!.id}`, { method: 'DELETE' })
  t.strictSame(await cancel.json(), { outcome: 'cancel_requested' })
  const canceled = (await (await leaver)!.json()) as ExecRecord
  t.hasStrict(canceled, { status: 'canceled', exit_code: -1, stdout: '' }, 'canceled while queued, before it started')
  t.equal((await health(small)).pool.queued, 0)
  const running = (await (await small.request('/runs?status=running')).json()) as { runs: ExecRecord[] }
  await small.request(`/runs/${running.runs[0]!.id}`, { method: 'DELETE' })
  t.hasStrict(await blocker, { status: 'canceled', exit_code: -1, timed_out: false })
})

t.test('refuses a command that has waited too long for a slot', async (t) => {
  const env = { SHELLPHONE_MAX_RUNNING: '1', SHELLPHONE_MAX_QUEUE_WAIT_SECONDS: '0.3' }
  const small = await startService({ env })
  t.teardown(() => small.stop())
  const gone = new AbortController()
  const blocker = small
    .request('/exec', {
      method: 'POST',
      body: JSON.stringify({ command: 'sleep 7061' }),
      headers: { 'content-type': 'application/json' },
      signal: gone.signal,
    })
    .catch(() => null)
  t.ok(await until(() => processesWith('sleep 7061').length > 0))
  const late = await small.post('/exec', { command: 'echo late' })
  t.hasStrict([late.status, (await errorOf(late)).type], [503, 'pool_full'])
  t.match(late.headers.get('retry-after'), /^[1-9]\d*$/)
  gone.abort()
  await blocker
  t.ok(await until(() => processesWith('sleep 7061').length === 0))
})

t.test('rejects a working directory that it cannot enter', { skip: noNobody ?? false }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-nobody-'))
  const closed = join(folder, 'closed')
  const { chmodSync, chownSync, mkdirSync } = await import('node:fs')
  mkdirSync(closed)
  chmodSync(closed, 0o000)
  chmodSync(folder, 0o755)
  const isRoot = process.getuid!() === 0
  if (isRoot) chownSync(home, NOBODY, NOBODY)
  // access checks always pass for root, so the service drops root before it starts
  const drop = `process.setgroups([]);process.setgid(${NOBODY});process.setuid(${NOBODY})`
  const other = await startService({
    home,
    node: isRoot ? ['--import', `data:text/javascript,${drop}`] : [],
    env: { HOME: '/', SHELLPHONE_WORKING_DIRECTORY: '/' },
  })
  t.teardown(async () => {
    await other.stop()
    rmSync(home, { recursive: true })
  })
  if (isRoot) t.match((await other.exec({ command: 'id -u' })).stdout, `${NOBODY}`)
  const response = await other.post('/exec', { command: 'true', working_directory: closed })
  const error = await errorOf(response)
  t.hasStrict(
    { status: response.status, ...error },
    { status: 400, type: 'validation_error', field: 'working_directory' },
  )
  t.match(error.message, closed)
})

async function errorOf(response: Response): Promise<{ type: string; message: string; field?: string }> {
  return ((await response.json()) as { error: { type: string; message: string; field?: string } }).error
}

interface Health {
  status: string
  pool: { running: number; queued: number }
}
async function health(of: typeof service): Promise<Health> {
  return (await (await of.request('/health')).json()) as Health
}
