import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { endWithUs, root, until } from '../support/helper.ts'

t.test('serve keeps running when its terminal is closed, and ends on SIGTERM', async (t) => {
  const folder = t.testdir()
  const [pidFile, codeFile] = [join(folder, 'pid'), join(folder, 'code')]
  const serve = `'${process.execPath}' '${join(root, 'dist/main.js')}' serve --port 0`
  // the shell survives the terminal, too, so that it can report the exit code
  const line = `trap : HUP; (sh -c 'echo $$ > "$0"; exec "$@"' '${pidFile}' ${serve}); echo $? > '${codeFile}'`
  const terminal = endWithUs(
    spawn('script', ['-qec', line, '/dev/null'], {
      env: { ...process.env, SHELL: '/bin/sh', SHELLPHONE_HOME: join(folder, 'home') },
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
  process.kill(pid, 'SIGTERM')
  t.ok(await until(() => existsSync(codeFile) && readFileSync(codeFile, 'utf8') !== ''))
  t.equal(readFileSync(codeFile, 'utf8'), '0\n')
})

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)
