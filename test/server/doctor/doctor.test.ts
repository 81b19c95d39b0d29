import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { createDoctor, describeReport, exitCodeOf } from '../../../src/server/doctor/index.ts'
import { readServiceLog } from '../../../src/server/doctor/service-log.ts'
import { makeCertificate } from '../../../src/server/access/make-certificate.ts'
import type { DoctorReport, ToolEnd } from '../../../src/shared/schema/index.ts'
import { DAY_MS, NOW_MS, type Pretend, pretendPhone, token } from '../../support/doctor/pretend.ts'
import { freePort, root, startService, until } from '../../support/helper.ts'

const examine = (phone: Pretend): Promise<DoctorReport> => createDoctor(() => phone.world)()

const namesOfProblems = ({ checks }: DoctorReport) =>
  checks.filter(({ status }) => status === 'warning' || status === 'error').map(({ name }) => name)

/** One trap: its name, how to set it, the rows that report it, the exit code, the expected finding and fix. */
type Trap = [
  what: string,
  set: (phone: Pretend) => unknown,
  rows: string[],
  status: 'warning' | 'error',
  found: RegExp,
  fix: RegExp,
]

/** The result of a program that was killed at its time limit. */
const unanswered: ToolEnd = { ending: 'killed', exitCode: null, stdout: '', stderr: '' }
const lan = (phone: Pretend) => Object.assign(phone.world.settings, { host: '0.0.0.0' })
const killed = (endedMsAgo: number) => ({ signal: 'SIGKILL', ended_at: new Date(NOW_MS - endedMsAgo).toISOString() })
const ended = JSON.stringify({ event: 'ENDED', signal: '0', msg: 'shellphone exited after 1 s' })

const traps: Trap[] = [
  [
    'bad setting',
    ({ world }) => (world.settingsError = 'setting port: x'),
    ['settings'],
    'error',
    /port: x/,
    /Correct it/,
  ],
  ['runsv is down', ({ program }) => program('sv', 'echo "down: x: 3s"'), ['supervisor'], 'error', /^down/, /^sv up/],
  [
    'no runsv',
    ({ program }) => program('sv', 'echo "fail: x: runsv not running"'),
    ['supervisor'],
    'error',
    /^fail/,
    /Exit/,
  ],
  [
    'sv hangs',
    ({ world }) => {
      const { run } = world
      world.run = async (argv, ...more) => (argv[0] === 'sv' ? unanswered : run(argv, ...more))
    },
    ['supervisor'],
    'warning',
    /did not respond within 600 s/,
    /less busy/,
  ],
  [
    'no sv',
    ({ program }) => program('sv', null),
    ['supervisor'],
    'error',
    /not installed/,
    /pkg install termux-services/,
  ],
  [
    'no service',
    ({ folder }) => rmSync(`${folder}/usr/var/service`, { recursive: true }),
    ['supervisor'],
    'warning',
    /runit does not supervise the service/,
    /setup/,
  ],
  [
    'crash loop',
    ({ log }) =>
      log(
        [130, '{"event":"LISTENING"}'],
        [118, '{"event":"LISTENING"}'],
        [3, 'shellphone: setting x'],
        [3, ended],
        [2, ended],
        [1, ended],
      ),
    ['crash loop'],
    'error',
    /crashed 3 times in the last 10 minutes/,
    /sv restart/,
  ],
  ['fish shell', ({ world }) => delete world.env.SVDIR, ['SVDIR'], 'warning', /not set/, /export SVDIR/],
  [
    'endless log',
    ({ folder, write }) => {
      write('usr/var/log/sv/shellphone/@1.s', '')
      truncateSync(`${folder}/usr/var/log/sv/shellphone/@1.s`, 21_000_000)
    },
    ['log'],
    'warning',
    /2100\d kB/,
    /config/,
  ],
  ['old Node', ({ world }) => (world.nodeVersion = 'v18.20.0'), ['Node'], 'error', /v18/, /nodejs-lts/],
  [
    'upgraded',
    ({ world }) => (world.version = '1.3.0'),
    ['version'],
    'warning',
    /1\.2\.3 is running, but 1\.3\.0 is installed/,
    /--upgrade/,
  ],
  [
    'no launcher',
    ({ health }) => (health.spawner = { name: 'child_process', reason: 'not built' }),
    ['launcher'],
    'warning',
    /not built/,
    /clang/,
  ],
  [
    'service warns',
    ({ health }) => (health.warnings = ['known', 'disk is full']),
    ['warnings'],
    'warning',
    /^disk is full$/,
    /Follow the advice/,
  ],
  ['stopping', ({ health }) => (health.status = 'stopping'), ['service'], 'warning', /stopping/, /setup/],
  [
    'killed runs',
    ({ runs }) => runs.push(killed(1000), killed(8 * DAY_MS)),
    ['phantom processes'],
    'warning',
    /another process killed 1 commands/,
    /^Android 14\+: Developer options > Disable child process restrictions$/,
  ],
  [
    'killed service, Android 13',
    ({ log, program }) => {
      program('getprop', 'echo 33')
      log([130, '{"event":"LISTENING"}'], [118, '{"event":"LISTENING"}'], [5, '{"event":"LISTENING"}'])
    },
    ['phantom processes'],
    'warning',
    /restarted 1 times/,
    /^Android 12L, 13: adb shell settings/,
  ],
  [
    'slept',
    ({ health }) => (health.slept_seconds = 312),
    ['wake lock'],
    'warning',
    /slept 312 s of the 7000 s/,
    /termux-wake-lock/,
  ],
  [
    'no Termux:API app',
    ({ program }) => program('pm', '[ "$2" = com.termux.api ] || echo package:x'),
    ['Termux:API'],
    'warning',
    /not installed/,
    /the app Termux:API/,
  ],
  [
    'no termux-api',
    ({ program }) => program('termux-battery-status', null),
    ['Termux:API'],
    'warning',
    /package/,
    /pkg install termux-api/,
  ],
  [
    'Termux:API is refused',
    ({ program }) => program('termux-battery-status', 'echo \'{"API_ERROR":"x"}\''),
    ['Termux:API'],
    'warning',
    /API_ERROR/,
    /open it once/,
  ],
  [
    'Play build, LAN',
    (phone) => {
      lan(phone)
      phone.world.env.TERMUX_VERSION = 'googleplay.2026.06.21'
      phone.program('getprop', 'echo 37')
    },
    ['own addresses', 'Termux build', 'encryption'],
    'error',
    /other machines cannot connect/,
    /F-Droid/,
  ],
  [
    'Play build',
    ({ world }) => (world.env.TERMUX_VERSION = 'googleplay.2026.06.21'),
    ['Termux build'],
    'warning',
    /Google Play build/,
    /F-Droid/,
  ],
  [
    'no termux-exec',
    ({ world }) => (world.preload = null),
    ['LD_PRELOAD'],
    'error',
    /missing/,
    /pkg install termux-exec/,
  ],
  [
    'LD_PRELOAD breaks',
    ({ program }) => program('sh', '[ -n "${LD_PRELOAD+x}" ] && [ "$2" = true ] && exit 1; exec /bin/sh "$@"'),
    ['LD_PRELOAD'],
    'warning',
    /does not run/,
    /ld_preload: false/,
  ],
  [
    'no env',
    ({ program }) => program('sh', '[ "$2" = true ] || exit 127'),
    ['#!/usr/bin/env'],
    'error',
    /127/,
    /termux-fix-shebang/,
  ],
  [
    'no boot script',
    ({ folder }) => rmSync(`${folder}/home/.termux`, { recursive: true }),
    ['boot script'],
    'warning',
    /is missing/,
    /setup/,
  ],
  [
    'another boot script',
    ({ write }) => write('home/.termux/boot/shellphone', 'x'),
    ['boot script'],
    'warning',
    /differs from the script that setup/,
    /setup/,
  ],
  [
    'boot folder',
    ({ folder }) => mkdirSync(`${folder}/home/.termux/boot/backup`),
    ['boot folder'],
    'error',
    /backup/,
    /Move/,
  ],
  [
    'no Termux:Boot',
    ({ program }) => program('pm', '[ "$2" = com.termux.boot ] || echo package:x'),
    ['Termux:Boot'],
    'warning',
    /not installed/,
    /open it once/,
  ],
  [
    'late start',
    ({ log }) => log([130, '{"event":"LISTENING"}'], [77, '{"event":"LISTENING"}']),
    ['start after boot'],
    'warning',
    /43 min after/,
    /Unrestricted/,
  ],
  ['year 1970', ({ world }) => (world.nowMs = 0), ['clock'], 'error', /1970/, /automatically/],
  [
    'clock behind',
    ({ world }) => (world.nowMs = Date.parse('2025-02-01')),
    ['clock'],
    'error',
    /newer/,
    /automatically/,
  ],
  [
    'little room',
    ({ world }) => (world.settings.max_run_spool_bytes = 2 ** 50),
    ['disk'],
    'warning',
    /not enough/,
    /pkg clean/,
  ],
  ['full disk', ({ world }) => (world.settings.min_free_bytes = 2 ** 50), ['disk'], 'error', /free/, /pkg clean/],
  [
    'home on /sdcard',
    ({ world }) => (world.serviceHome = '/sdcard/shellphone'),
    ['home'],
    'error',
    /shared storage/,
    /SHELLPHONE_HOME/,
  ],
  ['home in tmp', ({ world }) => (world.env.TMPDIR = world.home), ['home'], 'error', /empties/, /SHELLPHONE_HOME/],
  [
    'open token file',
    ({ folder }) => chmodSync(`${folder}/home/.shellphone/token`, 0o644),
    ['home'],
    'error',
    /token$/,
    /^chmod go= /,
  ],
  [
    'policy open',
    (phone) => Object.assign(lan(phone), { policy: 'open' }),
    ['own addresses', 'encryption', 'policy'],
    'error',
    /open, at 0/,
    /guarded/,
  ],
  ['plain HTTP', lan, ['own addresses', 'encryption'], 'error', /not encrypted/, /VPN/],
  [
    'no address',
    (phone) => {
      lan(phone)
      phone.world.isEncrypted = true
      phone.world.addresses = async () => []
    },
    ['own addresses'],
    'warning',
    /no address/,
    /Wi-Fi/,
  ],
  ['origin *', ({ world }) => (world.settings.allowed_origins = ['*']), ['origins'], 'error', /\*/, /by name/],
  [
    'unused token',
    ({ world }) => (world.tokens = () => [token('old', { last_used_at: '2025-01-01T00:00:00Z' }), token('new')]),
    ['unused tokens'],
    'warning',
    /^1 of 2 tokens not used for 30 days: old$/,
    /Revoke/,
  ],
  [
    'endless token',
    (phone) => {
      Object.assign(phone.world.settings, { host: '192.168.255.1' })
      phone.world.tokens = () => [token('laptop', { expires_at: null })]
    },
    ['own addresses', 'tokens without expiry', 'encryption'],
    'warning',
    /^laptop never/,
    /Revoke/,
  ],
]

t.test('exits with 0 on a healthy phone and gives advice for what it cannot see', async (t) => {
  const phone = patientPhone()
  const report = await examine(phone)
  phone.remove()
  t.strictSame(namesOfProblems(report), [])
  t.equal(exitCodeOf(report), 0)
  const text = describeReport(report)
  t.match(text, /^✔ phantom processes: .*\n {4}if not done yet: Android 14\+: Developer options/m)
  t.match(text, /^- there is no certificate: certificate$/m)
  t.match(text, /\n0 errors, 0 warnings, \d+ ok, 1 skipped$/)
  const [check] = report.checks
  const checks = (['error', 'warning', 'warning'] as const).map((status) => ({ ...check!, status }))
  t.match(describeReport({ ...report, checks }), /\n1 error, 2 warnings, 0 ok, 0 skipped$/)
})

/** A phone with limits long enough for a busy machine. */
function patientPhone(): Pretend {
  const phone = pretendPhone()
  phone.world.limits = { programMs: 600_000, apiMs: 600_000 }
  return phone
}

async function checkTrap(t: Test, [what, set, rows, status, found, fix]: Trap): Promise<void> {
  const phone = patientPhone()
  set(phone)
  const report = await examine(phone)
  phone.remove()
  const row = report.checks.find((check) => rows.includes(check.name) && found.test(check.found))
  t.ok(row, `${what}: ${JSON.stringify(report.checks.filter(({ name }) => rows.includes(name)))}`)
  t.match(row?.fix, fix, what)
  t.not(row?.why, '')
  const others = namesOfProblems(report).filter((name) => !rows.includes(name))
  t.strictSame(others, [], `${what}: no other row`)
  t.equal(exitCodeOf(report), 1, what)
  if (rows.length === 1) t.equal(report.status, status, what)
}

t.jobs = 2

t.test('exits with 1 at each trap, with its row, status, finding and fix', { buffered: true }, async (t) => {
  const left = [...traps]
  const walk = async () => {
    for (let trap = left.shift(); trap; trap = left.shift()) await checkTrap(t, trap)
  }
  await Promise.all([walk(), walk()])
})

t.test('reports and leaves no process when every program hangs', { buffered: true }, async (t) => {
  const phone = pretendPhone()
  phone.world.limits = { programMs: 1_000, apiMs: 1_000 }
  const pidFile = `${phone.folder}/pids`
  writeFileSync(pidFile, '')
  for (const name of ['getprop', 'pm', 'termux-battery-status', 'sv', 'sh']) {
    phone.program(name, `echo $$ >>${pidFile}; exec /bin/sleep 1000`)
  }
  phone.world.ask = () => new Promise(() => {})
  const doctor = createDoctor(() => phone.world)
  const [report, same] = await Promise.all([doctor(), doctor()])
  t.equal(report, same, 'a concurrent call gets the same report')
  const api = report.checks.find(({ name }) => name === 'Termux:API')
  // on a busy machine the check itself may exceed its limit
  t.match(api, {
    status: 'warning',
    found: /^no response within [13] s/,
    fix: /^(?:Open the app Termux:API|Run shellphone doctor again)/,
  })
  t.match(report.checks.find(({ name }) => name === 'service')?.found, /no response within [13] s/)
  const pids = readFileSync(pidFile, 'utf8').split('\n').filter(Boolean).map(Number)
  phone.remove()
  const left = () => pids.filter((pid) => existsSync(`/proc/${pid}`))
  await until(() => left().length === 0) // a killed process is reaped a moment later
  t.strictSame(left(), [])
})

t.test('waits less than 15 s for programs that hang and calls none missing or broken', async (t) => {
  const phone = pretendPhone()
  const waitedMs = { programs: 0, termux_api: 0 }
  phone.world.run = async (argv, limitMs) => {
    const isApi = argv.includes('com.termux.api') || argv.includes('termux-battery-status')
    waitedMs[isApi ? 'termux_api' : 'programs'] += limitMs
    return unanswered
  }
  const report = await examine(phone)
  phone.remove()
  t.strictSame(waitedMs, { programs: 10_000, termux_api: 12_000 })
  t.strictSame(
    report.checks.filter(({ status, found }) => status === 'error' || /missing|not (there|installed|run)/.test(found)),
    [],
  )
  t.strictSame(namesOfProblems(report), ['supervisor', 'Termux:API', 'LD_PRELOAD', '#!/usr/bin/env'])
})

t.test('checks the validity of the certificate', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = await makeCertificate(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), ['localhost'])
  const rows: [number, string, RegExp][] = [
    [-3, 'error', /not valid before/],
    [0, 'ok', /valid for another 39\d days/],
    [390, 'warning', /expires in \d days/],
    [400, 'error', /expired on/],
  ]
  for (const [days, status, found] of rows) {
    const phone = patientPhone()
    Object.assign(phone.world, { certificate: pem, nowMs: Date.now() + days * DAY_MS })
    const row = (await examine(phone)).checks.find(({ name }) => name === 'certificate')
    phone.remove()
    t.match(row, { status, found }, `${days} days from now`)
  }
})

t.test('checks the port and the addresses', async (t) => {
  const other = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, '0.0.0.0')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const phone = patientPhone()
  Object.assign(phone.world.settings, { host: '0.0.0.0', port })
  const rowOf = async (name: string) => (await examine(phone)).checks.find((check) => check.name === name)
  t.match(await rowOf('own addresses'), { status: 'ok', found: `reachable at 127.0.0.1 port ${port}` })
  phone.world.ask = async () => ({ hello: 1 })
  t.match(await rowOf('port'), { status: 'error', found: /EADDRINUSE/, fix: /--port/ })
  t.match(await rowOf('service'), { status: 'error', found: /is not Shellphone/ })
  other.close()
  await once(other, 'close')
  t.match(await rowOf('port'), { status: 'ok', found: /is free/ })
  phone.remove()
})

/** `shellphone doctor` with a running service or without. */
function command(home: string, args: string[], env: Record<string, string> = {}) {
  const main = `${root}/dist/main.js`
  const options = { encoding: 'utf8', env: { ...process.env, SHELLPHONE_HOME: home, ...env } } as const
  return spawnSync(process.execPath, [main, 'doctor', ...args], options)
}

t.test('shellphone doctor and GET /doctor report the same', async (t) => {
  const service = await startService({ env: { XDG_CONFIG_HOME: '/nonexistent' } })
  t.teardown(() => service.stop())
  const port = ['--port', String(service.port)]
  const answered = await service.request('/doctor')
  t.equal(answered.status, 200)
  const report = (await answered.json()) as DoctorReport
  t.strictSame(
    report.checks.filter(({ status }) => status === 'error'),
    [],
  )
  t.match(
    report.checks.find(({ name }) => name === 'service'),
    { status: 'ok', found: /^responds/ },
  )
  t.equal((await service.request('/doctor', { token: null })).status, 401)
  t.equal((await service.request('/doctor', { token: 'wrong' })).status, 401)

  const ran = command(service.home, ['--json', ...port])
  const names = (one: DoctorReport) => one.checks.map(({ name, status }) => [name, status])
  t.strictSame(names(JSON.parse(ran.stdout)), names(report), 'the terminal shows the same')
  t.equal(ran.status, exitCodeOf(report))
  t.match(command(service.home, port).stdout, /^✔ service: responds/m)

  const wrong = command(service.home, ['--json', ...port], { SHELLPHONE_TOKEN: 'x'.repeat(40) })
  const row = (JSON.parse(wrong.stdout) as DoctorReport).checks.find(({ name }) => name === 'service')
  t.match(row, { status: 'error', found: /rejected the token/ })
  t.equal(wrong.status, 1, 'a finding is not an invalid command line')
  t.equal(command(service.home, ['--jsn']).status, 2, 'an invalid command line')
})

t.test('shellphone doctor judges the running service, not the settings for its next start', async (t) => {
  const flags = ['--host', '0.0.0.0', '--policy', 'open', '--tls', 'off']
  const env = { XDG_CONFIG_HOME: '/nonexistent', SHELLPHONE_TOKEN: 'a-token-of-a-test' }
  const service = await startService({ flags, env })
  t.teardown(() => service.stop())
  const { stdout, status } = command(service.home, [], env)
  t.equal(status, 1)
  t.notMatch(stdout, 'listens on this machine only')
  t.match(stdout, new RegExp(`^✔ port: the service listens at 0\\.0\\.0\\.0 port ${service.port}$`, 'm'))
  t.match(stdout, /^! encryption: 0\.0\.0\.0 is plain HTTP/m)
  t.match(stdout, /^✖ policy: open, at 0\.0\.0\.0$/m)
})

t.test('shellphone doctor works without a service and with invalid settings', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-doctor-home-'))
  t.teardown(() => rmSync(home, { recursive: true }))
  const port = String(await freePort())
  const ran = command(home, ['--port', port])
  t.equal(ran.status, 1)
  t.match(ran.stdout, /^✖ service: .*[Ii]s the service running/m)
  t.match(ran.stdout, new RegExp(`^✔ port: 127.0.0.1 port ${port} is free`, 'm'))
  writeFileSync(join(home, 'config.yaml'), 'no_such: 1\n')
  const broken = command(home, [])
  t.equal(broken.status, 1)
  t.match(broken.stdout, /^✖ settings: setting no_such: unknown/m)
  t.match(broken.stdout, new RegExp(`^✔ home: ${home}`, 'm'))
})

t.test('shellphone doctor --home checks nothing of another home if the settings are invalid', async (t) => {
  const HOME = t.testdir({ '.shellphone': {}, other: { 'config.yaml': 'port: abc\n' } })
  const service = await startService({ home: join(HOME, '.shellphone') })
  t.teardown(() => service.stop())
  const other = join(HOME, 'other')
  const ran = command(join(HOME, '.shellphone'), ['--home', other], { HOME })
  t.equal(ran.status, 1)
  t.match(ran.stdout, /^✖ settings: setting port: expected/m)
  t.match(ran.stdout, `home: other users can read ${other}`)
  t.match(ran.stdout, /^- the settings are invalid: service, /m)
  t.notMatch(ran.stdout, 'responds')
})

t.test('reads what finish writes into the log', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-finish-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 })
  const env = { PREFIX: folder, PATH: `${folder}:${process.env.PATH}` }
  const finish = (...given: string[]) =>
    spawnSync('sh', [join(root, 'termux/service/finish'), ...given], { cwd: folder, env, encoding: 'utf8' }).stdout
  const at = (second: number, line: string) => `2026-11-25_13:00:0${second}.00000 ${line.trim()}\n`
  const listening = '{"event":"LISTENING","msg":"any message"}'
  const lines = [listening, finish('-1', '9'), listening, finish('1', '0'), listening, '{"cut']
  writeFileSync(join(folder, 'current'), lines.map((line, second) => at(second, line)).join(''))
  const { starts, crashes: ends } = readServiceLog(folder)
  t.same(
    starts.map(({ afterKill }) => afterKill),
    [false, true, false],
  )
  t.match(ends, [{ reason: /^shellphone exited after .*signal 9\)/ }, { reason: /\(exit code 1, signal 0\)/ }])
})

t.test('skips the checks that depend on invalid settings', async (t) => {
  const phone = patientPhone()
  t.teardown(() => phone.remove())
  Object.assign(phone.world, { settingsError: 'setting port: x', areSettingsKnown: false })
  const { checks } = await examine(phone)
  const skipped = checks.filter(({ found }) => found === 'the settings are invalid').map(({ name }) => name)
  for (const name of ['service', 'port', 'policy', 'encryption', 'origins']) t.ok(skipped.includes(name), name)
  t.notOk(skipped.includes('settings'))
})
