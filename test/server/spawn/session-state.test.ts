import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createChildProcessSpawner } from '../../../src/server/spawn/index.ts'
import { createLauncherSpawner } from '../../../src/server/spawn/launcher.ts'
import type { SpawnRequest } from '../../../src/shared/schema/index.ts'
import { launcherFor, request } from '../../support/spawn/harness.ts'

const { path, folder, missing } = launcherFor('launcher', ['-O0', '-Wall', '-Wextra', '-Werror'])
const helpers = join(folder, 'helpers')
const ash = join(folder, 'ash')
if (existsSync('/usr/bin/busybox')) symlinkSync('/usr/bin/busybox', ash)
const shells = ['/usr/bin/dash', '/usr/bin/bash', '/usr/bin/mksh', ash].filter((shell) => existsSync(shell))

t.test('a session', { skip: missing ?? false }, async (t) => {
  const spawner = await createLauncherSpawner({ path, sandboxes: true })
  t.teardown(() => spawner.close())

  async function end(script: string, more: Partial<SpawnRequest> = {}) {
    let output = ''
    const onOutput = (_stream: unknown, chunk: Buffer) => void (output += chunk)
    const child = await spawner.spawn(request(script, { stateFolder: helpers, ...more }), { onOutput })
    const { exitCode, signal, state } = await child.exited
    await child.closed
    const [cwd, ...variables] = state?.toString().split('\0') ?? []
    return { exitCode, signal, output, isCaptured: state !== undefined, cwd, variables }
  }

  for (const shell of shells) {
    t.test(`in ${shell.split('/').at(-1)}`, async (t) => {
      const row = async (script: string, exitCode: number, cwd?: string, variable = 'A=1') => {
        const ended = await end(script, { shell, env: { PATH: process.env.PATH!, A: '1' } })
        t.match(ended, { exitCode, signal: null, output: '', isCaptured: cwd !== undefined }, script)
        t.equal(ended.cwd, cwd, script)
        if (cwd !== undefined) t.ok(ended.variables.includes(variable), script)
      }
      await row('cd /usr; export B="2 3"; exit 3', 3, '/usr', 'B=2 3')
      await row('A=4', 0, '/', 'A=4')
      await row('PATH=; cd /usr', 0, '/usr', 'PATH=')
      await row('set -eu; cd /usr; (exit 7); echo no', 7, '/usr')
      await row('cd /usr; exec 9>&1 8>/dev/null; exit 1', 1, '/usr')
      await row('trap "" EXIT; cd /usr', 0)
      await row(`cd /usr; : '${'x'.repeat(300_000)}'; exit 5`, 5, '/usr')
      await row('export IFS=127; cd /usr; (exit 127)', 127, '/usr', 'IFS=127')
      await row('cd /usr; ulimit -f 0', 0, '/usr')
      const killed = await end('cd /usr; kill -KILL $$', { shell })
      t.match(killed, { exitCode: null, signal: 'SIGKILL', isCaptured: false }, 'a shell that was killed has no state')
    })
  }

  /** Scripts whose status, signal and output must be the same with and without a session. */
  const same = [
    ...[
      'exit 7',
      'false',
      'set -e; false; echo no',
      'set -u; echo $none',
      'no-such-program',
      'echo a; echo b >&2; exit 3',
    ],
    ...[
      '(exit 4)',
      'readonly A=1; A=2; echo on',
      'true\nfi\n',
      'echo a | cat',
      'cat <<E\nx $((1+1))\nE',
      'false && echo x',
      'echo x & wait',
    ],
    ...[
      'exec 3>&1; echo a >&3',
      'f() { return 5; }; f',
      'trap "echo own" EXIT; exit 6',
      'exec sh -c "exit 8"',
      '\necho $0',
      '# only a comment',
    ],
    ...[
      'umask 077; cd /usr; pwd',
      'A=1 sh -c "echo \\$A"',
      'unset PATH; /bin/echo x',
      'return 3',
      'set -- a b; echo $# $1',
      'kill -KILL $$',
    ],
    ...[
      'trap "echo term" TERM; kill -TERM $$; echo after',
      'exec 9>/dev/null; echo x >&9; echo y',
      'echo "$-" | grep -c x',
      'true; (sleep 0 &)',
    ],
    ...[
      'trap "echo err" ERR; exit 3',
      'trap "exit 5" ERR; exit 3',
      'trap "exit 9" TERM; kill -TERM $$',
      'trap "echo debug" DEBUG; exit 3',
      'set -e; ulimit -f 0; cd /',
      'set -e; export V="$(head -c 140000 /dev/zero | tr "\\0" x)"',
    ],
  ]
  for (const shell of shells) {
    t.test(`${shell.split('/').at(-1)} shows the same as without a session`, async (t) => {
      for (const script of same) {
        const text = script.replaceAll('\\n', '\n')
        const [inSession, alone] = [
          await end(text, { shell }),
          await end(text, { shell, stateFolder: undefined } as never),
        ]
        const shown = ({ exitCode, signal, output }: typeof alone) => ({ exitCode, signal, output })
        t.same(shown(inSession), shown(alone), JSON.stringify(text))
      }
    })
  }

  t.test('a script that closes the descriptor has no state', async (t) => {
    t.match(await end('exec 198>&-; exit 2', { shell: '/bin/bash' }), { exitCode: 2, output: '', isCaptured: false })
  })

  t.test('the file of a script at the same descriptor stays unchanged', async (t) => {
    const file = join(folder, 'own')
    writeFileSync(file, 'its own content, longer than a nonce and a length')
    const ended = await end(`exec 198<>${file}`, { shell: '/bin/bash' })
    t.match(ended, { exitCode: 0, isCaptured: false })
    const { output } = await end(`cat ${file}`)
    t.equal(output, 'its own content, longer than a nonce and a length')
  })

  t.test('only the shell itself writes its state, not a process that it has forked', async (t) => {
    const own = 'eval "set -- $(trap)"; trap - EXIT; (cd /usr; eval "$3"; :)'
    t.match(await end(own, { shell: '/bin/bash' }), { exitCode: 0, isCaptured: false })
  })

  t.test('no command can make the file larger', async (t) => {
    const { output } = await end('head -c 2000000 /dev/zero 2>/dev/null >/proc/self/fd/198; wc -c </proc/self/fd/198')
    t.equal(output.trim(), '1048576')
  })

  t.test('a state beyond 1 MiB is reported as too long', async (t) => {
    const export_ = 'v=$(head -c 120000 /dev/zero | tr "\\0" x); for n in 1 2 3 4 5 6 7 8 9; do export V$n="$v"; done'
    const ended = await end(export_)
    t.match(ended, { exitCode: 0, isCaptured: true, cwd: '', variables: [] })
  })

  t.test('a deleted directory is empty', async (t) => {
    const gone = join(folder, 'gone')
    mkdirSync(gone)
    const ended = await end(`cd ${gone}; rmdir ${gone}; export C=3`)
    t.match(ended, { exitCode: 0, cwd: '' })
    t.ok(ended.variables.includes('C=3'))
  })

  t.test('sandboxed commands can run the helper', async (t) => {
    for (const name of spawner.facts.landlockAbi > 2 ? (['read-only', 'workspace-write'] as const) : []) {
      const sandbox = { name, network: true, writable: [], hidden: [path] }
      t.match(await end('cd /usr', { sandbox }), { exitCode: 0, cwd: '/usr' }, name)
    }
  })

  t.test('the copy of the launcher is made again after someone has removed or changed it', async (t) => {
    rmSync(helpers, { recursive: true })
    t.match(await end('cd /usr'), { cwd: '/usr' })
    writeFileSync(join(helpers, 'session-state'), 'exit 1')
    t.match(await end('cd /usr'), { cwd: '/usr' })
  })

  t.test('a command without a session has no descriptor and no state', async (t) => {
    const ended = await end('test ! -e /proc/self/fd/198', { stateFolder: undefined } as never)
    t.match(ended, { exitCode: 0, isCaptured: false })
  })
})

t.test('child_process refuses a session', async (t) => {
  const spawner = createChildProcessSpawner()
  t.teardown(() => spawner.close())
  await t.rejects(spawner.spawn(request('true', { stateFolder: helpers }), { onOutput() {} }), {
    message: 'a session needs the launcher',
  })
})
