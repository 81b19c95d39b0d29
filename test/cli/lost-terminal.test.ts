import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { endWithUs, root, until } from '../support/helper.ts'

const token = 'the-token-of-the-lost-terminal-suite'

t.test('serve keeps running when its terminal is closed, and ends on SIGTERM', async (t) => {
  const folder = t.testdir()
  const [pidFile, codeFile] = [join(folder, 'pid'), join(folder, 'code')]
  const serve = `'${process.execPath}' '${join(root, 'dist/main.js')}' serve --port 0`
  // the shell survives the terminal, too, so that it can report the exit code
  const line = `trap : HUP; (sh -c 'echo $$ > "$0"; exec "$@"' '${pidFile}' ${serve}); echo $? > '${codeFile}'`
  const terminal = endWithUs(
    spawn('script', ['-qec', line, '/dev/null'], {
      env: { ...process.env, SHELL: '/bin/sh', SHELLPHONE_HOME: join(folder, 'home'), SHELLPHONE_TOKEN: token },
      stdio: 'pipe',
    }),
  )
  let seen = ''
  terminal.stdout!.on('data', (chunk) => (seen += chunk))
  t.ok(await until(() => seen.includes('listens at')), seen)
  const pid = Number(readFileSync(pidFile, 'utf8'))
  t.teardown(() => isAlive(pid) && process.kill(pid, 'SIGKILL'))
  const url = /listens at (\S+)/.exec(seen)![1]!

  terminal.kill('SIGKILL')
  await once(terminal, 'exit')
  t.equal((await fetch(`${url}/health`)).status, 200, 'it still responds')
  const exec = (body: object) =>
    fetch(`${url}/exec`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  t.equal((await exec({ command: 'true' })).status, 200)
  t.equal((await exec({ command: 'sleep 222', background: true })).status, 202, 'the log has more to write at the stop')
  process.kill(pid, 'SIGTERM')
  t.ok(await until(() => existsSync(codeFile) && readFileSync(codeFile, 'utf8') !== ''))
  t.equal(readFileSync(codeFile, 'utf8'), '0\n')
})

t.test('serve ends on SIGTERM although its log cannot be written', async (t) => {
  const home = join(t.testdir(), 'home')
  const full = openSync('/dev/full', 'w')
  const service = endWithUs(
    spawn(process.execPath, [join(root, 'dist/main.js'), 'serve', '--port', '0', '--home', home], {
      stdio: ['ignore', full, 'inherit'],
    }),
  )
  closeSync(full)
  t.ok(await until(() => existsSync(join(home, 'address'))))
  const url = readFileSync(join(home, 'address'), 'utf8').trim()
  t.equal((await fetch(`${url}/health`)).status, 200, 'it responds')
  service.kill('SIGTERM')
  t.same(await once(service, 'exit'), [0, null])
})

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)
