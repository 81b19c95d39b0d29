import t from 'tap'
import type { DoctorReport } from '../../src/shared/schema/index.ts'
import { bootEnv, home, loginEnv, noCompiler, prefix, startPhone, whyNot } from '../support/termux/phone.ts'
import { exec, healthy, read, running, serverPid, until } from '../support/termux/service.ts'

const service = `${prefix}/var/service/shellphone`
const boot = `${home}/.termux/boot/shellphone`

t.test('in a pretend Termux', { skip: whyNot() ?? false }, async (t) => {
  const phone = await startPhone()
  t.teardown(() => phone.stop())
  await phone.run('pkg install -y nodejs-lts </dev/null')
  const shellphone = (words: string, env = loginEnv) =>
    phone.run(`node $PREFIX/lib/node_modules/shellphone/dist/main.js ${words}`, env)
  const left = async () =>
    (await phone.run('find $PREFIX/var .termux .shellphone -name "*shellphone*" 2>/dev/null')).stdout
  const calls = (word: string) => read(phone, `${prefix}/var/calls.log`).split(word).length - 1

  await t.test('refuses unknown options, and a package in a temporary directory', async (t) => {
    const rows: [string, RegExp][] = [
      ['setup --port 80', /--port: expected a whole number from 1024 to 65535, got 80/],
      ['setup --max-running 3', /^shellphone: setup: unknown option --max-running/],
      ['setup now', /setup: expected no operand, got now; /],
      ['setup --wan', /unknown option --wan/],
    ]
    for (const [words, message] of rows) {
      const ran = await shellphone(words)
      t.equal(ran.code, 2, words)
      t.match(ran.stderr, message)
    }
    const inTmp = await phone.run(
      'cp -R $PREFIX/lib/node_modules/shellphone $TMPDIR/copy; node $TMPDIR/copy/dist/main.js setup --yes; rm -R $TMPDIR/copy',
    )
    t.match(inTmp.stderr, /is in Termux's temporary directory, which the app empties/)
    t.equal(await left(), '')
  })

  await t.test('without a terminal and --yes it shows its changes and makes none', async (t) => {
    const ran = await shellphone('setup --lan')
    t.equal(ran.code, 1)
    const shown = ran.stdout.split('\n').filter((line) => line.startsWith('- '))
    t.match(shown[0], /^- install packages: pkg install -y termux-services curl$/)
    t.match(shown[1], `create ${service}, a runit service with a log (SHELLPHONE_HOST=0.0.0.0)`)
    t.match(shown[2], `write ${boot}`)
    t.match(shown[3], /take a wake lock/)
    t.match(shown[4], /service-daemon start/)
    t.equal(shown.length, 5)
    t.match(ran.stdout, /Nothing was changed/)
    t.equal(await left(), '')
  })

  await t.test('--yes starts the service, takes a wake lock, prints the doctor report and how to pair', async (t) => {
    const ran = await shellphone('setup --lan --yes')
    t.equal(ran.code, 0, ran.stderr)
    t.match(ran.stdout, /^✔ service: responds/m)
    t.match(ran.stdout, /^✔ supervisor: run: /m)
    t.match(ran.stdout, /^✔ own addresses: reachable at 192\.168\.43\.7 port 8029/m)
    t.match(ran.stdout, /^✔ boot script: /m)
    t.match(ran.stdout, /^! Termux:API: the app is not installed/m)
    t.match(ran.stdout, /^Shellphone is running: https:\/\/192\.168\.43\.7:8029$/m)
    t.match(ran.stdout, /^To pair an agent, run shellphone pair$/m)
    t.equal(calls('termux-wake-lock'), 1)
    t.match(await exec(phone, { command: 'echo hi' }), { stdout: 'hi\n' })
  })

  await t.test('a second run has nothing to do', async (t) => {
    const before = serverPid(phone)
    const ran = await shellphone('setup --yes')
    t.equal(ran.code, 0, ran.stderr)
    t.match(ran.stdout, /^nothing to do\n/)
    t.match((await shellphone('setup')).stdout, /^nothing to do\n/, 'without --yes')
    t.equal(serverPid(phone), before)
    t.equal(calls('termux-wake-lock'), 1)
  })

  await t.test('--no-wake-lock is remembered until --wake-lock', async (t) => {
    t.match(read(phone, boot), 'termux-wake-lock')
    t.match((await shellphone('setup --yes --no-wake-lock')).stdout, `- write ${boot}`)
    t.notMatch(read(phone, boot), 'wake-lock')
    t.match((await shellphone('setup --yes')).stdout, /^nothing to do\n/)
    t.match((await shellphone('doctor')).stdout, /^✔ boot script/m, 'both variants are accepted')
    t.equal((await shellphone('setup --yes --wake-lock')).code, 0)
    t.match(read(phone, boot), 'termux-wake-lock')
  })

  await t.test('repairs changed files and starts a stopped service', async (t) => {
    await phone.run(`echo exit 1 >${service}/finish; rm ${boot}; sv -w 120 down ${service}`)
    const ran = await shellphone('setup --yes')
    t.match(ran.stdout, new RegExp(`^- write ${service}/finish.*\n- write ${boot}.*\n- take .*\n- start .*sv up`))
    await healthy(phone)
    t.match((await shellphone('setup')).stdout, /^nothing to do\n/)
  })

  await t.test('--upgrade restarts the service with the installed version', async (t) => {
    const before = serverPid(phone)
    const ran = await shellphone('setup --yes --upgrade')
    t.equal(ran.code, 0, ran.stderr)
    t.match(ran.stdout, /^- restart the service/m)
    t.not(serverPid(phone), before)
    await healthy(phone)
  })

  await t.test('after a reboot Termux:Boot starts it, and doctor reads its settings', async (t) => {
    await phone.run('kill -9 -1')
    await until('all processes have ended', () => phone.processes().length === 0)
    t.match((await shellphone('doctor')).stdout, /^✖ service: cannot reach /m)
    await phone.run('sh ~/.termux/boot/shellphone', bootEnv)
    await healthy(phone)
    t.match(read(phone, `/proc/${serverPid(phone)}/environ`), `LD_PRELOAD=${loginEnv.LD_PRELOAD}\0`)
    const ran = await shellphone('doctor --json')
    const { checks } = JSON.parse(ran.stdout) as DoctorReport
    const status = (name: string) => checks.find((check) => check.name === name)?.status
    t.equal(status('own addresses'), 'ok', 'it listens on the LAN, as set by setup')
    t.equal(status('LD_PRELOAD'), 'ok')
    t.equal(status('encryption'), 'ok')
    t.equal(status('certificate'), 'ok')
    const wrong = checks.filter(({ status }) => status === 'error').map(({ name }) => name)
    t.same(wrong, noCompiler ? ['#!/usr/bin/env'] : [], 'no compiler, no termux-exec in the pretend Termux')
    t.equal(ran.code, 1)
  })

  await t.test('doctor reports a directory in ~/.termux/boot', async (t) => {
    await phone.run('mkdir .termux/boot/backup')
    const ran = await shellphone('doctor')
    t.equal(ran.code, 1)
    t.match(ran.stdout, /^✖ boot folder: backup .*\n {4}why: .*\n {4}do: Move every directory/m)
    await phone.run('rmdir .termux/boot/backup')
  })

  await t.test('--undo leaves only the home; --purge removes that too', async (t) => {
    const asked = await shellphone('setup --undo')
    t.equal(asked.code, 1)
    t.match(asked.stdout, `- stop the service and remove ${service}`)
    t.equal(running(phone, 'dist/main.js').length, 1)
    t.equal((await shellphone('setup --undo --yes')).code, 0)
    t.equal(await left(), '.shellphone\n')
    await until('nothing of it runs', () => phone.processes().every((seen) => seen.cmdline.startsWith('runsvdir')))
    t.match((await shellphone('setup --undo')).stdout, /^no system service was set up\n/)
    t.equal((await shellphone('setup --undo --purge --yes')).code, 0)
    t.equal(await left(), '')
  })
})
