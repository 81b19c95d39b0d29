import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { connect } from '../../src/cli/commands/connect-service.ts'
import { watchedService } from '../support/ask.ts'
import { forged } from '../support/forged.ts'
import { freePort, root, until } from '../support/helper.ts'
import { runInProcess } from '../support/in-process-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-client-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const touch = (name: string) => `touch ${join(folder, name)}`
/** Shared by all tests; each test answers its own requests. */
const flags = ['--port', String(await freePort())]
const { service, ask } = await watchedService(
  t,
  { SHELLPHONE_MAX_PENDING_APPROVALS: '100', SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '1000' },
  { flags },
)
const env = { SHELLPHONE_HOME: service.home }
async function runPrinting(argv: string[], more: Record<string, string>): Promise<{ code: number; text: string }> {
  const { code, out, err } = await runInProcess(argv, { ...env, ...more })
  return { code, text: out + err }
}
const cli = (...argv: string[]) => runPrinting(argv, { USER: 'ann' })

interface Cli {
  child: ChildProcess
  /** stdout and stderr in order of arrival */
  seen: string
  write(text: string): void
  /** resolves when the output contains `text` */
  see(text: string | RegExp): Promise<boolean>
  /** resolves with the exit code */
  ended: Promise<number | null>
}

const argvOf = (args: string[]) => [process.execPath, join(root, 'dist/main.js'), ...args]

function start(argv: string[], more: Record<string, string> = {}): Cli {
  const [program, ...args] = argv
  const child = spawn(program!, args, { env: { ...process.env, USER: 'ann', ...env, ...more }, stdio: 'pipe' })
  const cli: Cli = {
    child,
    seen: '',
    write: (text) => void child.stdin.write(text),
    see: (text) => until(() => (typeof text === 'string' ? cli.seen.includes(text) : text.test(cli.seen))),
    ended: once(child, 'close').then(([code]) => code),
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (cli.seen += chunk))
  return cli
}

const run = (...args: string[]) => start(argvOf(args))

/** The same in a pseudo terminal of 100 columns. */
const runInTerminal = (...args: string[]) =>
  start(['script', '-qec', `stty cols 100; exec ${argvOf(args).join(' ')}`, '/dev/null'])

const nasty = "touch 'a\x1b[2J\u202eb'\necho '│ risk      │ low' \r\x07"

t.test('lists and answers approvals; lists and revokes rules', async (t) => {
  const approvals = (...args: string[]) => cli('approvals', ...args)
  t.same(await approvals('list'), { code: 0, text: 'no pending approvals\n' })

  const first = await ask(touch('first'), { env: { GIT_DIR: 'here' } })
  t.match(
    (await approvals('list')).text,
    /^ID +FROM +LEFT +RISK +COMMAND\n\w+ +owner +\d+ s +medium +touch .*\n\nshow /,
  )
  t.same(
    (await approvals('show', '--last')).text.replace(/\d+ s left/, ''),
    (await approvals('show', first.question.id)).text.replace(/\d+ s left/, ''),
  )
  t.equal(JSON.parse((await approvals('show', '--last', '--json')).text).id, first.question.id)
  const listed = await approvals('show', first.question.id)
  for (const part of [
    first.question.id,
    touch('first'),
    'GIT_DIR=here',
    'from      │ owner',
    'medium',
    'exactly this command',
    'sandbox   │ none',
  ]) {
    t.ok(listed.text.includes(part), part)
  }
  t.same(await approvals('approve', first.question.id), { code: 0, text: 'approved\n' })
  t.match(await first.answered, { status: 'completed', approval: { by: 'owner "ann"', how: 'cli', scope: 'once' } })
  t.match(await approvals('approve', first.question.id), {
    code: 3,
    text: /^shellphone: .*has already been decided\n$/,
  })

  const second = await ask(touch('second'))
  t.same(await approvals('deny', second.question.id), { code: 0, text: 'denied\n' })
  t.match(await second.answered, { status: 'denied', approval: { how: 'cli' } })

  const third = await ask(touch('third'))
  const saved = await approvals('approve', third.question.id, '--always')
  const rule = /saved as rule (\S+)/.exec(saved.text)![1]!
  t.equal((await third.answered).approval!.saved_rule, rule)
  t.match((await approvals('rules')).text, new RegExp(`${rule}[\\s\\S]*by owner "ann" \\(cli\\)`))
  t.same(await approvals('revoke', rule), { code: 0, text: 'revoked\n' })
  t.same(await approvals('rules'), { code: 0, text: 'no saved approvals\n' })
})

t.test('answers several approvals at once, and the newest with --last', async (t) => {
  const approvals = (...args: string[]) => cli('approvals', ...args)
  for (const verb of ['show', 'approve', 'deny']) {
    t.same(await approvals(verb, '--last'), {
      code: 1,
      text: `shellphone: approvals ${verb} --last: no pending approvals\n`,
    })
    const usage = `expected either ID or --last, got nothing; see shellphone approvals ${verb} --help`
    t.match(await approvals(verb), { code: 2, text: usage })
    t.match(await approvals(verb, 'x', '--last'), { code: 2, text: 'expected either ID or --last, got both' })
  }
  t.match(await approvals('show', 'nothing'), {
    code: 2,
    text: /^shellphone: nothing: no pending approval has this id; list them with shellphone approvals list\n$/,
  })
  const [one, two, three] = [await ask(touch('one')), await ask(touch('two')), await ask(touch('three'))]
  t.same(await approvals('deny', '--last'), {
    code: 0,
    text: `${three.question.id}: denied: ${touch('three')}\n`,
  })
  t.same(await approvals('approve', one.question.id, two.question.run_id), {
    code: 0,
    text: `${one.question.id}: approved\n${two.question.id}: approved\n`,
  })
  t.match(await Promise.all([one, two, three].map(({ answered }) => answered)), [
    { status: 'completed' },
    { status: 'completed' },
    { status: 'denied' },
  ])
})

t.test('check exits with 0 allow, 1 deny, 4 ask, and 2 for invalid input', async (t) => {
  const cases: [string[], number, RegExp][] = [
    [['ls'], 0, /^allow \(risk low\)/],
    [['rm -rf /'], 1, /^deny [\s\S]*catastrophic \/ wipe[\s\S]*reason: /],
    [[touch('x')], 4, /^ask [\s\S]*risk \/ file-write/],
    [['--policy', 'open', touch('x')], 0, /^allow/],
    [['--policy', '{"allowed_commands":["cat"]}', 'ls'], 1, /allowlist \/ not-listed/],
    [['--policy', '{"allowed_commands":7}', 'ls'], 2, /^shellphone: allowed_commands: expected/],
    [['--policy', '{', 'ls'], 2, /^shellphone: check: --policy: expected JSON/],
    [[], 2, /^shellphone: check: expected COMMAND …, got nothing; /],
    [['ls', '-la'], 0, /^allow \(risk low\)/],
    [['rm', '-rf', '/'], 1, /^deny /],
    [['--', 'echo \x1b[31m > f'], 4, /echo ‹\\x1b›\[31m > f/],
  ]
  for (const [args, code, text] of cases) {
    const one = await cli('check', ...args)
    t.equal(one.code, code, args.join(' '))
    t.match(one.text, text)
  }
})

t.test('finds the service while it removes the file with the token', async (t) => {
  const home = t.testdir({})
  const changing = new Worker(
    `const { rmSync, writeFileSync } = require('node:fs')
    const { parentPort, workerData } = require('node:worker_threads')
    let isOver = false
    parentPort.on('message', () => (isOver = true))
    const change = () => {
      for (let i = 0; i < 100; i++) {
        writeFileSync(workerData, 'x'.repeat(43))
        rmSync(workerData)
      }
      if (isOver) parentPort.close()
      else setImmediate(change)
    }
    change()
    parentPort.postMessage('started')`,
    { eval: true, workerData: join(home, 'token') },
  )
  await once(changing, 'message')
  const place = {
    at: { url: 'http://127.0.0.1:1', home, token: null },
    person: 'ann',
    seenRuns: '',
    isInsideRun: false,
  }
  t.doesNotThrow(() => {
    for (let i = 0; i < 20_000; i++) connect(place)
  })
  changing.postMessage('end')
  await once(changing, 'exit')
})

t.test('prints one line when the service does not respond, or refuses', async (t) => {
  const free = '1' // no program listens there
  const cases: [string, string[], Record<string, string>, RegExp][] = [
    [
      'not running',
      ['approvals', 'list', '--port', free],
      {},
      /^shellphone: cannot reach http:\S+: .*\. Is the service running\? \(start it with shellphone serve\)\n$/,
    ],
    [
      'not running, live view',
      ['approvals', '--port', free],
      {},
      /^shellphone: cannot reach http:\S+: .*\. Is the service running\? \(start it with shellphone serve\)\n$/,
    ],
    [
      'wrong token',
      ['approvals', 'list'],
      { SHELLPHONE_TOKEN: 'wrong' },
      /^shellphone: the service at \S+ rejected the token in SHELLPHONE_TOKEN \(.*\n$/,
    ],
    [
      'wrong token, live view',
      ['approvals'],
      { SHELLPHONE_TOKEN: 'wrong' },
      /^shellphone: the service at \S+ rejected the token in SHELLPHONE_TOKEN \(.*\n$/,
    ],
    [
      'no home',
      ['approvals'],
      { SHELLPHONE_HOME: '/no/such' },
      /^shellphone: no service has been started with the directory \/no\/such; start it with shellphone serve, .*\n$/,
    ],
    [
      'an agent that approves its own command',
      ['approvals', 'approve', 'x'],
      { EXEC_MARK: 'x' },
      /^shellphone: approvals: only a person may answer approval requests, .*\n$/,
    ],
    [
      'port 0',
      ['approvals', 'list', '--port', '0'],
      {},
      /^shellphone: port: expected the port that the service logged, got 0; .*\n$/,
    ],
  ]
  for (const [name, args, more, text] of cases) {
    const all = args.includes('--port') ? args : [...args, '--port', String(service.port)]
    if (args[1]?.startsWith('-') === false) {
      const one = await runPrinting(all, more)
      t.equal(one.code, 3, name)
      t.match(one.text, text)
    } else {
      const view = start(argvOf(all), more)
      t.equal(await view.ended, 3, name)
      t.match(view.seen, text)
    }
  }
})

t.test('exits with 2 for the id or name of something that does not exist', async (t) => {
  const cases: [string[], RegExp][] = [
    [['approvals', 'approve', 'x'], /^x: expected an id, or 4 or more characters of its beginning or end$/],
    [
      ['approvals', 'approve', 'xxxx'],
      /^No approval has the id xxxx; list pending approvals .*: shellphone approvals list$/,
    ],
    [['approvals', 'revoke', 'xxxx'], /: shellphone approvals rules$/],
    [['cancel', 'xxxx'], /^No such run: xxxx; .*: shellphone history$/],
    [['cancel', '0'.repeat(26)], /^No such run: 0+; .*: shellphone history$/],
    [['token', 'revoke', 'x'], /: shellphone token list$/],
    [['token', 'rotate', 'x'], /: shellphone token list$/],
  ]
  for (const [args, message] of cases) {
    const { code, text } = await cli(...args)
    t.equal(code, 2, args.join(' '))
    t.match(text.trimEnd().slice('shellphone: '.length), message)
  }
})

t.test('says which phone does not respond, with --on', async (t) => {
  const url = 'http://127.0.0.1:1' // no program listens there
  const remotes = { phone: { url, key: null, token: 'x' }, lab: { url, key: null, token: 'x', fleet: true } }
  const config = t.testdir({ shellphone: {} })
  writeFileSync(join(config, 'shellphone/remotes.json'), JSON.stringify(remotes), { mode: 0o600 })
  const cases: [string[], string][] = [
    [['ps', '--on', 'phone'], '(start it on phone: shellphone serve)'],
    [['approvals', '--on', 'phone'], '(start it on phone: shellphone serve)'],
    [['run', '--on', 'phone', 'true'], '(start it on phone: shellphone serve)'],
    [['ps', '--on', 'lab/pixel'], '(start the control plane of lab on its machine: shellphone fleet serve)'],
  ]
  for (const [args, hint] of cases) {
    const one = start(argvOf(args), { XDG_CONFIG_HOME: config })
    t.not(await one.ended, 0)
    t.match(one.seen, /^shellphone: cannot reach http:\S+: .*\. Is the service running\? \(.*\)\n$/, args.join(' '))
    t.ok(one.seen.endsWith(`${hint}\n`), one.seen)
  }
})

t.test('says whose token was rejected and how to replace it, with --on', async (t) => {
  const url = `http://127.0.0.1:${service.port}`
  const remotes = { phone: { url, key: null, token: 'old' }, lab: { url, key: null, token: 'old', fleet: true } }
  const config = t.testdir({ shellphone: {} })
  const file = join(config, 'shellphone/remotes.json')
  writeFileSync(file, JSON.stringify(remotes), { mode: 0o600 })
  const own = `shellphone: phone rejected the token in ${file} (revoked, expired, or of another phone); pair again: run shellphone pair on the phone, then here shellphone remote remove phone and shellphone remote add phone 'LINK'\n`
  const ofFleet = `shellphone: lab rejected the token in ${file} (revoked, expired, or of another fleet); for another one, run shellphone fleet token NAME on its control plane, then here shellphone remote remove lab and shellphone remote add lab 'LINK'\n`
  const noFleet = 'shellphone: --on phone: expected a fleet, got a phone; see shellphone remote list\n'
  const noPhone =
    'shellphone: --on lab/pixel: expected a fleet, got a phone; use --on lab; see shellphone remote list\n'
  const cases: [string[], number, string][] = [
    [['fleet', 'phones', '--on', 'phone'], 2, noFleet],
    [['fleet', 'approvals', 'list', '--on', 'phone'], 2, noFleet],
    [['fleet', 'exec', '*', 'ls', '--on', 'lab/pixel'], 2, noPhone],
    [['ps', '--on', 'phone'], 3, own],
    [['logs', 'x', '--on', 'phone'], 3, own],
    [['approvals', '--on', 'phone'], 3, own],
    [['cp', 'phone:a', '.'], 3, own],
    [['edit', 'phone:a'], 3, own],
    [['open', '--on', 'phone'], 3, own],
    [['run', '--on', 'phone', 'true'], 255, own],
    [['ps', '--on', 'lab/pixel'], 3, ofFleet],
    [['fleet', 'phones', '--on', 'lab'], 3, ofFleet],
  ]
  for (const [args, code, text] of cases) {
    const one = start(argvOf(args), { XDG_CONFIG_HOME: config })
    t.equal(await one.ended, code, args.join(' '))
    t.equal(one.seen, text, args.join(' '))
  }
  const bridge = start(argvOf(['mcp', '--on', 'phone']), { XDG_CONFIG_HOME: config })
  t.teardown(() => bridge.child.kill())
  bridge.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  t.ok(await bridge.see('phone rejected the token in '))
})

t.test('says that an approval is answered on the phone, with --on', async (t) => {
  const remotes = { phone: { url: `http://127.0.0.1:${service.port}`, key: null, token: service.token } }
  const config = t.testdir({ shellphone: {} })
  writeFileSync(join(config, 'shellphone/remotes.json'), JSON.stringify(remotes), { mode: 0o600 })
  const one = start(argvOf(['run', '--on', 'phone', '-d', touch('there')]), { XDG_CONFIG_HOME: config })
  t.equal(await one.ended, 0)
  const [run, id] = [/^\w{26}$/m.exec(one.seen)![0], /approve (\w+)/.exec(one.seen)![1]]
  t.match(one.seen, ` s left; answer on the phone, or with shellphone approvals approve ${id} there\n`)
  t.match(await cli('cancel', run), { code: 0 })
})

t.test('says what to do without a control plane, and when fleet.json is not JSON', async (t) => {
  const fleet = (...words: string[]) => cli('fleet', ...words)
  const none =
    /^shellphone: fleet: no control plane on this machine \(\S+plane\.json does not exist\); to use one on this machine, set SHELLPHONE_PLANE_DIRECTORY; to use one on another machine, pair with it: run shellphone fleet token NAME there, then run the command that it prints here, and pass --on FLEET\n$/
  for (const verb of ['phones', 'exec x true', 'job x', 'approvals', 'invite x', 'token x']) {
    t.match(await fleet(...verb.split(' ')), { code: 2, text: none }, verb)
  }
  t.match(await fleet('status'), { code: 1, text: /^not in a fleet; to join one, run shellphone fleet join/ })
  const file = join(service.home, 'fleet.json')
  writeFileSync(file, '{broken', { mode: 0o600 })
  const broken = /^fleet\.json: .*; run shellphone fleet leave, then join again\n$/
  t.ok(await until(async () => broken.test((await fleet('status')).text)))
  t.match(await fleet('leave'), { code: 0 })
  t.notOk(existsSync(file))
})

t.test('says that a control plane waits for its broker, what to do, and where the keys are expected', async (t) => {
  const fleet = t.testdir()
  const config = t.testdir({ shellphone: {} })
  const lab = { url: `http://127.0.0.1:${await freePort()}`, key: null, token: 'x', fleet: true }
  writeFileSync(join(config, 'shellphone/remotes.json'), JSON.stringify({ lab }), { mode: 0o600 })
  const plane = { XDG_CONFIG_HOME: config, SHELLPHONE_PLANE_DIRECTORY: join(fleet, 'plane') }
  const shellphone = async (...args: string[]) => {
    const one = start(argvOf(args), plane)
    return { code: await one.ended, text: one.seen }
  }
  const broker = String(await freePort())
  t.match(await shellphone('fleet', 'init', fleet, '--broker-port', broker, '--url', 'http://127.0.0.1:8099'), {
    code: 0,
    text: `  export SHELLPHONE_PLANE_DIRECTORY='${plane.SHELLPHONE_PLANE_DIRECTORY}' SHELLPHONE_PLANE_PORT=8099\n`,
  })
  t.match(await shellphone('fleet', 'doctor'), {
    code: 1,
    text: new RegExp(`^error    nats://127\\.0\\.0\\.1:${broker}: .*\n         do: check that nats-server runs there `),
  })
  const unreachable =
    /Is the control plane running\? \(start it with shellphone fleet serve, which listens when its broker responds; /
  t.match(
    await shellphone('fleet', 'revoke', 'pixel', '--on', 'lab'),
    { code: 3, text: unreachable },
    'it found the keys',
  )
  rmSync(join(fleet, 'offline'), { recursive: true })
  t.match(await shellphone('fleet', 'revoke', 'pixel', '--on', 'lab'), {
    code: 2,
    text: `shellphone: fleet revoke: ${join(fleet, 'offline/keys.json')} does not exist; pass the directory of fleet init with --directory\n`,
  })
})

t.test('exits with 2 if the command line is wrong, and says what, why and what to do', async (t) => {
  const cases: [string[], RegExp][] = [
    [
      ['approvals', 'fly'],
      /^approvals fly: unknown subcommand; expected watch, list, .*; see shellphone approvals --help$/,
    ],
    [['approvals', 'lits'], /^approvals lits: unknown subcommand, did you mean list\?; /],
    [['token', 'fly', 'x'], /^token fly: unknown subcommand; /],
    [['token', 'rm', 'x'], /^token rm: unknown subcommand, did you mean revoke\?; /],
    [['token', 'delete', 'x'], /^token delete: unknown subcommand, did you mean revoke\?; /],
    [['token', 'remove', 'x'], /^token remove: unknown subcommand, did you mean revoke\?; /],
    [['token', 'ls'], /^token ls: unknown subcommand, did you mean list\?; /],
    [['help', 'run', 'ps'], /^help run ps: run has no subcommands; see shellphone run --help$/],
    [['man', 'run', 'ps'], /^man run ps: run has no subcommands; see shellphone run --help$/],
    [
      ['token', 'revoke', 'owner'],
      /^token revoke: the owner's token cannot be revoked; replace it with shellphone token rotate owner$/,
    ],
    [['token', 'list', 'x'], /^token list: expected no operand, got x; /],
    [['cp', 'a'], /^cp: expected FROM … TO, got a; see shellphone cp --help$/],
    [['cp', 'a', 'b'], /^cp: expected exactly one of FROM and TO on a phone, got a b; write NAME:path/],
    [['cp', ':a', ':b'], /^cp: expected exactly one/],
    [['logs'], /^logs: expected either ID or --last, got nothing; see shellphone logs --help$/],
    [['logs', 'a', 'b'], /^logs: expected \[ID \| --last\], got a b; /],
    [['logs', 'a', '--last'], /^logs: expected either ID or --last, got both; /],
    [['cancel'], /^cancel: expected either ID or --last, got nothing; /],
    [['ps', 'x'], /^ps: expected no operand, got x; /],
    [['history', 'a', 'b'], /^history: expected \[TEXT\], got a b; /],
    [['shell', 'x'], /^shell: expected no operand, got x; /],
    [['remote', 'add', 'x'], /^remote add: expected NAME 'LINK', got x; /],
    [['remote', 'add', 'x', 'y'], /^remote add: expected a link from shellphone pair, in quotes: /],
    [['ps', '--limt', '3'], /^ps: unknown option --limt; list the options with shellphone ps --help$/],
    [['check', '-la', 'ls'], /^check: unknown option -l; list the options /],
    [['config', 'set', 'port', '-5'], /^config set: unknown option -5; write -- before a negative number; /],
    [['history', '--limt', '3'], /^history: unknown option --limt, did you mean --limit\?; /],
    [['fleet', 'fly'], /^fleet fly: unknown subcommand; expected join, /],
    [['fleet', 'init', ''], /^fleet init: expected DIRECTORY, got ''; see shellphone fleet init --help$/],
    [['fleet', 'init', 'x', '--url', 'foo'], /^fleet init: --url: expected https:\/\/HOST, got foo; /],
    [['fleet', 'phones', '--role', 'x'], /^fleet phones: unknown option --role \(it belongs to token\); /],
    [['completion'], /^completion: expected bash, zsh, fish or words, got nothing; /],
    [
      ['completion', 'csh'],
      /^completion csh: unknown subcommand, did you mean zsh\?; expected bash, zsh, fish, words; /,
    ],
    [
      ['config', 'import', 'x.yaml', '--from', 'foo'],
      /^config import: --from: expected oneclaw, .* or meka, got foo; /,
    ],
    [['config', 'import', 'nofile.yaml'], /^config import: nofile\.yaml does not exist$/],
    [
      ['history', '--status', 'compleded'],
      /^history: --status: expected live, .*, got compleded, did you mean completed\?; /,
    ],
    [['history', '--limit', 'abc'], /^history: --limit: expected a whole number from 1 to 1000, got abc; /],
    [['history', '-n', 'abc'], /^history: --limit: expected a whole number from 1 to 1000, got abc; /],
    [['history', '--limit', '-3'], /^history: --limit: expected a whole number from 1 to 1000, got -3; /],
    [['check', '--policy', 'strcit', 'ls'], /^check: --policy: expected open, .*, got strcit, did you mean strict\?; /],
    [['token', 'create', 'a b/c'], /^name: expected /],
    [['fleet', 'join', 'garbage'], /^fleet join: expected a link from shellphone fleet invite, /],
    [
      ['fleet', 'exec', 'x', 'ls', '--queu', '1h'],
      /^fleet exec: unknown option --queu, did you mean --queue\?; .* shellphone fleet exec --help$/,
    ],
    [['fleet', 'serve', '--port', '1'], /^fleet serve: unknown option --port; /],
    [['fleet', 'bogus', '--help'], /^fleet bogus: unknown subcommand; expected join, /],
    [['config', 'nope'], /^config nope: no such setting; list them with shellphone help settings$/],
    [['help', 'nope'], /^help nope: unknown subcommand; list them with shellphone help$/],
    [['man', 'nope'], /^man nope: unknown subcommand; list them with shellphone help$/],
    [['serve', 'x'], /^serve: expected no operand, got x; /],
    [['setup', 'x'], /^setup: expected no operand, got x; /],
    [['setup', '--port', '1'], /^setup: --port: expected a whole number from 1024 to 65535, got 1; /],
    [['serve', '--port', 'abc'], /^setting port: expected an integer from 0 to 65535, got "abc" \(from flags\)$/],
    [['serve', '--prot', '1'], /^serve: unknown option --prot, did you mean --port\?; /],
    [['kill', 'x'], /^kill: unknown subcommand, did you mean cancel\?; list them with shellphone help$/],
    [['top'], /^top: unknown subcommand, did you mean ps\?; /],
    [['wait', 'x'], /^wait: unknown subcommand, did you mean logs -f\?; /],
    [['attach', 'x'], /^attach: unknown subcommand, did you mean shell --attach or logs -f\?; /],
    [['nope'], /^nope: unknown subcommand; list them with shellphone help$/],
  ]
  for (const [args, message] of cases) {
    const { code, text } = await cli(...args)
    t.equal(code, 2, args.join(' '))
    t.match(text, /^shellphone: [^\n]+\n$/, `${args.join(' ')}: one line`)
    t.match(text.slice('shellphone: '.length, -1), message)
  }
  const wrong = run('ps', '--limt', '3')
  t.equal(await wrong.ended, 2, 'the program exits with this code')
  t.match(wrong.seen, /^shellphone: ps: unknown option --limt; /)
})

t.test('exits with 3 if the control plane of an invitation does not respond', async (t) => {
  const plane = `http://127.0.0.1:${await freePort()}`
  const one = start(argvOf(['fleet', 'join', `${plane}/#i=${'a'.repeat(22)}`, '--home', t.testdir({})]), {})
  t.equal(await one.ended, 3)
  const [before, after] = one.seen.split(/ \(.*ECONNREFUSED.*\)\. /)
  t.equal(before, `shellphone: fleet join: no response from ${plane}`)
  t.equal(after, 'Is the control plane running, and can this machine reach it?\n')
})

t.test('exits with 2 for an invalid setting from any source', async (t) => {
  const home = t.testdir({ 'config.yaml': 'port: soon\n' })
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['ps', '--port', 'soon'], {}, /^shellphone: setting port: .* \(from flags\)\n$/],
    [['ps'], { SHELLPHONE_PORT: 'soon' }, /^shellphone: setting port: .* \(from environment\)\n$/],
    [['serve'], { SHELLPHONE_PORT: 'soon' }, /^shellphone: setting port: .* \(from environment\)\n$/],
    [['serve'], { SHELLPHONE_PROT: '1' }, /^shellphone: setting SHELLPHONE_PROT: unknown /],
    [['serve', '--port', '0', '--working-directory', '/no/such'], {}, /^shellphone: setting working_directory: /],
    [['ps', '--home', home], {}, /^shellphone: setting port: .* \(from \S+config\.yaml\)\n$/],
    [['check', 'ls'], { SHELLPHONE_PORT: 'soon' }, /^shellphone: setting port: /],
  ]
  for (const [args, more, message] of cases) {
    const one = start(argvOf(args), more)
    t.equal(await one.ended, 2, args.join(' '))
    t.match(one.seen, message)
  }
})

t.test('uses the running service of --home even if SHELLPHONE_PORT names another', async (t) => {
  const [, port = ''] = flags
  const other = { SHELLPHONE_HOME: t.testdir(), SHELLPHONE_PORT: String(await freePort()) }
  const ps = (more: Record<string, string>, ...words: string[]) => runInProcess(['ps', ...words], more)
  t.match(await ps(other, '--home', service.home), { code: 0, err: '' })
  t.match(await ps({ SHELLPHONE_HOST: '192.0.2.1' }, '--home', service.home), { code: 0, err: '' })
  const own = { ...env, SHELLPHONE_PORT: port }
  t.match(await ps(own, '--home', t.testdir()), {
    code: 3,
    err: new RegExp(
      `the service at http://127\\.0\\.0\\.1:${port} rejected the token; check that SHELLPHONE_HOME belongs to it`,
    ),
  })
  t.match(await ps({ ...env, SHELLPHONE_PORT: other.SHELLPHONE_PORT }), {
    code: 3,
    err: new RegExp(`cannot reach http://127\\.0\\.0\\.1:${other.SHELLPHONE_PORT}: `),
  })
})

t.test('the live view refuses to start if no answer can come from stdin', async (t) => {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'approvals', ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill())
  let seen = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (seen += chunk))
  t.ok(await until(() => child.exitCode !== null || seen.includes('waiting for approval requests')))
  t.equal(child.exitCode, 2)
  t.match(
    seen,
    /^shellphone: approvals: expected a terminal or a pipe on stdin, got nothing that answers could come from; list the requests with shellphone approvals list, /,
  )
})

t.test('open says that it opened a browser, and prints the link without a browser', async (t) => {
  const folder = t.testdir({ 'termux-open-url': '#!/bin/sh\necho "$1" > "$OPENED"\n' })
  chmodSync(join(folder, 'termux-open-url'), 0o755)
  const opened = join(folder, 'opened')
  const one = start(argvOf(['open']), { PATH: `${folder}:${process.env.PATH}`, OPENED: opened })
  t.equal(await one.ended, 0)
  t.match(one.seen, /^shellphone: opened in a browser; to print its link instead, run shellphone open --print\r?\n$/)
  t.match(readFileSync(opened, 'utf8'), /^http:\S+\/#pair=\S+\n$/)
  const none = start(argvOf(['open']), { PATH: '/nonexistent' })
  t.equal(await none.ended, 0)
  t.match(none.seen, /^http:\S+\/#pair=\S+\r?\n$/)
})

t.test('prints no stack trace for bad input or a failed system call', async (t) => {
  const directory = t.testdir({ file: '' })
  const cases: [string[], RegExp][] = [
    [['fleet', 'init', join(directory, 'file', 'x')], /ENOTDIR/],
    [
      ['certificate', 'localhost'],
      /^shellphone: certificate: expected a private key \(P-256, PEM\) on stdin, got nothing; /,
    ],
    [['remote', 'add', 'a/b', 'LINK'], /^shellphone: remote add: expected a name of 1 to 64 letters, .*, got "a\/b"$/],
    [
      ['cp', join(directory, 'file', 'x'), ':y'],
      /file\/x: no such file on this machine; nothing was copied, check the path$/,
    ],
    [['history', '--status', 'foo'], /^shellphone: history: --status: expected live, queued, /],
    [
      ['man', '--directory', join(directory, 'file', 'x')],
      /^shellphone: man: cannot write to .*; choose another --directory$/,
    ],
  ]
  for (const [args, message] of cases) {
    const one = run(...args)
    one.child.stdin!.end()
    t.not(await one.ended, 0)
    t.match(one.seen.trimEnd(), message, args.join(' '))
    t.notMatch(one.seen, /\n +at |Error:.*\n.*Error/)
  }
})

t.test('ps and history show which runs wait for approval, and /health counts them', async (t) => {
  const { question, answered } = await ask(touch('seen'))
  const { pending_approvals } = (await (await service.request('/health')).json()) as { pending_approvals: number }
  t.equal(pending_approvals, 1)
  for (const subcommand of ['ps', 'history']) {
    const { text } = await cli(subcommand)
    t.match(text, new RegExp(`^${question.run_id}  needs approval .* owner  touch `, 'm'), subcommand)
    t.match(text, /^shellphone: 1 waiting for approval; answer with shellphone approvals$/m)
  }
  const record = JSON.parse((await cli('ps', '--json')).text).runs[0]
  t.match(record, { status: 'queued', pending_approval: { id: question.id, expires_at: question.expires_at } })
  t.match(record, { via: 'POST /exec' }, 'and how the request came')
  await service.post(`/approvals/${question.id}`, { decision: 'deny' })
  t.notOk('pending_approval' in (await answered))
  t.match((await cli('ps')).text, 'no live runs')
  t.match((await cli('history')).text, new RegExp(`^${question.run_id}  denied `, 'm'))
})

t.test('the live view reads keys in a terminal', async (t) => {
  const view = runInTerminal('approvals')
  t.teardown(() => view.child.kill())
  t.ok(await view.see('waiting for approval requests, [q]uit'))
  for (const [key, status] of [
    ['y', 'completed'],
    ['n', 'denied'],
    ['a', 'completed'],
  ] as const) {
    const { question, answered } = await ask(touch(`key-${key}`))
    t.ok(await view.see(question.id))
    t.ok(await view.see(/\[y\]es once {2}\[n\]o {2}\[a\]lways {2}\[q\]uit {3}1 of 1, \d+ s left/))
    if (key === 'y') {
      const others = setInterval(() => view.write('x'), 100)
      t.ok(await view.see('x: not an answer; type y, n, a or q'), 'an unknown key')
      clearInterval(others)
    }
    // the view ignores a key that comes too soon, so press it until the answer arrives
    const presses = setInterval(() => view.write(key), 100)
    t.match(await answered, { status, approval: { how: 'cli' } })
    clearInterval(presses)
    const saved = key === 'a' ? ', saved as rule \\w+' : ''
    const outcome = key === 'n' ? 'denied' : 'approved'
    t.ok(await view.see(new RegExp(`${question.id}: ${outcome} by owner "ann", cli${saved}: touch `)), view.seen)
  }
  const { question, answered } = await ask(nasty)
  t.ok(await view.see(question.id))
  t.ok(await view.see('‹\\u{202e}›'))
  t.notOk(view.seen.includes('\x1b[2J') || view.seen.includes('\u202e'), 'a command cannot repaint the terminal')
  view.write('q')
  t.equal(await view.ended, 0)
  await service.post(`/approvals/${question.id}`, { decision: 'deny' })
  await answered
})

t.test('shows what is hidden in a forged command', async (t) => {
  const show = async (...ids: string[]) => (await cli('approvals', 'show', ...ids)).text
  const waiting = await Promise.all(forged.map(([, command]) => ask(command, { env: { X: command } })))
  const seen = await show(...waiting.map(({ question }) => question.id))
  t.notMatch((await cli('approvals', 'list')).text, /[^\n\P{C}]/u, 'no control characters in the list')
  for (const [name, , shown] of forged) {
    t.ok(seen.includes(`command   │ ${shown}\n`), name)
    t.ok(seen.includes(`env       │ X=${shown}\n`), `${name} in the environment`)
  }
  t.notMatch(seen, /[^\n\P{C}]/u, 'no control characters')
  for (const { question, answered } of waiting) {
    await service.post(`/approvals/${question.id}`, { decision: 'deny' })
    await answered
  }

  const long = `touch ${'x'.repeat(40)} ${'y'.repeat(40)}`
  const cases: [string, object, RegExp][] = [
    [`${touch('real')}\ntouch line`, {}, /\n {10}│ touch line\n/],
    [`${touch('literal')}\\ntouch line`, {}, /literal\\ntouch line\n/],
    [long, {}, /command {3}│ touch x+ \n {10}┆ y+\n/],
    [
      touch('fed'),
      { stdin: 'a\nb\n(9 bytes)' },
      /stdin {5}│ a\n {10}│ b\n {10}│ \(9 bytes\)\ndigest {4}│ 13 bytes, sha256 \w{40,}/,
    ],
    [touch('more'), { stdin: 'x'.repeat(5000) }, /digest {4}│ 5000 bytes, of which the first 4096 are shown, sha256 /],
    [
      touch('open'),
      { stdin: 'open' },
      /stdin {5}│ stays open: [\s\S]*always {4}│ not available while stdin stays open\n/,
    ],
  ]
  for (const [command, more, expected] of cases) {
    const { question, answered } = await ask(command, more)
    t.match(await show('--last'), expected, command)
    await service.post(`/approvals/${question.id}`, { decision: 'deny' })
    await answered
  }
})

t.test('a (always) saves nothing while stdin stays open', async (t) => {
  const { question, answered } = await ask(touch('open'), { stdin: 'open' })
  const view = run('approvals')
  t.teardown(() => view.child.kill())
  t.ok(await view.see(question.id))
  t.ok(await view.see('y (once) or n?'))
  view.write('a\n')
  t.ok(await view.see('always: not available while stdin stays open'))
  view.write('n\n')
  t.match(await answered, { status: 'denied', approval: { how: 'cli' } }, 'the request was still pending')
})

t.test('the live view ends with its stdin: 0 if all is answered, otherwise 1 and a message', async (t) => {
  const early = run('approvals')
  early.child.stdin!.end('y\n')
  t.equal(await early.ended, 1)
  t.match(early.seen, /^shellphone: approvals: stdin has ended: it ended before a request arrived; keep it open, /m)
  const { question, answered } = await ask(touch('unanswered'))
  const unanswered = run('approvals')
  unanswered.child.stdin!.end()
  t.equal(await unanswered.ended, 1)
  const use = `use shellphone approvals approve ${question.id}\n`
  t.match(
    unanswered.seen,
    `shellphone: approvals: stdin has ended: no answer to request ${question.id} was read after it was shown; ${use}`,
  )
  const view = run('approvals')
  t.ok(await view.see(question.id))
  view.child.stdin!.end('n\n')
  t.equal(await view.ended, 0)
  t.equal((await answered).status, 'denied')
})

t.test('the live view exits with 3 if the token may not answer', async (t) => {
  const { token } = (await (await service.post('/tokens', { name: 'agent' })).json()) as { token: string }
  const view = start(argvOf(['approvals', ...flags]), { SHELLPHONE_TOKEN: token, SHELLPHONE_HOME: t.testdir() })
  t.equal(await view.ended, 3)
  t.match(view.seen, /^shellphone: .*approv/m)
})

t.test('the live view reads lines from a pipe', async (t) => {
  const view = run('approvals')
  t.teardown(() => view.child.kill())
  t.ok(await view.see('waiting for approval requests'))
  view.write('y\n')
  t.ok(await view.see('no approval request is pending for this answer'), 'an answer is not stored for a later request')
  for (const [word, expected] of [
    ['y', { status: 'completed', approval: { by: 'owner "ann"', how: 'cli', scope: 'once' } }],
    ['n', { status: 'denied', approval: { by: 'owner "ann"', how: 'cli' } }],
    ['a', { status: 'completed', approval: { scope: 'always' } }],
  ] as const) {
    const { question, answered } = await ask(touch(word))
    t.ok(await view.see(question.id))
    view.write(`${word}\n`)
    t.match(await answered, expected, word)
    t.ok(await view.see(`${question.id}: ${word === 'n' ? 'denied' : 'approved'} by owner "ann", cli`))
  }

  const older = await ask(touch('older'))
  const newer = await ask(touch('newer'))
  t.ok(await view.see(older.question.id))
  // the view may not have received the newer request yet
  const words = setInterval(() => view.write(`n ${newer.question.id}\n`), 100)
  t.equal((await newer.answered).status, 'denied', 'by its id')
  clearInterval(words)
  view.write('y\n')
  t.equal((await older.answered).status, 'completed', 'the oldest request is shown')

  const { question, answered } = await ask(nasty)
  t.ok(await view.see(question.id))
  view.write('n\n')
  await answered
  t.ok(view.seen.includes("touch 'a‹\\x1b›[2J‹\\u{202e}›b'"), 'a command cannot repaint the terminal')
  t.notMatch(view.seen, /[^\n\P{C}]/u, 'no control characters')
  t.match(view.seen, / {10}│ echo '│ risk {6}│ low' ‹\\r›‹\\x07›\n/, 'nor forge a line of the view')

  const last = await ask(touch('last'))
  t.ok(await view.see(last.question.id))
  await service.kill('SIGTERM')
  t.ok(await view.see('the connection to the service is lost; this view waits until it is back'))
  const again = await watchedService(t, {}, { home: service.home, flags })
  t.ok(await view.see('connected again'), 'after a restart')
  const next = await again.ask(touch('next'))
  t.ok(await view.see(next.question.id), 'and shows new requests')
  view.child.stdin!.end()
  t.equal(await view.ended, 1, 'the end of a pipe answers nothing')
  await again.service.post(`/approvals/${next.question.id}`, { decision: 'deny' })
  t.equal((await next.answered).status, 'denied')
})
