import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { shortLength } from '../../src/cli/commands/short-ids.ts'
import { isRunId, runIdMs, type RunSummary } from '../../src/shared/schema/index.ts'
import { watchedService } from '../support/ask.ts'
import { processesWith, root, until } from '../support/helper.ts'
import { runInProcess } from '../support/in-process-cli.ts'

const { service, ask, question } = await watchedService(t)
const env = { SHELLPHONE_HOME: service.home }
const cli = async (...argv: string[]) => {
  const { code, out, err } = await runInProcess(argv, { ...env, USER: 'ann' })
  return { code, text: out + err }
}
/** `logs` writes to the streams of its process. */
const logs = (...argv: string[]) =>
  spawnSync(process.execPath, [join(root, 'dist/main.js'), 'logs', ...argv], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
const start = async (command: string) => (await cli('run', '-dn', command)).text.trim()
const inUtc = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

t.test('ps shows the time and the output of a live run so far', async (t) => {
  const id = await start('echo up; sleep 3060.1')
  let run: Partial<RunSummary> = {}
  const hasMoved = await until(async () => {
    const { runs } = JSON.parse((await cli('ps', '--json')).text) as { runs: RunSummary[] }
    run = runs[0]!
    return run.stdout_bytes === 3 && run.duration_ms! >= 10
  })
  t.ok(hasMoved, `${run.id} ran for ${run.duration_ms} ms and printed ${run.stdout_bytes} bytes`)
  const { text } = await cli('ps')
  t.match(text, new RegExp(`^${id}  running +\\S+ \\S+ +\\d+(\\.\\d+)? s  owner`, 'm'))
  t.notMatch(text, / 0\.00 s /)
  await cli('cancel', id)
  t.ok(await until(() => processesWith('sleep 3060.1').length === 0))
})

t.test('finds a run by the beginning of its id, even if only z follows, and by the end', async (t) => {
  let { id } = await service.exec({ command: 'echo z' })
  while (!id.endsWith('z')) ({ id } = await service.exec({ command: 'echo z' })) // one of 32 ids
  for (const part of [id.slice(0, -1), id.slice(-8)]) t.match(logs(part), { status: 0, stdout: 'z\n' }, part)
})

/** The lines of a subcommand in a terminal of 80 columns. */
const inTerminal = (...argv: string[]) => {
  const command = ['stty cols 80; exec', process.execPath, join(root, 'dist/main.js'), ...argv].join(' ')
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...env, NO_COLOR: '1' },
    encoding: 'utf8',
  })
  return stdout.trimEnd().split('\r\n')
}

t.test('on a terminal, ids are short and times are relative, and the short ids are accepted', async (t) => {
  const older = await service.exec({ command: 'echo older' })
  const { id } = await service.exec({ command: `echo newer # ${'long '.repeat(20)}` })
  const [header, ...rows] = inTerminal('history', '-n', '2')
  t.match(header, /^ID {8,} +STATUS +STARTED +TIME +BY +COMMAND$/)
  t.match(rows[0], /^\w{10,12} +completed +\d+ s ago +[\d.]+ s +owner +echo newer # long [^]*…$/)
  for (const row of rows) t.ok(row.length <= 80, row)
  const [short, shortOlder] = rows.map((row) => row.split(' ')[0]!)
  t.ok(id.startsWith(short!) && older.id.startsWith(shortOlder!))
  t.match(logs(short!), { status: 0, stdout: 'newer\n' })
  const { out } = await runInProcess(['history', '--before', short!, '-n', '1'], env)
  t.match(out, new RegExp(`^${older.id} `, 'm'), 'elsewhere, ids are whole')
})

t.test('no two shown ids look the same', async (t) => {
  const cases: [string[], number][] = [
    [[], 10],
    [['01kb5xw3e7aaaaaaaaaaaaaaaa'], 10],
    [['01kb5xw3e7aaaaaaaaaaaaaaaa', '01kb5xw3e8aaaaaaaaaaaaaaaa'], 10],
    [['01kb5xw3e7aaaaaaaaaaaaaaaa', '01kb5xw3e7abaaaaaaaaaaaaaa'], 12],
    [['01kb5xw3e7aaaaaaaaaaaaaaaa', '01kb5xw3e7aaaaaaaaaaaaaaab'], 26],
  ]
  for (const [ids, length] of cases) t.equal(shortLength(ids), length, ids.join(' '))
})

t.test('cancel finds live runs first, by either end of an id, and says what it canceled', async (t) => {
  const ended = await service.exec({ command: 'true' })
  const id = await start('sleep 3064.1')
  for (const part of ['0', id.slice(0, 3), id.slice(-3)]) {
    t.match(await cli('cancel', part), {
      code: 2,
      text: `shellphone: ${part}: expected an id, or 4 or more characters of its beginning or end\n`,
    })
  }
  t.match(await cli('cancel', ended.id.slice(-8)), { code: 0, text: `${ended.id}: already finished: true\n` })
  t.match(await cli('cancel', id.slice(-8), id), { code: 0, text: `${id}: cancel requested: sleep 3064.1\n` })
  t.ok(await until(() => processesWith('sleep 3064.1').length === 0))
})

t.test('cancel names a run once, and with --json has a line for each id', async (t) => {
  const id = await start('sleep 3064.2')
  const { code, out } = await runInProcess(['cancel', '--json', 'nope', id, id.slice(-10), 'nor-this'], env)
  t.equal(code, 2)
  const lines = out.trim().split('\n')
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { id: 'nope', error: /No such run: nope/ },
      { id, outcome: 'cancel_requested' },
      { id: 'nor-this', error: /nor-this/ },
    ],
  )
  t.equal(lines.length, 3)
  t.ok(await until(() => processesWith('sleep 3064.2').length === 0))
})

t.test('history shows when a run that never started was requested, and the signal that killed one', async (t) => {
  const denied = await service.exec({ command: 'rm -rf /' })
  const killed = { id: await start('exec sleep 3063.1') }
  const isRunning = async () =>
    ((await (await service.request(`/runs/${killed.id}`)).json()) as RunSummary).status === 'running'
  t.ok(await until(isRunning))
  await service.post(`/runs/${killed.id}/signal`, { signal: 'SIGKILL' })
  await service.request(`/runs/${killed.id}?wait_seconds=60`)
  const { question, answered } = await ask('touch waits')
  const { text } = await cli('history')
  const row = (id: string, rest: string) => new RegExp(`^${id}  ${rest}`, 'm')
  t.match(text, row(denied.id, `denied +${inUtc(runIdMs(denied.id))} +- `))
  t.match(text, row(question.run_id, `needs approval +${inUtc(runIdMs(question.run_id))} +- `))
  t.match(text, row(killed.id, 'killed SIGKILL '))
  const failed = await service.exec({ command: 'exit 3' })
  const filters: [status: string, id: string][] = [
    ['killed', killed.id],
    ['killed SIGKILL', killed.id],
    ['needs approval', question.run_id],
    ['needs_approval', question.run_id],
    ['failed 3', failed.id],
  ]
  for (const [status, id] of filters) {
    const { runs } = JSON.parse((await cli('history', '--status', status, '-n', '1', '--json')).text)
    t.same(
      runs.map((run: RunSummary) => run.id),
      [id],
      `--status '${status}' is accepted as it is shown`,
    )
  }
  t.same((await cli('history', '--status', 'killed SIGTERM')).text, 'no matching runs\n')
  await service.post(`/approvals/${question.id}`, { decision: 'deny' })
  await answered
  t.match(await cli('history', '--before', 'nope'), {
    code: 2,
    text: /^shellphone: history: --before: expected the id of a run, got nope; /,
  })
})

/** The shortest beginning of `id` that no other of these ids has. */
const beginningOf = (id: string, others: string[]) =>
  Array.from(id, (_, at) => id.slice(0, at + 1)).find(
    (text) => !others.some((other) => other !== id && other.startsWith(text)),
  )!

t.test('logs and cancel accept the beginning of an id', async (t) => {
  const ids = [await start('echo one; sleep 3061.1'), await start('echo two; sleep 3061.2')]
  const { runs } = (await (await service.request('/runs?limit=1000')).json()) as { runs: RunSummary[] }
  const all = runs.map(({ id }) => id)
  for (const [at, word] of ['one', 'two'].entries()) {
    const id = ids[at]!
    t.ok(isRunId(id))
    t.ok(
      await until(async () => ((await (await service.request(`/runs/${id}`)).json()) as RunSummary).stdout_bytes > 0),
    )
    t.match(logs(beginningOf(id, all)), { status: 0, stdout: `${word}\n` }, word)
  }
  const ambiguous = ids[0]!.slice(0, 4)
  for (const one of [logs(ambiguous).stderr, (await cli('cancel', ambiguous)).text]) {
    t.match(
      one,
      `shellphone: ${ambiguous}: expected the beginning or the end of one id, got that of several; type more characters:\n`,
    )
    for (const [at, word] of ['one', 'two'].entries()) {
      t.match(one, `\n  ${ids[at]}  echo ${word}; sleep 3061.${at + 1}\n`, 'it lists them')
    }
  }
  const argv = [process.execPath, join(root, 'dist/main.js'), 'cancel', ambiguous].join(' ')
  const narrow = spawnSync('script', ['-qec', `stty cols 40; exec ${argv}`, '/dev/null'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  const shown = `  ${ids[0]}  echo one; sleep 3061.1`.slice(0, 39)
  t.match(narrow.stdout, `\n${shown}…\r\n`, 'at the width of a terminal')
  t.equal(processesWith('sleep 3061.1').length > 0, true, 'no run is canceled if its id is ambiguous')
  const { code, text } = await cli('cancel', 'nope', ...ids.map((id) => beginningOf(id, all)), 'nor-this')
  t.equal(code, 2)
  for (const id of ids) t.match(text, `${id}: cancel requested: echo `, 'an unknown id keeps no other run alive')
  for (const id of ['nope', 'nor-this']) t.match(text, new RegExp(`^shellphone: (No such run: )?${id}[:;] `, 'm'))
  t.match(logs('0'), { status: 2, stderr: /^shellphone: 0: expected an id, or 4 or more characters / })
  t.ok(await until(() => processesWith('sleep 3061.').length === 0))
})

t.test('--last is the newest run of the own token, and no copy of a file', async (t) => {
  const made = (await (await service.post('/tokens', { name: 'other', read: 'all' })).json()) as { token: string }
  const other = { SHELLPHONE_TOKEN: made.token }
  t.match(await runInProcess(['cancel', '--last'], { ...env, ...other }), {
    code: 1,
    out: '',
    err: 'shellphone: cancel --last: your token has no live run; list other live runs with shellphone ps\n',
  })
  const mine = await start('echo mine; sleep 3062.1')
  const theirs = (await runInProcess(['run', '-dn', 'sleep 3062.2'], { ...env, ...other })).out.trim()
  t.match(await cli('cp', `:${join(root, 'package.json')}`, `${t.testdir()}/`), { code: 0 })
  t.ok(
    await until(async () => ((await (await service.request(`/runs/${mine}`)).json()) as RunSummary).stdout_bytes > 0),
  )
  t.match(logs('--last'), { status: 0, stdout: 'mine\n' })
  t.match(await cli('cancel', '--last'), { code: 0, text: `${mine}: cancel requested: echo mine; sleep 3062.1\n` })
  t.match(await runInProcess(['cancel', '--last'], { ...env, ...other }), {
    out: `${theirs}: cancel requested: sleep 3062.2\n`,
  })
  t.ok(await until(() => processesWith('sleep 3062.').length === 0))
})

t.test('cancel --last skips runs that have ended', async (t) => {
  const live = await start('sleep 3065.1')
  await service.exec({ command: 'true' })
  t.match(await cli('cancel', '--last'), { code: 0, text: `${live}: cancel requested: sleep 3065.1\n` })
  const status = async () => ((await (await service.request(`/runs/${live}`)).json()) as RunSummary).status
  t.ok(await until(async () => (await status()) === 'canceled'))
  t.match(await cli('cancel', '--last'), { code: 1, text: /your token has no live run/ })
})

t.test('the first Ctrl-C cancels a run that waits for approval', async (t) => {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'run', 'touch interrupted'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (text) => (err += text))
  t.ok(await until(() => err.includes('waiting for approval')))
  child.kill('SIGINT')
  t.same(await once(child, 'close'), [null, 'SIGINT'])
  t.notMatch(err, 'Ctrl-C again')
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: object[] }
  t.same(approvals, [], 'nobody is asked any longer')
})

t.test('run -d says that the run waits for approval, or was denied', async (t) => {
  const waiting = await runInProcess(['run', '-dn', 'touch detached'], env)
  const { id: approval } = await question('touch detached')
  t.match(waiting, {
    code: 0,
    out: /^[0-9a-z]{26}\n$/,
    err: new RegExp(
      `^shellphone: waiting for approval, \\d+ s left; answer .* shellphone approvals approve ${approval}\n$`,
    ),
  })
  await cli('cancel', waiting.out.trim())
  t.match(await runInProcess(['run', '-dn', 'rm -rf /'], env), {
    code: 126,
    out: /^[0-9a-z]{26}\n$/,
    err: /^shellphone: denied: /,
  })
  t.match(await runInProcess(['run', '-dn', 'true'], env), { code: 0, err: '' })
})

t.test('approvals accepts the beginning of an id', async (t) => {
  const first = await ask('touch first')
  t.match(await cli('approvals', 'deny', first.question.id.slice(0, 6)), { code: 0, text: 'denied\n' })
  t.equal((await first.answered).status, 'denied')
  const second = await ask(`touch ${join(t.testdir(), 'second')}`)
  const saved = await cli('approvals', 'approve', second.question.id.slice(0, 6), '--always')
  const rule = /saved as rule (\S+)/.exec(saved.text)![1]!
  t.equal((await second.answered).status, 'completed')
  t.match(await cli('approvals', 'revoke', rule.slice(0, 6)), { code: 0, text: 'revoked\n' })
  t.match(await cli('approvals', 'deny', 'zzzzz'), { code: 2, text: /No approval has the id zzzzz/ })
})

t.test('approve and deny accept the id of a run, its beginning, and the end of an id', async (t) => {
  const partsOf: ((question: { id: string; run_id: string }) => string)[] = [
    ({ run_id }) => run_id,
    ({ run_id }) => run_id.slice(0, -1),
    ({ run_id }) => run_id.slice(-8),
    ({ id }) => id.slice(-8),
  ]
  for (const [index, partOf] of partsOf.entries()) {
    const { question, answered } = await ask(`touch named-${index}`)
    t.same(await cli('approvals', 'deny', partOf(question)), { code: 0, text: 'denied\n' }, partOf(question))
    t.equal((await answered).status, 'denied')
  }
  const both = [await ask('touch one'), await ask('touch two')]
  t.match(await cli('approvals', 'deny', both[0]!.question.run_id.slice(0, 4)), {
    code: 2,
    text: /got that of several/,
  })
  for (const { question, answered } of both) {
    await cli('approvals', 'deny', question.run_id)
    await answered
  }
})

t.test('run and logs say which setting limits the stored output', async (t) => {
  const limited = await watchedService(t, { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '65536' })
  const env = { ...process.env, SHELLPHONE_HOME: limited.service.home }
  const cli = (...argv: string[]) => spawnSync(process.execPath, [join(root, 'dist/main.js'), ...argv], { env })
  const note =
    'shellphone: output beyond 65536 bytes of stdout and 0 bytes of stderr is not stored: the limit of 65536 bytes per run (max_run_spool_bytes) is reached\n'
  const ran = cli('run', 'head -c 300000 /dev/zero')
  t.match({ status: ran.status, bytes: ran.stdout.length }, { status: 0, bytes: 300_000 })
  t.equal(String(ran.stderr), note)
  const { runs } = JSON.parse(String(cli('history', '--json').stdout)) as { runs: RunSummary[] }
  const logged = cli('logs', runs[0]!.id)
  t.match({ status: logged.status, bytes: logged.stdout.length }, { status: 0, bytes: 65_536 })
  t.equal(String(logged.stderr), `shellphone: stdout: bytes 65536 to 300000 are not stored\n${note}`)
})

t.test('every subcommand answers an unknown id with the list of ids', async (t) => {
  for (const argv of [
    ['logs', 'zzzz'],
    ['logs', 'zzzz', '-f'],
    ['cancel', '0'.repeat(26)],
  ]) {
    t.match(
      await cli(...argv),
      { code: 2, text: /^shellphone: No such run: (zzzz|0{26}); list runs to find its id: shellphone history\n$/ },
      argv.join(' '),
    )
  }
})
