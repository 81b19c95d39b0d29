import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSpawner } from '../../../src/server/spawn/index.ts'
import { launcherFor, start } from '../../support/spawn/harness.ts'
import { wants } from '../../support/helper.ts'
import { bwrap, bwrapAlone } from '../../support/sandbox/bwrap.ts'

const { folder, path, missing } = launcherFor('launcher', ['-O0'])
wants(t, missing && `no launcher: ${missing}`)

const open = async (t: Test, externalSandbox: string[]) => {
  const opened = await openSpawner({
    use: 'launcher',
    landlock: 'off',
    externalSandbox,
    shell: '/bin/sh',
    env: { PATH: process.env.PATH! },
    tmpDir: folder,
    platform: 'linux',
    launchers: () => ({ launchers: [{ path, what: 'the launcher' }], notBuilt: null }),
  })
  t.teardown(() => opened.spawner.close())
  return opened
}

const whole = [...bwrapAlone, '--die-with-parent', '--tmpfs', '{hidden}']
const works = () => {
  try {
    return execFileSync(bwrap[0]!, [...bwrap.slice(1), 'echo', 'works']).toString() === 'works\n'
  } catch {
    return false
  }
}

t.test('does not offer an external sandbox that leaks, and reports why', async (t) => {
  const rows: [string[], RegExp][] = [
    [['env'], /^read-only: it does not prevent write, append/],
    [['nosuchprogram'], /^read-only: .*ENOENT/],
    [['false'], /^read-only: a shell in it cannot read/],
  ]
  if (works()) {
    rows.push([
      bwrap,
      /^read-only: a command in it can read directories that it must hide, such as the service's home; `{hidden}` in sandbox.command stands for/,
    ])
    rows.push([
      ['sh', '-c', 'exec "$@" 5>/dev/null', 'sh', ...whole],
      /^read-only: a command in it inherits a descriptor from outside/,
    ])
  }
  for (const [command, reason] of rows) {
    const { sandboxes } = await open(t, command)
    t.same([sandboxes.available, sandboxes.by], [['none'], null], command.join(' '))
    t.match(sandboxes.reason, reason)
  }
})

t.test('passes the hidden folders to bwrap', { skip: works() ? false : 'bwrap cannot be used here' }, async (t) => {
  const { spawner, sandboxes } = await open(t, whole)
  t.same([sandboxes.available, sandboxes.by], [['none', 'read-only'], 'external'], sandboxes.reason ?? '')
  const hidden = ['one', 'two'].map((name) => join(folder, name))
  for (const home of hidden) {
    mkdirSync(home)
    writeFileSync(join(home, 'token'), 'the token')
  }
  const script = `cat ${hidden.map((home) => `${home}/token`).join(' ')}; echo x > ${folder}/written; echo read`
  const { child, text } = await start(spawner, script, {
    sandbox: { name: 'read-only', network: true, writable: [], hidden },
  })
  await Promise.all([child.exited, child.closed])
  t.same([text(), existsSync(join(folder, 'written'))], ['read\n', false])
})
