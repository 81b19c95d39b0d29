import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startService } from '../support/helper.ts'
import { runInProcess } from '../support/in-process-cli.ts'

/** `shellphone config …` for a home with this config.yaml, in which no service runs. */
function homeWith(t: Test, yaml: string) {
  const home = t.testdir({ 'config.yaml': yaml })
  const file = join(home, 'config.yaml')
  const config = (...argv: string[]) => runInProcess(['config', ...argv], { SHELLPHONE_HOME: home })
  return { home, file, config, text: () => readFileSync(file, 'utf8') }
}

const commented = `# my phone

# for the LAN
host: 0.0.0.0 # all networks
allowed_hosts: [phone.example, other.example]

dialects:
  # trusted
  meka:
    permission: write
`

t.test('keeps every setting when several are set at once', async (t) => {
  const { config, text } = homeWith(t, commented)
  const rows = ['port: 9001', 'policy: strict', 'timeout_seconds: 7', 'max_length: 900']
  await Promise.all(rows.map((row) => config('set', ...row.split(': '))))
  for (const row of rows) t.ok(text().includes(row), row)
})

t.test('sets and removes a setting, and keeps the rest of the file', async (t) => {
  const cases: [string[], string][] = [
    [['set', 'port', '9000'], `${commented}port: 9000\n`],
    [['set', 'host', '::1'], commented.replace('0.0.0.0', '::1')],
    [['set', 'allowed_hosts', 'a,b'], commented.replace(/\[.*\]/, '\n  - a\n  - b').replace(': \n', ':\n')],
    [['set', 'dialects.meka.sandbox', 'false'], `${commented}    sandbox: false\n`],
    [['unset', 'allowed_hosts'], commented.replace(/allowed_hosts.*\n/, '')],
    [['unset', 'host'], commented.replace(/host: 0.*\n/, '')],
    [['unset', 'dialects.meka.permission'], commented.replace(/\ndialects:\n.*\n.*\n.*\n/, '\n# trusted\n')],
    [['unset', 'port'], commented],
  ]
  for (const [argv, expected] of cases) {
    const { config, file, text } = homeWith(t, commented)
    const { code, out, err } = await config(...argv)
    t.match({ code, err }, { code: 0, err: '' }, argv.join(' '))
    t.ok(out.startsWith(`${argv[1]}: ${argv[0] === 'set' ? 'set to ' : `not set in ${file}; `}`), out)
    t.equal(text(), expected, argv.join(' '))
    t.equal(statSync(file).mode & 0o777, 0o600)
  }
})

t.test('writes the first setting of a home, and through a link', async (t) => {
  const home = join(t.testdir({ 'elsewhere.yaml': '' }), 'home')
  const config = (...argv: string[]) => runInProcess(['config', ...argv], { SHELLPHONE_HOME: home })
  const file = join(home, 'config.yaml')
  t.same(await config('set', 'port', '9000'), {
    code: 0,
    out: `port: set to 9000 in ${file}; the service uses 9000 when it starts\n`,
    err: '',
  })
  t.equal(statSync(home).mode & 0o777, 0o700)
  t.same(await config('show', 'port'), { code: 0, out: '9000\n', err: 'from config.yaml\n' })
  rmSync(file)
  symlinkSync(join(home, '../elsewhere.yaml'), file)
  t.match(await config('set', 'port', '9001'), { code: 0, out: `in ${join(home, '../elsewhere.yaml')}; ` })
  t.equal(readFileSync(file, 'utf8'), 'port: 9001\n')
})

t.test('shows the settings that are set with their sources, and one with its source', async (t) => {
  const { config, home } = homeWith(t, 'port: 9000\n')
  t.match((await config()).out, /^# .*\n# set\nport +9000  # from config\.yaml\n\n# default\nhost +"127\.0\.0\.1"\n/)
  t.same(await config('host'), { code: 0, out: '"127.0.0.1"\n', err: 'the default\n' })
  const more = { SHELLPHONE_HOME: home, SHELLPHONE_PORT: '9009' }
  t.same(await runInProcess(['config', 'port'], more), { code: 0, out: '9009\n', err: 'from SHELLPHONE_PORT\n' })
  t.match(await config('port', '--max-running', '3', '--port', '7'), { out: '7\n', err: 'from --port\n' })
  t.match(JSON.parse((await config('port', '--json')).out), {
    name: 'port',
    value: 9000,
    default: 8029,
    source: 'config.yaml',
    running: null,
  })
  t.match(await runInProcess(['config', 'set', 'port', '9010'], more), {
    code: 0,
    out: /in \S+config\.yaml; SHELLPHONE_PORT overrides it with 9009\n$/,
  })
})

t.test('says that the running service did not answer, if it rejects the token', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const wrong = (...argv: string[]) =>
    runInProcess(['config', ...argv], { SHELLPHONE_HOME: service.home, SHELLPHONE_TOKEN: 'wrong' })
  writeFileSync(join(service.home, 'config.yaml'), `port: ${service.port}\n`)
  const answer = `the service at ${service.url} rejected the token in SHELLPHONE_TOKEN`
  const rejected = `but did not say so: ${answer}`
  t.match((await wrong('set', 'policy', 'strict')).out, `applies it at once unless something overrides it, ${rejected}`)
  t.match((await wrong('set', 'max_running', '3')).out, `applies it when it starts again, ${rejected}`)
  t.match((await wrong('policy')).err, `the running service did not say what it uses: ${answer}`)
})

t.test('exits with 2 and changes nothing if a value, a name or the file is wrong', async (t) => {
  const cases: [string, string[], RegExp][] = [
    [
      'port: 1\n',
      ['set', 'port', 'soon'],
      /^setting port: expected an integer from 0 to 65535, got "soon" \(from the c/,
    ],
    ['', ['set', 'policy', 'lax'], /^setting policy: expected one of "open", .*, got "lax" /],
    ['', ['set', 'working_directory', '/no/such'], /^setting working_directory: expected a directory that can be ent/],
    ['', ['set', 'custom_deny_patterns', '(,a'], /^setting custom_deny_patterns/],
    [
      '',
      ['set', 'prot', '1'],
      /^config prot: no such setting, did you mean port\?; list them with shellphone help settings$/,
    ],
    ['', ['unset', 'nope'], /^config nope: no such setting; /],
    ['', ['set', 'port'], /^config set: expected NAME VALUE, got port; see shellphone config set --help$/],
    ['', ['port', '9'], /^config: expected \[NAME\], got port 9; see shellphone config --help$/],
    ['', ['get', 'port'], /^config get: unknown subcommand, did you mean show\?; expected show, set, unset, import; /],
    ['port: [1\n', ['set', 'port', '1'], /config\.yaml: expected YAML: /],
    ['- port\n', ['set', 'port', '1'], /config\.yaml: expected settings as "name: value"$/],
    ['dialects: 7\n', ['set', 'dialects.meka.sandbox', 'true'], /config\.yaml: cannot set dialects\.meka\.sandbox: /],
    [
      'dialects:\n  meka.sandbox: true\n',
      ['set', 'dialects.meka.sandbox', 'false'],
      /is set in several ways; remove it/,
    ],
  ]
  for (const [yaml, argv, message] of cases) {
    const { config, text } = homeWith(t, yaml)
    const { code, out, err } = await config(...argv)
    t.match({ code, out }, { code: 2, out: '' }, argv.join(' '))
    t.match(err.trimEnd().slice('shellphone: '.length), message)
    t.equal(text(), yaml)
  }
})

t.test('repairs a file with a wrong value, and says if another one is left', async (t) => {
  const { config, text } = homeWith(t, 'port: soon\nmax_running: none\n')
  t.match(await config('set', 'port', '9000'), {
    code: 1,
    out: /; the service cannot start with it: setting max_running: expected an integer .*\n$/,
  })
  t.match(await config('unset', 'max_running'), { code: 0, out: /; the service uses \d+ when it starts\n$/ })
  t.equal(text(), 'port: 9000\n')
})

t.test('says what the running service uses, and when a change takes effect', async (t) => {
  const home = t.testdir({ 'config.yaml': 'timeout_seconds: 20\n' })
  const service = await startService({
    home,
    env: { SHELLPHONE_MAX_LENGTH: '7000', SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' },
  })
  t.teardown(() => service.stop())
  const config = (...argv: string[]) => runInProcess(['config', ...argv], { SHELLPHONE_HOME: home })
  const file = join(home, 'config.yaml')
  t.same(await config('timeout_seconds'), { code: 0, out: '20\n', err: 'from config.yaml\n' })
  t.same(await config('max_length'), {
    code: 0,
    out: '50000\n',
    err: 'the default; the running service uses 7000 (from SHELLPHONE_MAX_LENGTH)\n',
  })

  const cases: [string[], string, number][] = [
    [['set', 'timeout_seconds', '40'], 'set to 40 in FILE; the running service uses 40', 0],
    [['unset', 'timeout_seconds'], 'not set in FILE; the running service uses 30', 0],
    [['set', 'max_queued', '9'], 'set to 9 in FILE; the running service uses 256 until you restart it', 0],
    [['set', 'max_queued', '256'], 'set to 256 in FILE; the running service uses 256', 0],
    [['set', 'port', '1'], 'set to 1 in FILE; --port of the running service overrides it with 0', 0],
    [
      ['set', 'max_length', '9'],
      'set to 9 in FILE; SHELLPHONE_MAX_LENGTH of the running service overrides it with 7000',
      0,
    ],
  ]
  for (const [argv, expected, code] of cases) {
    const out = `${argv[1]}: ${expected.replace('FILE', file)}\n`
    t.same(await config(...argv), { code, out, err: '' }, argv.join(' '))
  }
  t.same(JSON.parse((await config('set', 'max_queued', '8', '--json')).out), {
    name: 'max_queued',
    value: 8,
    file,
    applies: 'next_start',
  })
  t.match(await config('max_queued'), {
    out: '8\n',
    err: 'from config.yaml; the running service uses 256 (the default)\n',
  })

  const agent = (await (await service.post('/tokens', { name: 'agent' })).json()) as { token: string }
  const run = await runInProcess(['run', '-d', 'sleep 3070.1'], {
    SHELLPHONE_HOME: home,
    SHELLPHONE_TOKEN: agent.token,
  })
  t.match(await config('set', 'timeout_seconds', '50'), {
    code: 1,
    out: `timeout_seconds: set to 50 in ${file}; the running service does not accept it; shellphone doctor says why\n`,
  })
  t.match(await runInProcess(['cancel', run.out.trim()], { SHELLPHONE_HOME: home }), { code: 0 })
})
