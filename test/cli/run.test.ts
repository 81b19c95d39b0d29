import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { noSessions, root, spawnBeside, startService, until, processesWith } from '../support/helper.ts'

const MiB = 1_048_576
/** Timeouts that suit a slow machine; less output is stored than the largest command prints. */
const settings = {
  SHELLPHONE_KILL_GRACE_SECONDS: '0.3',
  SHELLPHONE_TIMEOUT_SECONDS: '3600',
  SHELLPHONE_MAX_TIMEOUT_SECONDS: '3600',
  SHELLPHONE_MAX_RUN_SPOOL_BYTES: String(8 * MiB),
}
const service = await startService({ env: settings })
const folder = mkdtempSync(join(tmpdir(), 'shellphone-run-'))
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
const env = { ...process.env, SHELLPHONE_HOME: service.home }
const main = join(root, 'dist/main.js')

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  out: Buffer
  err: string
  errBytes: Buffer
}
interface Started {
  child: ChildProcess
  ended: Promise<Ended>
  /** resolves when stdout or stderr contains it */
  see(text: string): Promise<boolean>
}

/** Starts `shellphone …` with this stdin; null: stdin stays open. */
function start(args: string[], stdin: Buffer | string | null = '', more: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [main, ...args], { env: { ...env, ...more }, stdio: 'pipe' })
  const out: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk) => out.push(chunk))
  child.stderr.on('data', (chunk) => errors.push(chunk))
  child.stdin.on('error', () => {}) // the child may exit before it has read everything
  if (stdin !== null) child.stdin.end(stdin)
  const err = () => Buffer.concat(errors)
  const ended = once(child, 'close').then(([code, signal]): Ended => ({
    code,
    signal,
    out: Buffer.concat(out),
    err: String(err()),
    errBytes: err(),
  }))
  return { child, ended, see: (text) => until(() => Buffer.concat(out).includes(text) || err().includes(text)) }
}
const run = (...args: string[]) => start(['run', ...args]).ended
const json = async (path: string) => (await service.request(path)).json()
/** The newest run. */
async function newestRun(): Promise<ExecRecord> {
  const { runs } = (await json('/runs?limit=1')) as { runs: ExecRecord[] }
  return (await json(`/runs/${runs[0]!.id}`)) as ExecRecord
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

t.test('exits with the code of the command and explains its own codes', async (t) => {
  const cases: [string[], number, string, RegExp][] = [
    [['true'], 0, '', /^$/],
    [['exit 7'], 7, '', /^$/],
    [['exit 255'], 255, '', /^$/],
    [['kill -9 $$'], 137, '', /^shellphone: killed by SIGKILL; not by the service\n$/],
    [['kill -TERM $$'], 143, '', /^/],
    [['kill -PIPE $$'], 141, '', /^/],
    [['no-such-program'], 127, '', /not found/],
    [['--timeout', '0.3', 'sleep 3050.1'], 124, '', /timed out after 0\.3 s/],
    [['rm -rf /'], 126, '', /^shellphone: denied: /],
    [['-q', 'rm -rf /'], 126, '', /^$/],
    [['echo', 'a', 'b'], 0, 'a b\n', /^$/],
    [['ls', '-d', '/'], 0, '/\n', /^$/],
    [['-C', '/usr', 'pwd'], 0, '/usr\n', /^$/],
    [['--', 'echo -x'], 0, '-x\n', /^$/],
    [['-C', 'nowhere', 'pwd'], 255, '', /^shellphone: Working directory does not exist: \/.*\/nowhere\n$/],
    [['-C', '/nowhere', 'pwd'], 255, '', /^shellphone: Working directory does not exist: \/nowhere\n$/],
    [
      ['--timeout', 'soon', 'true'],
      255,
      '',
      /^shellphone: run: --timeout: expected a time such as 90s, 15m, 1h or 2d, or seconds, got soon; /,
    ],
    [['--timeout', '0', 'true'], 255, '', /--timeout: expected a time such as 90s/],
    [['--timeout', '0.005m', 'sleep 3050.2'], 124, '', /timed out after 0\.3 s/],
    [[], 255, '', /^shellphone: run: expected COMMAND …, got nothing; see shellphone run --help\n$/],
    [[''], 255, '', /^shellphone: run: expected COMMAND …, got ''; see shellphone run --help\n$/],
    [['echo', '', 'a'], 0, 'a\n', /^$/],
    [
      ['--port', '1', 'true'],
      255,
      '',
      /^shellphone: cannot reach http:\/\/127\.0\.0\.1:1: .*\. Is the service running\? \(start it with shellphone serve\)\n$/,
    ],
    [['-it', 'ls'], 255, '', /^shellphone: run: unknown option -i \(-t runs it in a terminal\); /],
    [
      ['-e', 'A=b', 'env'],
      255,
      '',
      /^shellphone: run: unknown option -e \(set variables in the command: 'A=b COMMAND'\); /,
    ],
    [['--follow', 'true'], 255, '', /^shellphone: run: unknown option --follow \(it belongs to logs\)/],
  ]
  for (const [args, code, out, err] of cases) {
    const ended = await run(...args)
    t.equal(ended.code, code, args.join(' '))
    t.equal(String(ended.out), out, args.join(' '))
    t.match(ended.err, err, args.join(' '))
  }
  const wrong = await start(['run', 'true'], '', { SHELLPHONE_TOKEN: 'wrong' }).ended
  t.match(wrong, { code: 255, err: /^shellphone: the service at \S+ rejected the token in SHELLPHONE_TOKEN \(/ })
})

t.test('--json prints the record instead of the output', async (t) => {
  const { code, out, err } = await run('--json', 'echo a; echo b >&2; exit 4')
  t.same([code, err], [4, ''])
  t.match(JSON.parse(String(out)), { status: 'failed', exit_code: 4, stdout: 'a\n', stderr: 'b\n' })
  const denied = await run('--json', 'rm -rf /')
  t.match(denied, { code: 126, err: /^shellphone: denied: / })
  t.match(JSON.parse(String(denied.out)), { status: 'denied', exit_code: -1 })
})

t.test('keeps stdout and stderr apart, byte for byte', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 256 * 64 }, (_, at) => at & 255))
  const both = await start(['run', 'cat; printf "\\377\\0" >&2'], bytes).ended
  t.ok(both.out.equals(bytes))
  t.same([...both.errBytes], [0xff, 0], 'stderr contains only what the command wrote')

  const much = randomBytes(2 * MiB)
  const through = await start(['run', '-q', 'cat'], much).ended
  t.equal(sha256(through.out), sha256(much), '2 MiB in and out')
  t.equal(through.code, 0)

  const flood = await run('-q', `head -c ${24 * MiB} /dev/zero`)
  t.equal(flood.out.length, 24 * MiB, 'more than is stored of a run: the command waited')
})

t.test('streams stdin', async (t) => {
  const slow = start(['run', 'cat; echo end'], null)
  slow.child.stdin!.write('one\n')
  t.ok(await slow.see('one'), 'as it arrives')
  slow.child.stdin!.end('two\n')
  t.equal(String((await slow.ended).out), 'one\ntwo\nend\n')
  t.equal(String((await start(['run', '-n', 'cat; echo end'], 'unread').ended).out), 'end\n', '-n sends none')
  const open = start(['run', 'echo first'], null)
  t.match(await open.ended, { code: 0 }, 'it does not wait for a command that reads nothing')
  const ignored = await start(['run', 'head -c 3'], Buffer.alloc(8 * MiB, 'a')).ended
  t.match({ ...ignored, out: String(ignored.out) }, { code: 0, out: 'aaa' }, 'nor for one that stops reading')
  const nothing = spawnSync(process.execPath, [main, 'run', 'cat; echo end'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.equal(String(nothing.stdout), 'end\n', '/dev/null counts as no stdin')
})

t.test('Ctrl-C interrupts, cancels, then leaves', async (t) => {
  const once = start(['run', "trap 'echo caught; exit 9' INT; echo up; sleep 3051.1 & wait"], null)
  t.ok(await once.see('up'))
  once.child.kill('SIGINT')
  t.match(await once.ended, { code: 9 }, 'the command handles it')

  const twice = start(['run', "trap '' INT; echo up; sleep 3052.1; sleep 3052.1"], null)
  t.ok(await twice.see('up'))
  twice.child.kill('SIGINT')
  t.ok(await twice.see('Ctrl-C again cancels the run'))
  twice.child.kill('SIGINT')
  t.equal((await twice.ended).signal, 'SIGINT')
  t.ok(await until(() => processesWith('sleep 3052.1').length === 0), 'no process is left')

  const thrice = start(['run', "trap '' INT TERM; echo up; sleep 3053.1"], null)
  t.ok(await thrice.see('up'))
  thrice.child.kill('SIGINT')
  t.ok(await thrice.see('Ctrl-C again cancels the run'))
  thrice.child.kill('SIGINT')
  thrice.child.kill('SIGINT')
  t.match(await thrice.ended, { signal: 'SIGINT' })

  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const ended = start(['run', 'echo up; sleep 3054.1'], null)
    t.ok(await ended.see('up'))
    ended.child.kill(signal)
    t.equal((await ended.ended).signal, signal, `${signal} cancels`)
    t.ok(await until(() => processesWith('sleep 3054.1').length === 0))
  }
})

t.test('Ctrl-C ends a loop in bash too, unless the command handles it', async (t) => {
  /** Presses Ctrl-C in the terminal of a loop of three runs, when the first one is up. */
  const interruptLoop = async (command: string) => {
    const script = `for i in 1 2 3; do ${process.execPath} ${main} run "${command}"; echo "ended $?"; done`
    const loop = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    t.teardown(() => loop.kill('SIGKILL'))
    let out = ''
    loop.stdout.on('data', (chunk) => (out += chunk))
    const ended = once(loop, 'close')
    t.ok(await until(() => out.includes('up 1\n')))
    process.kill(-loop.pid!, 'SIGINT')
    const [code, signal] = await ended
    return { code, signal, out }
  }
  t.same(await interruptLoop('echo up $i; [ $i -gt 1 ] || sleep 3055.1'), {
    code: null,
    signal: 'SIGINT',
    out: 'up 1\n',
  })
  const handled = "trap 'exit 130' INT; echo up $i; [ $i -gt 1 ] || sleep 3055.2 & wait"
  t.same(await interruptLoop(handled), {
    code: 0,
    signal: null,
    out: 'up 1\nended 130\nup 2\nended 0\nup 3\nended 0\n',
  })
  t.match(await run('kill -INT $$'), { code: 130, signal: null }, 'without Ctrl-C, the exit code says it')
})

/** Shell code that waits until this file exists. */
const untilThere = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`

/** Runs a bash script with stdin open until it ends; resolves with its stdout. */
async function inBash(script: string): Promise<string> {
  const child = spawnBeside('bash', ['--norc', '-c', script], { env })
  return text(child.stdout)
}

t.test('cancels the run when its output is closed', async (t) => {
  const argv = `${process.execPath} ${main}`
  const piped = await inBash(`${argv} run 'yes 3055.1' | head -1; echo "\${PIPESTATUS[0]}"`)
  t.equal(piped, '3055.1\n141\n')
  t.ok(await until(() => processesWith('yes 3055.1').length === 0), '`yes | head` leaves nothing')
  t.ok(await until(async () => (await newestRun()).status === 'canceled'))
  t.notMatch((await newestRun()).notes.join(), /was not seen/, 'at once, not when its lease expires')

  const [more, gone] = [join(folder, 'more'), join(folder, 'gone')]
  const full = `head -c 65536 /dev/zero; ${untilThere(more)}; echo; sleep 3058.1`
  const late = inBash(`${argv} run '${full}' | sh -c '${untilThere(gone)}'; echo "\${PIPESTATUS[0]}"`)
  const printed = (bytes: number) => until(async () => (await newestRun()).stdout_bytes === bytes)
  t.ok(await printed(65_536), 'as much as fits into the pipe')
  writeFileSync(more, '')
  t.ok(await printed(65_537), 'and more')
  writeFileSync(gone, '')
  t.equal(await late, '141\n', 'also during a short write that waits for space')
  t.ok(await until(() => processesWith('sleep 3058.1').length === 0))

  t.equal(
    await inBash(`${argv} approvals watch | true; echo "\${PIPESTATUS[0]}"`),
    '0\n',
    'the view ends when its output is closed',
  )
})

t.test('says before the output that the timeout was lowered', async (t) => {
  const message =
    'shellphone: --timeout: 90d is above the maximum of this service (max_background_seconds); stopping it after 1 d\n'
  const opened = start(['run', '--timeout', '90d', 'read line'], null)
  t.ok(await opened.see(message), 'while the command waits for its input')
  opened.child.stdin!.end('\n')
  t.match(await opened.ended, { code: 0, err: message }, 'and not again at the end')
  t.match(await run('-dn', '--timeout', '90d', 'true'), { code: 0, err: message })
  t.match(await run('--timeout', '1d', 'true'), { code: 0, err: '' })
  t.match(await run('-q', '--timeout', '90d', 'true'), { code: 0, err: '' })
})

t.test('-d says that it does not send stdin', async (t) => {
  const message = 'stdin is not sent with -d; leave out -d to send it, or add -n to send none without this message'
  const said = await start(['run', '-d', 'cat'], 'lost').ended
  t.match(said, { code: 0, err: `shellphone: ${message}\n` })
  for (const more of ['-n', '-q']) {
    t.match(await start(['run', '-d', more, 'cat'], 'lost').ended, { code: 0, err: '' }, more)
  }
  const closed = await inBash(`${process.execPath} ${main} run -d true 2>&1 < /dev/null`)
  t.match(closed, /^[0-9a-z]{26}\n$/, 'stdin is /dev/null')
})

t.test('logs exits with 141 when its output is closed, and the run continues', async (t) => {
  const id = String((await run('-dn', 'while echo 3059.1; do sleep 0.05; done')).out).trim()
  const piped = await inBash(`${process.execPath} ${main} logs ${id} -f | head -1; echo "\${PIPESTATUS[0]}"`)
  t.equal(piped, '3059.1\n141\n')
  t.match(await json(`/runs/${id}`), { status: 'running' })
  await start(['cancel', id]).ended
})

t.test('Ctrl-C of logs -f says which command continues at the same byte', async (t) => {
  const go = join(folder, 'resumes')
  const id = String((await run('-dn', `echo one; echo err >&2; ${untilThere(go)}; echo two; exit 4`)).out).trim()
  const following = start(['logs', id, '-f'])
  t.ok((await following.see('one')) && (await following.see('err')))
  following.child.kill('SIGINT')
  const { signal, err } = await following.ended
  t.equal(signal, 'SIGINT')
  const [, rest = ''] = /^shellphone: interrupted; continue with shellphone (logs .*)$/m.exec(err) ?? []
  t.equal(rest, `logs ${id} -f --from 4.4`)
  writeFileSync(go, '')
  t.match(await start(rest.split(' ')).ended, { code: 4, out: Buffer.from('two\n'), err: '' })
  t.match(await start(['logs', id, '--from', '4.0']).ended, { code: 0, out: Buffer.from('two\n'), err: 'err\n' })
  t.match(await start(['logs', id, '--from', '9.0']).ended, { code: 3, err: /^shellphone: / })
})

t.test('runs in the background; logs, history and cancel find the run', async (t) => {
  const go = join(folder, 'go')
  const { out } = await run('-dn', `echo one; ${untilThere(go)}; echo two; echo three >&2; exit 3`)
  const id = String(out).trim()
  t.match(id, /^[0-9a-z]{26}$/)
  const following = start(['logs', id, '-f'])
  t.ok(await following.see('one'), 'as it arrives')
  writeFileSync(go, '')
  const all = await following.ended
  t.match({ ...all, out: String(all.out) }, { code: 3, out: 'one\ntwo\n', err: 'three\n' })
  t.equal(String((await start(['logs', id]).ended).out), 'one\ntwo\n')
  const lines = String((await start(['logs', id, '-f', '--json']).ended).out)
    .trim()
    .split('\n')
  const events = lines.map((line) => JSON.parse(line))
  const outputs = events.filter(({ type, stream }) => type === 'output' && stream === 'stdout')
  t.equal(outputs.map(({ data }) => data).join(''), 'one\ntwo\n')
  t.match(events.at(-1), { type: 'result', status: 'failed', exit_code: 3 })
  const found = String((await start(['history', 'echo two', '--json']).ended).out)
  t.match(JSON.parse(found).runs[0], { id, status: 'failed', exit_code: 3 })

  const long = String((await run('-dn', 'echo up; sleep 3056.1')).out).trim()
  t.ok(await until(async () => (await newestRun()).stdout_bytes === 3))
  const { started_at } = await newestRun()
  for (const subcommand of ['ps', 'history']) {
    const [header, line] = String((await start([subcommand]).ended).out).split('\n')
    t.match(header, /^ID +STATUS +STARTED \(UTC\) +TIME  BY +COMMAND$/)
    t.match(line, `${long}  running  `)
    t.match(line, ` ${started_at!.slice(0, 19).replace('T', ' ')} `, `${subcommand} shows UTC`)
  }
  t.equal(String((await start(['logs', long]).ended).out), 'up\n', 'so far')
  const watching = start(['logs', long, '-f'])
  t.ok(await watching.see('up'))
  t.match(String((await start(['cancel', long]).ended).out), `${long}: cancel requested`)
  t.ok(await until(() => processesWith('sleep 3056.1').length === 0))
  t.match(await watching.ended, { code: 143, err: 'shellphone: canceled by the client\n' }, 'and logs -f says so')
  t.match(
    await start(['logs', '--', '-abc']).ended,
    { code: 2, err: /^shellphone: .*-abc/ },
    'an id that begins with a dash',
  )
  t.match(await run('echo a', '--timeout', '5'), {
    code: 255,
    err: /run: expected --timeout before the command, got it after/,
  })
  t.match(await run('echo', 'a b', '--timeout'), { code: 0, err: '' }, 'words without quotes are the command')
  t.match(await start(['logs', '-abc']).ended, { code: 2, err: /unknown option -a/ })
  t.match(await start(['logs', 'x', '--detach']).ended, { code: 2, err: /--detach \(it belongs to run\)/ })
  t.match(await start(['fly']).ended, {
    code: 2,
    err: /^shellphone: fly: unknown subcommand; list them with shellphone help\n$/,
  })
})

const needsSessions = { skip: (await noSessions(service)) ?? false }
t.test(
  'with --session, a command starts where the last one ended, but not after a detached one',
  needsSessions,
  async (t) => {
    t.match(await run('--session', 'work', 'cd /usr; export A=1'), { code: 0 })
    const left = await run('--session', 'work', '-dn', 'cd /etc')
    await until(async () => {
      const { ended_at } = (await (await service.request(`/runs/${String(left.out).trim()}`)).json()) as ExecRecord
      return ended_at !== null
    })
    t.equal(String((await run('--session', 'work', 'pwd; echo $A')).out), '/usr\n1\n')
  },
)

t.test('says that a command waits for its session, and lists it as queued', needsSessions, async (t) => {
  const first = start(['run', '--session', 'busy', 'echo ready; cat; export A=1'], null)
  t.ok(await first.see('ready'))
  const second = start(['run', '--session', 'busy', 'echo $A'])
  t.ok(await second.see('waits for the session'))
  const quiet = start(['run', '-q', '--session', 'busy', 'echo quiet'])
  let runs: ExecRecord[] = []
  await until(async () => {
    runs = ((await (await service.request('/runs?status=live')).json()) as { runs: ExecRecord[] }).runs
    return runs.length === 3
  })
  const [last, waiting, running] = runs
  t.match(last, { command: 'echo quiet', status: 'queued' })
  t.match(waiting, { command: 'echo $A', status: 'queued', session: { name: 'busy', reason: 'unfinished' } })
  t.match((await start(['logs', waiting!.id]).ended).err, /^shellphone: this command waits for the session busy, /)
  first.child.stdin!.end()
  t.match(await first.ended, { code: 0 })
  const { code, out, err } = await second.ended
  const reason = `in which the run ${running!.id} has not ended`
  t.same(
    { code, out: String(out), err },
    { code: 0, out: '1\n', err: `shellphone: this command waits for the session busy, ${reason}\n` },
  )
  t.match(await quiet.ended, { code: 0, err: '' })
})
