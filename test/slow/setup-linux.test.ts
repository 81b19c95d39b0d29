import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { checkBuilt, freePort, root, startService } from '../support/helper.ts'

checkBuilt(root)

/** A Linux with a pretend systemd that records the calls of systemctl and loginctl and starts what the unit names. */
function pretendLinux() {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-setup-'))
  const path = (name: string) => join(folder, name)
  for (const name of ['bin', 'home', 'state']) mkdirSync(path(name))
  const program = (name: string, text: string) =>
    writeFileSync(path(`bin/${name}`), `#!/bin/bash\n${text}`, { mode: 0o755 })
  program(
    'systemctl',
    `cd ${folder}/state; [ "$1" = --user ] && shift; unit=$HOME/.config/systemd/user/shellphone.service
    [ ! -e broken ] || { echo "Failed to connect to bus" >&2; exit 1; }
    start() { setsid env -i HOME=$HOME PATH=$PATH bash -c "$(sed -n 's/^Environment=/export /p' $unit)
    exec $(sed -n 's/^ExecStart=//p' $unit)" >log 2>&1 & echo $! >pid; until [ $(ps -o pgid= -p $!) = $! ]; do sleep 0.05; done; }
    stop() { [ ! -e pid ] || { kill $(cat pid); tail --pid=$(cat pid) -f /dev/null; rm pid; }; }
    case "$1" in
      is-active) [ -e pid ] && echo active || echo inactive; exit ;;
      is-enabled) [ -e enabled ] && echo enabled || echo disabled; exit ;;
      show-environment) exit ;;
      enable) touch enabled ;; disable) rm enabled; stop ;;
      start) start ;; restart) stop; start ;;
    esac
    echo "$*" >>calls`,
  )
  program(
    'loginctl',
    `cd ${folder}/state; case "$1" in show-user) [ -e linger ] && echo yes || echo no; exit ;; enable-linger) touch linger ;; disable-linger) rm linger ;; esac
    echo "$1" >>calls`,
  )
  // an empty XDG_CONFIG_HOME counts as unset, for setup and for doctor
  const env = { HOME: path('home'), PATH: `${path('bin')}:${process.env.PATH}`, PREFIX: '', XDG_CONFIG_HOME: '' }
  return { folder, path, unit: path('home/.config/systemd/user/shellphone.service'), env }
}

t.test(
  'installs, restarts and removes a systemd unit',
  { skip: process.platform === 'linux' ? false : 'needs Linux' },
  async (t) => {
    const { folder, path, unit, env } = pretendLinux()
    const shellphone = (...words: string[]) =>
      spawnSync(process.execPath, [`${root}/dist/main.js`, ...words], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
        timeout: 600_000,
      })
    const calls = () => {
      const file = path('state/calls')
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      rmSync(file, { force: true })
      return text.trim().split('\n')
    }
    t.teardown(() => {
      shellphone('setup', '--undo', '--yes')
      rmSync(folder, { recursive: true })
    })
    const port = String(await freePort())

    const shown = shellphone('setup', '--port', port)
    t.equal(shown.status, 1)
    t.match(shown.stdout, `- write ${unit}`)
    t.notOk(existsSync(unit))

    const made = shellphone('setup', '--yes', '--port', port)
    t.equal(made.status, 0, made.stderr)
    t.strictSame(calls(), ['daemon-reload', 'enable shellphone.service', 'enable-linger', 'start shellphone.service'])
    t.match(made.stdout, /^✔ service: responds/m)
    t.match(made.stdout, /^✔ supervisor: systemd: active/m)
    t.match(made.stdout, `Shellphone is running: http://127.0.0.1:${port}`)
    const secrets = ['token', 'owner.sha256'].filter((name) => existsSync(path(`home/.shellphone/${name}`)))
    t.equal(secrets.length, 1, 'the token or its hash')

    t.match(shellphone('setup').stdout, /^nothing to do\n/)
    t.strictSame(calls(), [''])
    t.equal(shellphone('setup', '--yes', '--upgrade').status, 0)
    t.strictSame(calls(), ['restart shellphone.service'])

    const checked = shellphone('check', 'ls')
    t.match(checked, { status: 0, stdout: /^allow/ }, 'the command line uses the port that setup stored')

    const undone = shellphone('setup', '--undo', '--yes')
    t.equal(undone.status, 0, undone.stderr)
    t.strictSame(calls(), ['disable --now shellphone.service', 'daemon-reload', 'disable-linger'])
    t.notOk(existsSync(unit))
    t.match(shellphone('setup', '--undo').stdout, /^no system service was set up\n/)

    const other = await freePort()
    writeFileSync(path('home/.shellphone/config.yaml'), `port: ${other}\n`)
    const configured = shellphone('setup', '--yes')
    t.equal(configured.status, 0, configured.stderr)
    t.match(configured.stdout, `Shellphone is running: http://127.0.0.1:${other}`, "config.yaml's port")
    const remotes = path('home/.config/shellphone/remotes.json')
    mkdirSync(dirname(remotes), { recursive: true })
    writeFileSync(remotes, '{}')
    t.match(shellphone('setup', '--undo', '--yes').stdout, `${remotes} was not deleted; --purge deletes it.`)
    const notes = path('home/.config/shellphone/notes')
    writeFileSync(notes, '')
    t.match(shellphone('setup', '--undo', '--purge', '--yes').stdout, `- remove ${remotes}`)
    t.notOk(existsSync(remotes), 'no token for a phone is left')
    t.ok(existsSync(notes), 'files of others stay')
    rmSync(notes)
    writeFileSync(remotes, '{}')
    t.equal(shellphone('setup', '--undo', '--purge', '--yes').status, 0)
    t.notOk(existsSync(dirname(remotes)), 'a directory that is then empty does not')

    writeFileSync(path('state/broken'), '')
    const refused = shellphone('setup', '--yes', '--lan', '--port', '18232')
    t.equal(refused.status, 1)
    t.match(
      refused.stderr,
      /systemctl --user does not respond \(Failed to connect to bus\)\. Run shellphone serve --host 0\.0\.0\.0 --port 18232 yourself/,
    )
  },
)

const script = spawnSync('script', ['--version']).error ? 'needs script(1)' : false
t.test('asks for confirmation on a terminal', { skip: script }, async (t) => {
  const { folder, unit, env } = pretendLinux()
  t.teardown(() => rmSync(folder, { recursive: true }))
  const command = `${process.execPath} ${root}/dist/main.js setup --no-start`
  for (const [answer, code, isThere] of [
    ['n\n', 1, false],
    ['\n', 1, false],
    ['y\n', 0, true],
  ] as const) {
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], { env: { ...process.env, ...env } })
    let said = ''
    terminal.stdout.on('data', (text) => {
      const wasAsked = said.includes('[y/N]')
      said += text
      if (!wasAsked && said.includes('[y/N]')) terminal.stdin.write(answer)
    })
    t.equal(await new Promise((resolve) => terminal.once('exit', resolve)), code, said)
    t.match(said, /Apply these changes\? \[y\/N\]/)
    t.equal(existsSync(unit), isThere)
  }
})

/** An installed copy whose main.js runs that of this clone. Returns a function that runs its uninstall.sh. */
function installedCopy(env: Record<string, string>) {
  const top = join(env.HOME!, '.local/share/shellphone')
  const tree = join(top, 'versions/1')
  for (const name of ['dist', 'termux']) mkdirSync(join(tree, name), { recursive: true })
  writeFileSync(join(tree, 'dist/main.js'), `import('${root}/dist/main.js')`)
  copyFileSync(join(root, 'termux/uninstall.sh'), join(tree, 'termux/uninstall.sh'))
  const uninstall = (...words: string[]) =>
    spawnSync('sh', [join(tree, 'termux/uninstall.sh'), ...words], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
  return { top, uninstall }
}

t.test(
  'uninstall.sh: --help prints its own help, and an unknown option is refused; neither removes anything',
  async (t) => {
    const { folder, env } = pretendLinux()
    t.teardown(() => rmSync(folder, { recursive: true }))
    const { top, uninstall } = installedCopy(env)
    for (const word of ['--help', '-h']) {
      const shown = uninstall(word)
      t.match(shown, { status: 0, stderr: '' })
      t.match(shown.stdout, /^Usage: sh uninstall\.sh \[--purge\]\n[\s\S]*--purge .*token, settings, history/)
      t.ok(existsSync(top), 'the program is still there')
    }
    const refused = uninstall('--purge', '--prune')
    t.match(refused, { status: 2, stdout: '', stderr: /^Error: unknown option --prune; .*--help\n$/ })
    t.ok(existsSync(top), 'the program is still there')
    t.match(uninstall(), { status: 0, stdout: `${top} was removed.` })
    t.notOk(existsSync(top))
  },
)

t.test('install.sh --help prints its own options', async (t) => {
  const shown = spawnSync('sh', [join(root, 'termux/install.sh'), '--lan', '--help'], { encoding: 'utf8' })
  t.match(shown, { status: 0, stderr: '' })
  for (const option of ['--from FILE', '--sha256 SUM', '--allow-downgrade', '--lan', '--no-wake-lock']) {
    t.match(shown.stdout, new RegExp(`^ +${option} `, 'm'), option)
  }
})

t.test('uninstall.sh and setup --undo remove nothing that a running service uses', async (t) => {
  const { folder, path, env } = pretendLinux()
  const service = await startService({ home: path('home/.shellphone') })
  t.teardown(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })
  const { top, uninstall } = installedCopy(env)
  const runs = new RegExp(
    `^shellphone: a service \\(pid ${service.pid}\\) still uses ${service.home}; stop it with kill ${service.pid}`,
  )
  for (const options of [['--purge'], []]) {
    t.match(uninstall(...options), { status: 1, stderr: runs }, options.join())
    t.ok(existsSync(join(service.home, 'cli')), 'the home')
    t.ok(existsSync(top), 'the program')
  }
  await service.kill('SIGTERM')
  t.equal(uninstall('--purge').status, 0)
  t.notOk(existsSync(service.home))
})

t.test('setup --undo without a service says only that no system service was set up', async (t) => {
  const { folder, env } = pretendLinux()
  t.teardown(() => rmSync(folder, { recursive: true }))
  const undone = spawnSync(process.execPath, [`${root}/dist/main.js`, 'setup', '--undo', '--yes'], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  t.match(undone, { status: 0, stderr: '' })
  t.equal(undone.stdout, 'no system service was set up\n')
})
