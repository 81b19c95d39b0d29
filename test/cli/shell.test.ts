import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createEscapes } from '../../src/cli/commands/escape-keys.ts'
import { createReplayFilter } from '../../src/cli/commands/replay-filter.ts'
import { noTerminals, processesWith, root, startService, until } from '../support/helper.ts'

const service = await startService({ env: { SHELLPHONE_TERMINAL: 'on', SHELL: '/bin/sh' } })
t.teardown(() => service.stop())
const skip = (await noTerminals(service)) ?? false

/** `shellphone …` in a pseudo terminal of 91 columns. */
const inTerminal = (...args: string[]) => inTerminalOf(service.home, ...args)

function inTerminalOf(home: string, ...args: string[]) {
  const command = [process.execPath, join(root, 'dist/main.js'), ...args].map((word) => `'${word}'`).join(' ')
  const line = `stty rows 33 cols 91; before=$(stty -g); ${command}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...process.env, SHELLPHONE_HOME: home },
    stdio: 'pipe',
  })
  let seen = ''
  child.stdout.on('data', (chunk) => (seen += chunk))
  const see = (text: string | RegExp) => until(() => (typeof text === 'string' ? seen.includes(text) : text.test(seen)))
  return { write: (text: string) => void child.stdin.write(text), see, seen: () => seen, ended: once(child, 'exit') }
}

t.test('opens a terminal on the other machine', { skip }, async (t) => {
  const { write, see, ended, seen } = inTerminal('shell')
  write('stty size; tty | sed s/[0-9]*$/N/\r')
  t.ok(await see('33 91'), seen())
  t.ok(await see('/dev/pts/N'))
  write('sleep 40.11\r')
  t.ok(await until(() => processesWith('sleep 40.11').length > 0))
  write('\x03')
  t.ok(await until(() => processesWith('sleep 40.11').length === 0))
  write('echo after $((6*7))\r')
  t.ok(await see('after 42'), 'Ctrl-C goes to the command')
  write('exit 5\r')
  t.ok(await see('code 5'))
  t.ok(await see('restored'), 'the terminal settings are restored')
  await ended
})

t.test('says why the terminal ended when the service stops', { skip }, async (t) => {
  const stopping = await startService({ env: { SHELLPHONE_TERMINAL: 'on', SHELL: '/bin/sh' } })
  t.teardown(() => stopping.stop())
  const { write, see, seen, ended } = inTerminalOf(stopping.home, 'shell')
  write('echo after $((6*7))\r')
  t.ok(await see('after 42'), seen())
  await stopping.stop()
  t.ok(await see('restored'), seen())
  t.match(seen(), /shellphone: the service is stopping\r\n[^]*code 143/)
  await ended
})

t.test('refuses to attach to a run without a terminal, and ends', { skip }, async (t) => {
  const { id } = (await (await service.post('/exec', { command: 'sleep 600', background: true })).json()) as {
    id: string
  }
  const { see, seen, ended } = inTerminal('shell', '--attach', id)
  t.ok(await see(`run ${id} has no terminal; follow it with shellphone logs ${id} -f`), seen())
  t.ok(await see('code 3'), seen())
  await ended
  const unknown = inTerminal('shell', '--attach', 'xxxx')
  t.ok(await unknown.see('shellphone: xxxx: no live run has an id that starts or ends with this'), unknown.seen())
  t.ok(await unknown.see('code 2'), unknown.seen())
  await unknown.ended
  await service.request(`/runs/${id}`, { method: 'DELETE' })
})

t.test('asks again after an answer that is neither yes nor no', { skip }, async (t) => {
  const asking = await startService({ env: { SHELLPHONE_TERMINAL: 'ask', SHELL: '/bin/sh' } })
  t.teardown(() => asking.stop())
  const { write, see, seen, ended } = inTerminalOf(asking.home, 'run', '-t', 'echo opened')
  t.ok(await see('[y/N]'), seen())
  write('bob\r')
  t.ok(await see(/Answer y or n\. Open a terminal\? \[y\/N\] |code/), seen())
  t.notMatch(seen(), 'code', 'bob does not deny the terminal')
  write('yes\r')
  t.ok(await see(/opened[^]*code 0|code/), seen())
  t.match(seen(), 'code 0')
  await ended
})

t.test('attaches to a terminal that waits for approval, and sets its size', { skip }, async (t) => {
  const asking = await startService({ env: { SHELLPHONE_TERMINAL: 'ask', SHELL: '/bin/sh' } })
  t.teardown(() => asking.stop())
  const tty = { rows: 24, columns: 80 }
  const command = 'while [ "$(stty size)" != "33 91" ]; do sleep 0.02; done; echo resized'
  const { id } = (await (await asking.post('/exec', { command, tty })).json()) as { id: string }
  const { write, see, seen, ended } = inTerminalOf(asking.home, 'shell', '--attach', id)
  t.ok(await see('[y/N]'), seen())
  write('y\r')
  t.ok(await see(/resized[^]*code 0|code/), seen())
  t.match(seen(), 'code 0')
  await ended
})

t.test('run -t obeys --directory and --timeout', { skip }, async (t) => {
  const { see, seen, ended } = inTerminal('run', '-t', '-C', '/usr', '--timeout', '0.3', 'pwd; sleep 40.13')
  t.ok(await see('code '), seen())
  t.match(seen(), /^\/usr\r+\nshellphone: timed out after 0\.3 s\r\ncode 124/m)
  await ended
})

t.test('leaves a terminal and attaches to it again', { skip }, async (t) => {
  const first = inTerminal('run', '-t', 'echo begun; exec sh')
  t.ok(await first.see('begun'))
  first.write('X=kept\r')
  first.write('echo "<$X>"\r')
  t.ok(await first.see('<kept>')) // all input was read, and a line has ended
  for (const key of ['~', '.']) first.write(key)
  t.ok(await first.see(/--attach [0-9a-z]{26}/), first.seen())
  t.ok(await first.see('restored'))
  const [, id] = /--attach ([0-9a-z]{26})/.exec(first.seen())!
  const second = inTerminal('shell', '--attach', id!)
  t.ok(await second.see('begun'), 'earlier output is shown again')
  second.write('echo "[$X]"; exit 3\r')
  t.ok(await second.see('[kept]'), second.seen())
  t.notMatch(second.seen(), '~', 'the escape sequence was not sent to the shell')
  t.ok(await second.see('code 3'))
  await second.ended
})

t.test('sends what is pasted together with ~. before it leaves', { skip }, async (t) => {
  const file = join(service.home, 'pasted')
  const first = inTerminal('run', '-t', 'echo begun; exec sh')
  t.ok(await first.see('begun'))
  first.write(`touch ${file}\r~.`)
  t.ok(await first.see(/--attach [0-9a-z]{26}/), first.seen())
  t.ok(await until(() => existsSync(file)), 'the command before ~. ran')
  const [, id] = /--attach ([0-9a-z]{26})/.exec(first.seen())!
  const second = inTerminal('shell', '--attach', id!.slice(0, 25))
  t.ok(await second.see('begun'), 'the beginning of an id is enough')
  second.write('~?')
  t.ok(await second.see('~.  leave the terminal running'), second.seen())
  second.write('exit 4\r')
  t.ok(await second.see('code 4'))
  await second.ended
})

t.test('does not replay the queries of earlier programs to the terminal', { skip }, async (t) => {
  const queries = String.raw`\033[c\033[>c\033]11;?\007\033P\044q\042p\033\134`
  const first = inTerminal('run', '-t', `printf "a${queries}begun"; exec sh`)
  t.ok(await first.see('a\x1b[c\x1b[>c\x1b]11;?\x07\x1bP$q"p\x1b\\begun'), 'the terminal gets them once')
  for (const key of ['~', '.']) first.write(key)
  t.ok(await first.see(/--attach [0-9a-z]{26}/), first.seen())
  const [, id] = /--attach ([0-9a-z]{26})/.exec(first.seen())!
  const second = inTerminal('shell', '--attach', id!)
  t.ok(await second.see('abegun'), JSON.stringify(second.seen()))
  second.write('exit 3\r')
  t.ok(await second.see('code 3'))
  await second.ended
})

t.test('a tilde at the beginning of a line starts an escape sequence, as in ssh', async (t) => {
  const cases: [pieces: string[], expected: string][] = [
    [['ls\r~.'], 'ls\r<leave>'],
    [['~', '.'], '<leave>'],
    [['ls\r~.more'], 'ls\r<leave>'],
    [['a~.'], 'a~.'],
    [['~a', '\r~', '\r'], '~a\r~\r'],
    [['~~', '\r~~.'], '~\r~.'],
    [['~?~.'], '<help><leave>'],
    [['\x1b[200~ls\r', '~.'], '\x1b[200~ls\r<leave>'],
  ]
  for (const [pieces, expected] of cases) {
    let sent = ''
    const take = createEscapes({
      send: (text) => (sent += text),
      leave: () => (sent += '<leave>'),
      help: () => (sent += '<help>'),
    })
    for (const piece of pieces) take(piece)
    t.equal(sent, expected, JSON.stringify(pieces))
  }
})

t.test('the replay filter removes queries, also in pieces, and nothing else', async (t) => {
  const queries = [
    '\x05',
    '\x1bZ',
    '\x1b[c',
    '\x1b[0c',
    '\x1b[>0c',
    '\x1b[=c',
    '\x1b[5n',
    '\x1b[6n',
    '\x1b[?996n',
    '\x1b[>0q',
    '\x1b[?2026$p',
  ]
    .concat([
      '\x1b[4$p',
      '\x1b[?u',
      '\x1b[14t',
      '\x1b[18t',
      '\x1b[21t',
      '\x1b[x',
      '\x1bP+q544e\x1b\\',
      '\x1bP$qm\x1b\\',
    ])
    .concat(['\x1b]10;?\x07', '\x1b]11;?\x1b\\', '\x1b]4;1;?\x07', '\x1b]52;c;?\x07'])
  const others = [
    '\x1b[2J',
    '\x1b[1;31m',
    '\x1b[?25h',
    '\x1b[22;0;0t',
    '\x1b]0;really?\x07',
    '\x1b[!p',
    '\x1bc',
    '\x1b[4 q',
    'ä€😀',
    '\x1b[u',
  ]
  const filtered = (pieces: Buffer[]) => {
    const { pass, rest } = createReplayFilter()
    return String(Buffer.concat([...pieces.map(pass), rest()]))
  }
  for (const query of queries) {
    const bytes = Buffer.from(`<${query}>`)
    t.equal(filtered([bytes]), '<>', JSON.stringify(query))
    t.equal(filtered([...bytes].map((byte) => Buffer.from([byte]))), '<>', `${JSON.stringify(query)} byte by byte`)
  }
  for (const other of others) {
    const bytes = Buffer.from(`<${other}>`)
    t.equal(filtered([...bytes].map((byte) => Buffer.from([byte]))), `<${other}>`, JSON.stringify(other))
  }
  t.equal(filtered([Buffer.from('a\x1b[')]), 'a\x1b[', 'the end of the replayed output may split a sequence')
})

t.test('refuses to run without a local terminal', async (t) => {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'shell'], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (chunk) => (err += chunk))
  t.equal((await once(child, 'close'))[0], 2)
  t.match(err, /^shellphone: stdin and stdout must both be terminals; without one, use shellphone run /)
})
