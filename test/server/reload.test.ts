import { hash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ExecRecord, NewToken, ShownSetting } from '../../src/shared/schema/index.ts'
import { noSandbox, openSocket, type Service, startService, until } from '../support/helper.ts'

/** A service whose home has this config.yaml; its environment and flags set nothing that the file could change. */
async function serving(t: Pick<Test, 'teardown'>, yaml: string) {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-reload-'))
  const file = join(home, 'config.yaml')
  writeFileSync(file, yaml)
  const service = await startService({ home, env: { SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' } })
  t.teardown(async () => {
    await service.stop()
    rmSync(home, { recursive: true, force: true })
  })
  return { service, home, file, write: (text: string) => writeFileSync(file, text) }
}

/** For the tests that start with a config.yaml without settings; each but the last removes its settings again. */
const shared = await serving(t, '\n')

const warningsOf = async ({ request }: Service) =>
  ((await (await request('/health')).json()) as { warnings: string[] }).warnings
const warns = (service: Service, text: RegExp) => async () => (await warningsOf(service)).some((one) => text.test(one))
const linesOf = ({ log }: Service, msg: string) =>
  log.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)

t.test('applies live settings as soon as the file is written', async (t) => {
  const { service, write, home } = shared
  const statusOf = async (headers: Record<string, string>) => (await service.request('/health', { headers })).status
  const policyOf = async () => (await service.exec({ command: 'rm -rf /' })).decision

  t.match(await service.exec({ command: 'echo twelve chars', max_length: 5 }), { truncated: true })
  t.match(await policyOf(), { verdict: 'deny' })
  t.equal(await statusOf({ origin: 'https://app.example' }), 403)
  const same = { command: 'rm -rf missing-folder' }
  for (let i = 0; i < 4; i++) t.match(await service.exec(same), { status: 'completed' }, 'judged, and parsed once')

  write(
    [
      'enable_deny_patterns: true',
      'catastrophic: false',
      'autonomy: null',
      'allowed_origins: ["https://app.example"]',
      'max_length: 7',
      'timeout_seconds: 0.5',
      `working_directory: ${home}`,
      'limit_open_files: 77',
      'dialects: { picoclaw: { timeout_seconds: 0.5 } }',
    ].join('\n'),
  )
  t.ok(await until(async () => (await statusOf({ origin: 'https://app.example' })) === 200))
  t.match(await service.exec(same), { status: 'denied' }, 'an earlier command is judged again')
  t.match(await service.exec({ command: 'pwd; ulimit -n', max_length: 1000 }), { stdout: `${home}\n77\n` })
  t.match(await service.exec({ command: 'echo 0123456789' }), { truncated: true }, 'max_length')
  t.match(await service.exec({ command: 'sleep 20' }), { status: 'timed_out' })
  const pico = (await (await service.post('/exec/picoclaw', { command: 'sleep 20' })).json()) as {
    output: string
  }
  t.match(pico.output, /timed out/i, "a dialect's own")
  t.ok(await until(() => linesOf(service, 'reloaded the settings').length > 0))
  t.match(linesOf(service, 'reloaded the settings')[0].changed, [
    'allowed_origins',
    'working_directory',
    'timeout_seconds',
  ])

  write('\n')
  t.ok(await until(async () => (await statusOf({ origin: 'https://app.example' })) === 403), 'and back')
  t.match(await service.exec(same), { status: 'completed' })
  t.same(await warningsOf(service), await warningsOf(service).then((all) => all.filter((one) => !/setting/.test(one))))
})

t.test('how long an approval request waits', async (t) => {
  const { service, write } = shared
  const decided = async () => (await service.exec({ command: 'touch never-made' })).approval?.outcome
  write('autonomy: supervised\napproval_timeout_seconds: 0')
  t.ok(await until(async () => (await decided()) === 'nobody'), 'at 0, nobody is asked')
  write('autonomy: supervised\napproval_timeout_seconds: 0.05')
  t.ok(await until(async () => (await decided()) === 'timeout'), 'then a person is asked')
  t.same(
    (await warningsOf(service)).filter((one) => /approval_timeout/.test(one)),
    [],
  )
  write('')
})

t.test('the log level', async (t) => {
  const { service, write } = shared
  const runs = () => linesOf(service, 'ran').map(({ run }) => run)
  const isTruncated = async () => (await service.exec({ command: 'echo 0123456789' })).truncated
  const { id: first } = await service.exec({ command: 'true' })
  t.ok(await until(() => runs().includes(first)))
  write('log_level: warn\nmax_length: 5')
  t.ok(await until(isTruncated), 'both settings are in force')
  const { id: hidden } = await service.exec({ command: 'true' })
  write('log_level: info')
  t.ok(await until(async () => !(await isTruncated())))
  const { id: last } = await service.exec({ command: 'true' })
  t.ok(await until(() => runs().includes(last)), 'info shows it again')
  t.notOk(runs().includes(hidden), 'warn hides it')
  write('\n')
})

t.test('warns once, until the restart, of a setting that cannot change', async (t) => {
  const { service, write } = shared
  write('host: 0.0.0.0\nspawner: child_process\nmax_length: 9\n')
  t.ok(
    await until(
      warns(service, /^setting host: "0\.0\.0\.0" takes effect at the next start; until then "127\.0\.0\.1" applies$/),
    ),
  )
  t.ok(await warns(service, /^setting spawner: "child_process"/)())
  const warnings = () =>
    linesOf(service, 'this setting cannot change while the service runs: restart the service to apply it')
  t.ok(await until(() => warnings().length === 2))
  t.match(warnings(), [
    { setting: 'host', now: '127.0.0.1', wanted: '0.0.0.0' },
    { setting: 'spawner', now: 'auto', wanted: 'child_process' },
  ])
  t.match(await service.exec({ command: 'echo 0123456789' }), { truncated: true }, 'what can change has changed')
  const waiting = async () => {
    const { settings } = (await (await service.request('/settings')).json()) as { settings: ShownSetting[] }
    return settings.filter((one) => 'waiting' in one).map((one) => [one.name, one.value, one.waiting])
  }
  t.same(await waiting(), [
    ['host', '127.0.0.1', '0.0.0.0'],
    ['spawner', 'auto', 'child_process'],
  ])
  write('\n')
  t.ok(await until(async () => (await waiting()).length === 0), 'nothing waits after the change is undone')
  t.ok(await until(async () => !(await warns(service, /^setting/)())), 'taken back, it is forgotten')
})

t.test('a bad file changes nothing and causes a warning', async (t) => {
  const { service, write, file } = await serving(t, 'max_length: 5')
  const rows: [string, RegExp][] = [
    ['max_length: [\n', /config\.yaml: .*; the previous settings still apply$/],
    ['max_length: soon\n', /^setting max_length: expected an integer .* got "soon"/],
    ['prot: 1\nmax_length: 50\n', /^setting prot: unknown/],
    ['working_directory: /nope\nmax_length: 50\n', /^setting working_directory: expected a directory/],
    ['custom_deny_patterns: ["("]\nmax_length: 50\n', /^setting custom_deny_patterns\[0\]/],
    ['\0\u0001\uffff', /config\.yaml/],
  ]
  for (const [text, expected] of rows) {
    const before = linesOf(service, 'cannot read the settings: they do not change').length
    write(text)
    t.ok(await until(warns(service, expected)), JSON.stringify(text))
    t.match(
      await service.exec({ command: 'echo 0123456789' }),
      { truncated: true, stdout: /^.{0,3}01/ },
      'max_length: 5',
    )
    t.ok(
      await until(() => linesOf(service, 'cannot read the settings: they do not change').length === before + 1),
      'one line of the log',
    )
  }
  writeFileSync(`${file}.swp`, 'max_length: 100\n')
  renameSync(`${file}.swp`, file) // as editors write
  t.ok(await until(async () => (await service.exec({ command: 'echo 0123456789' })).stdout === '0123456789\n'))
  t.notOk((await warningsOf(service)).some((one) => /config|setting/.test(one)))
})

t.test('a removed token stops working, and a broken tokens file changes nothing', async (t) => {
  const { service, home } = shared
  const file = join(home, 'tokens.json')
  const make = async (name: string) => (await (await service.post('/tokens', { name })).json()) as NewToken
  const statusOf = (token: string) =>
    service.request('/runs', { token }).then(
      ({ status }) => status,
      () => 0, // its connection was cut
    )
  const { token } = await make('kept')
  const socket = await openSocket(service.url, token)
  for (const text of ['{', '[]', '{"tokens": [{"name": "x"}]}']) {
    writeFileSync(file, text)
    t.ok(await until(warns(service, /^tokens\.json: .*; the previous tokens stay valid$/)), text)
    t.equal(await statusOf(token), 200)
  }
  writeFileSync(file, '{"tokens": []}')
  t.ok(await until(async () => (await statusOf(token)) === 401))
  await new Promise((resolve) => (socket.raw.readyState === 3 ? resolve(null) : socket.raw.once('close', resolve)))
  t.notOk((await warningsOf(service)).some((one) => /tokens/.test(one)))
})

/** Starts a command that runs until it is canceled; resolves with its id when it runs. */
async function startHeld(service: Service, headers: Record<string, string>): Promise<string> {
  const body = { command: 'cat > /dev/null', background: true, stdin: 'open' }
  const { id } = (await (await service.post('/exec', body, headers)).json()) as ExecRecord
  await until(async () => ((await (await service.request(`/runs/${id}`)).json()) as ExecRecord).status === 'running')
  return id
}

t.test('ignores changes that are made while a command of a lesser token runs', async (t) => {
  const { service, home, write } = await serving(t, 'policy: open\n')
  const { token } = (await (await service.post('/tokens', { name: 'agent' })).json()) as NewToken
  const asAgent = { authorization: `Bearer ${token}` }
  const run = async (command: string) =>
    (await (await service.post('/exec', { command }, asAgent)).json()) as ExecRecord
  const secret = 'x'.repeat(43)
  const rows = JSON.parse(readFileSync(join(home, 'tokens.json'), 'utf8')).tokens
  const forged = JSON.stringify({
    tokens: [...rows, { ...rows[0], id: 'forged', name: 'forged', sha256: hash('sha256', secret) }],
  })
  const refused = /changed while a command ran that was not sent by a person/

  await run(`echo 'max_length: 5' > ${home}/config.yaml`)
  t.ok(await until(warns(service, refused)), 'at once after its end')
  t.equal((await service.exec({ command: 'echo 0123456789' })).stdout, '0123456789\n')
  write('policy: open\nmax_length: 6\n')
  t.ok(await until(async () => (await service.exec({ command: 'echo 0123456789' })).truncated), 'a person’s is taken')
  t.notOk(await warns(service, refused)())

  const id = await startHeld(service, asAgent)
  await run(`printf %s '${forged}' > ${home}/tokens.json`)
  t.ok(await until(warns(service, /^tokens\.json was changed while a command ran/)))
  t.equal((await service.request('/runs', { token: secret })).status, 401)
  write('\n')
  t.ok(await until(warns(service, /^config\.yaml was changed while a command ran/)), 'nobody knows who it was')
  writeFileSync(join(home, 'fleet.json'), '{}')
  t.ok(await until(warns(service, /^fleet\.json was changed while a command ran/)))
  await service.request(`/runs/${id}`, { method: 'DELETE' })
  t.ok(
    await until(
      async () => ((await (await service.request(`/runs/${id}`)).json()) as ExecRecord).status === 'canceled',
    ),
  )
  const endedMs = Date.now()
  // a removal counts as one second old, because it leaves no timestamp
  await until(() => Date.now() > endedMs + 1_000)
  rmSync(join(home, 'fleet.json'))
  writeFileSync(join(home, 'tokens.json'), forged)
  write('policy: open\nmax_length: 7\n')
  const isTaken = async () =>
    (await service.request('/runs', { token: secret })).status === 200 && !(await warns(service, refused)())
  t.ok(await until(isTaken), 'with none that runs a person’s is taken')
  await run(`ln -sf /dev/null ${home}/config.yaml`)
  t.ok(await until(warns(service, /^config\.yaml was changed while/)), 'nor by a link to what is old')
})

t.test('leaves the fleet also while a command of a lesser token runs', async (t) => {
  const { service, home } = await serving(t, 'policy: open\n')
  const { token } = (await (await service.post('/tokens', { name: 'agent' })).json()) as NewToken
  writeFileSync(join(home, 'fleet.json'), '{}')
  t.ok(await until(warns(service, /^fleet\.json: /)), 'the service has taken the file')
  await startHeld(service, { authorization: `Bearer ${token}` })
  rmSync(join(home, 'fleet.json'))
  t.ok(await until(async () => !(await warns(service, /^fleet\.json/)())), 'and its removal')
  writeFileSync(join(home, 'fleet.json'), '{"name": "forged"}')
  t.ok(await until(warns(service, /^fleet\.json was changed while a command ran/)), 'but no other membership')
})

t.test('restores the private mode of the home after a change', async (t) => {
  const { service, home } = await serving(t, 'policy: open\n')
  const isPrivate = () => (statSync(home).mode & 0o777) === 0o700
  const changed = () => linesOf(service, 'the mode of the home had changed: restored it to private').length
  for (const [index, mode] of [0o755, 0o711, 0o000].entries()) {
    chmodSync(home, mode)
    t.ok(await until(isPrivate), mode.toString(8))
    t.ok(await until(() => changed() === index + 1), 'and the log says so')
  }
  const skip = await noSandbox(service, 'workspace-write')
  if (skip !== null) return t.pass('a sandbox', { skip })
  const command = `chmod 755 ${home}`
  const record = await service.exec({ command, sandbox: 'workspace-write', working_directory: tmpdir() })
  t.match(record, { status: 'completed', exit_code: 0 }, 'no sandbox refuses it')
  t.ok(await until(() => changed() === 4))
  t.ok(isPrivate())
})

t.test('answers every command during SIGHUP under load', async (t) => {
  const { service, write } = shared
  const answers: Promise<ExecRecord>[] = []
  for (let i = 0; i < 60; i++) {
    write(`max_length: ${1000 + i}\n`)
    service.process.kill('SIGHUP')
    answers.push(service.exec({ command: `echo ${i}; sleep 0.05` }))
    if (i % 10 === 9) await answers[i]
  }
  const records = await Promise.all(answers)
  t.same(
    records.map(({ status, stdout }) => [status, stdout]),
    records.map((_record, index) => ['completed', `${index}\n`]),
  )
  t.equal(service.process.exitCode, null)
})
