import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { noTerminals, processesWith, root, startService, until } from '../support/helper.ts'

const service = await startService({ env: { SHELLPHONE_TERMINAL: 'on', SHELL: '/bin/sh' } })
t.teardown(() => service.stop())
const skip = (await noTerminals(service)) ?? false

/** `shellphone …` in a pseudo terminal of 91 columns. */
function inTerminal(...args: string[]) {
  const command = [process.execPath, join(root, 'dist/main.js'), ...args].map((word) => `'${word}'`).join(' ')
  const line = `stty rows 33 cols 91; before=$(stty -g); ${command}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored`
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
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

t.test('refuses to run without a local terminal', async (t) => {
  const child = spawn(process.execPath, [join(root, 'dist/main.js'), 'shell'], {
    env: { ...process.env, SHELLPHONE_HOME: service.home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (chunk) => (err += chunk))
  t.equal((await once(child, 'close'))[0], 3)
  t.match(err, /^shellphone: stdin and stdout must both be terminals; without one, use shellphone run /)
})
