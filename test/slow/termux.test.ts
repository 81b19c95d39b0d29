import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  bootEnv,
  home,
  launcher,
  loginEnv,
  noCompiler,
  type Phone,
  prefix,
  startPhone,
  whyNot,
} from '../support/termux/phone.ts'
import { exec, health, healthy, read, running, serverPid, sleeping, until } from '../support/termux/service.ts'
import { endsTreeAtTimeout, restartsWithoutOrphans } from '../support/termux/trees.ts'

const scripts = join(import.meta.dirname, '../../termux')
const onPhone = `${prefix}/lib/node_modules/shellphone/termux`
const service = `${prefix}/var/service/shellphone`
/** Lists the manual pages and the completion. */
const documents = "find $PREFIX/share -name 'shellphone*' | sort"

/** The calls of pkg so far. */
const installed = (phone: Phone) =>
  read(phone, `${prefix}/var/calls.log`)
    .split('\n')
    .filter((line) => line.startsWith('pkg '))

t.test('the scripts parse in dash, and shellcheck finds nothing', async (t) => {
  for (const name of ['install.sh', 'uninstall.sh', 'boot', 'service/run', 'service/finish', 'service/log/run']) {
    const parsed = spawnSync('sh', ['-n', join(scripts, name)], { encoding: 'utf8' })
    t.match(parsed, { status: 0, stderr: '' }, name)
    const checked = spawnSync('shellcheck', ['-s', 'dash', join(scripts, name)], { encoding: 'utf8' })
    if (!checked.error) t.equal(checked.stdout, '', `shellcheck ${name}`)
  }
})

t.test('in a pretend Termux', { skip: whyNot() ?? false }, async (t) => {
  const phone = await startPhone()
  t.teardown(() => phone.stop())
  const install = (options = '', env = loginEnv) => phone.run(`sh ${onPhone}/install.sh ${options}`, env)

  await t.test('install.sh refuses wrong options and other systems', async (t) => {
    const { TERMUX_VERSION: _, ...elsewhere } = loginEnv
    const refused: [string, Record<string, string>, RegExp][] = [
      ['--port 80', loginEnv, /--port: expected a whole number from 1024 to 65535, got 80/],
      ['--port', loginEnv, /--port: expected a whole number from 1024 to 65535, got nothing/],
      ['--port=9x', loginEnv, /got 9x/],
      ['--wan', loginEnv, /unknown option --wan/],
      ['', elsewhere, /this script needs Termux/],
    ]
    for (const [options, env, message] of refused) {
      const ran = await install(options, env)
      t.equal(ran.code, options === '' ? 1 : 2, `"${options}"`)
      t.match(ran.stderr, message)
    }
    t.notOk(existsSync(phone.path(service)), 'and writes nothing')
  })

  await t.test('install.sh --no-start installs missing packages and starts nothing', async (t) => {
    const ran = await install('--no-start')
    t.equal(ran.code, 0, ran.stderr)
    t.strictSame(installed(phone), ['pkg install -y nodejs-lts', 'pkg install -y termux-services curl'])
    t.ok(existsSync(phone.path(`${service}/down`)))
    t.strictSame(running(phone, 'runsv'), [])
  })

  await t.test('install.sh starts the service and says how to reach and pair it', async (t) => {
    const ran = await install()
    t.equal(ran.code, 0, ran.stderr)
    t.match(ran.stdout, 'Shellphone is running: http://127.0.0.1:8029')
    t.match(ran.stdout, 'shellphone token create NAME')
    t.match(ran.stdout, /Disable child process restrictions/)
    t.notMatch(ran.stdout, /Google Play|Termux:Boot from where/)
    t.equal(installed(phone).length, 2, 'no package twice')
    t.match((await phone.run(documents)).stdout, /\/completions\/shellphone\n[^]*\/man1\/shellphone-run\.1\n/)
    await healthy(phone)
    t.match(await exec(phone, { command: 'echo hi' }), { status: 'completed', stdout: 'hi\n' })
  })

  await t.test('the pretend phone behaves like a phone', async (t) => {
    const node = 'node -p "[process.platform, os.cpus().length, os.networkInterfaces().lo.length > 0]"'
    const rows: [string, number, string][] = [
      ['ls -d /usr/bin /tmp /etc/passwd /dev/shm 2>/dev/null', 2, ''],
      ['id -u; cat /proc/1/cmdline 2>/dev/null; kill -0 1 2>/dev/null', 1, '10123\n'],
      ['cd /bin; pwd -P; echo $PATH', 0, `/system/bin\n${prefix}/bin\n`],
      [`sh -c '[[ a == a ]]' 2>/dev/null`, 127, ''],
      [node, 0, "[ 'android', 0, true ]\n"],
      [`: >$PREFIX/etc/no-interfaces; ${node}`, 1, ''],
      ['rm $PREFIX/etc/no-interfaces', 0, ''],
    ]
    for (const [script, code, stdout] of rows) t.match(await phone.run(script, bootEnv), { code, stdout }, script)
  })

  await t.test('after a reboot the boot script starts it with LD_PRELOAD', async (t) => {
    await phone.run(
      `: >$PREFIX/etc/wake-lock-hangs; echo 0.5 >${service}/env/SHELLPHONE_KILL_GRACE_SECONDS; kill -9 -1`,
    )
    await until('all processes have ended', () => phone.processes().length === 0)
    const ran = await phone.run('sh ~/.termux/boot/shellphone', bootEnv)
    t.match(ran, { code: 0, stdout: '', stderr: '' })
    await healthy(phone)
    t.match(read(phone, `${prefix}/var/calls.log`), `termux-wake-lock LD_PRELOAD=unset`)
    t.match(read(phone, `/proc/${serverPid(phone)}/environ`), `LD_PRELOAD=${loginEnv.LD_PRELOAD}\0`)
    const record = await exec(phone, { command: 'echo "$LD_PRELOAD"; echo "$DEX2OATBOOTCLASSPATH"' })
    t.match(record, { stdout: `${loginEnv.LD_PRELOAD}\n\n` }, 'and removes variables that the app sets to "null"')
    rmSync(phone.path(`${prefix}/etc/wake-lock-hangs`))
  })

  await t.test('runs a script that begins with /usr/bin/env', { skip: noCompiler ?? false }, async (t) => {
    const write = "printf '#!/usr/bin/env sh\\necho ran $1\\n' >hello; chmod +x hello"
    t.match(await exec(phone, { command: write }), { exit_code: 0 })
    const command = `./hello well; env -u LD_PRELOAD sh -c './hello badly'`
    t.match(await exec(phone, { command }), { stdout: 'ran well\n', exit_code: 127 })
  })

  await t.test('after kill -9 runit restarts it, and no process of its commands is left', (t) =>
    restartsWithoutOrphans(t, phone),
  )

  const ps = phone.path(`${prefix}/bin/ps`)
  const variants: [string, string | null][] = [
    ['no ps', null],
    ['toybox ps', '/system/bin/toybox'],
    ['busybox ps', '../libexec/busybox'],
    ['procps ps', '../libexec/procps-ps'],
  ]
  for (const [name, target] of variants) {
    await t.test(`kills the whole tree at a timeout: ${name}`, async (t) => {
      rmSync(ps, { force: true })
      if (target) symlinkSync(target, ps)
      await endsTreeAtTimeout(t, phone)
    })
  }
  await t.test('install.sh again: --lan where Android hides the interfaces and its apps hang', async (t) => {
    writeFileSync(phone.path(`${prefix}/etc/no-interfaces`), '')
    writeFileSync(phone.path(`${prefix}/etc/api-hangs`), '')
    const ran = await install('--lan --port 9029', { ...loginEnv, TERMUX_VERSION: 'googleplay.2026.06.21' })
    t.equal(ran.code, 0, ran.stderr)
    t.match(ran.stdout, 'Shellphone is running: https://192.168.43.7:9029', 'from ifconfig')
    t.match(ran.stdout, /Google Play build/)
    t.match(ran.stdout, /^✔ encryption: other machines connect with TLS$/m)
    await healthy(phone, 9029)
    t.equal((await phone.run('curl -fsSk -m 60 https://192.168.43.7:9029/health')).code, 0)
    const listening = read(phone, `/proc/${serverPid(phone)}/net/tcp`)
    t.match(listening, `00000000:${(9029).toString(16).toUpperCase()}`, 'on every address')
    rmSync(phone.path(`${prefix}/etc/api-hangs`))
  })

  await t.test('running install.sh again changes nothing', async (t) => {
    const look =
      'find $PREFIX/var/service .termux -path "*/supervise" -prune -o -type f -exec sed "" {} +; cat .shellphone/owner.sha256'
    const before = await phone.run(look)
    writeFileSync(phone.path(`${prefix}/etc/no-ifconfig`), '')
    const ran = await install()
    t.match(
      ran.stdout,
      'Shellphone is running: https://192.168.43.8:9029',
      'as set last time; the address is from Termux:API',
    )
    rmSync(phone.path(`${prefix}/etc/no-interfaces`))
    t.match((await install('--no-start')).stdout, 'Shellphone is installed')
    t.strictSame(await phone.run(look), before)
    t.equal(running(phone, 'dist/main.js').length, 1)
    t.match(await exec(phone, { command: 'echo hi' }, 9029), { stdout: 'hi\n' })
  })

  await t.test('sv down stops it and its commands, sv up starts it', async (t) => {
    const answered = exec(phone, { command: 'setsid sleep 3001 & sleep 3002', timeout_seconds: 120 }, 9029).catch(
      () => null,
    )
    await until('both sleep', () => sleeping(phone).length === 2)
    const down = await phone.run(`sv -w 120 down ${service}`)
    t.equal(down.code, 0, down.stdout)
    await answered
    t.strictSame([...sleeping(phone), ...running(phone, 'dist/main.js')], [])
    t.equal((await phone.run(`sv up ${service}`)).code, 0)
    await healthy(phone, 9029)
  })

  await t.test('the run script preloads termux-exec if that works', async (t) => {
    const library = loginEnv.LD_PRELOAD!
    const old = `${prefix}/lib/libtermux-exec.so`
    const print = `echo "\${LD_PRELOAD-unset} \${SHELLPHONE_LD_PRELOAD-unset}"`
    await phone.run(`mkdir -p bin; printf '#!${prefix}/bin/sh\\n${print}\\n' >bin/chpst; chmod 755 bin/chpst`)
    // [set-up, clean-up, LD_PRELOAD before, printed]
    const rows: [string, string, string | null, string][] = [
      ['', '', null, `${library} unset`],
      ['', '', '', `${library} unset`],
      [`cp ${library} ${prefix}/lib/other.so`, '', `${prefix}/lib/other.so`, `${prefix}/lib/other.so unset`],
      [`mv ${library} ${old}`, `mv ${old} ${library}`, null, `${old} unset`],
      [`mv ${library} ~/away`, `mv ~/away ${library}`, null, 'unset unset'],
      [
        'cd $PREFIX/bin; mv true true.real; ln -s false true',
        'cd $PREFIX/bin; mv -f true.real true',
        null,
        'unset false',
      ],
    ]
    for (const [before, after, given, printed] of rows) {
      const env = { ...bootEnv, PATH: `${home}/bin:${prefix}/bin` }
      const preload = given === null ? '' : `LD_PRELOAD=${given}`
      const ran = await phone.run(`${before}\n${preload} sh ${service}/run; ${after}`, env)
      t.equal(ran.stdout, `${printed}\n`, `${before || 'as installed'}, LD_PRELOAD ${given}`)
    }
  })

  await t.test('the finish script delays a crash loop', async (t) => {
    const program = (name: string, line: string) =>
      `printf '#!${prefix}/bin/sh\\n${line}\\n' >bin/${name}; chmod 755 bin/${name}`
    await phone.run(
      `mkdir -p f/supervise bin; ${program('sleep', 'echo "$1" >~/slept')}; ${program('date', 'echo 5000')}`,
    )
    // [crashes so far, seconds lived, exit code, runsv's stat, seconds held back, crashes then]
    const rows: [number, number, number, string, string, string][] = [
      [0, 1, 1, 'run', '1', '1'],
      [1, 1, -1, 'run', '2', '2'],
      [2, 1, 1, 'run', '4', '3'],
      [3, 1, 1, 'run', '6', '4'],
      [70, 25, 1, 'run', '6', '71'],
      [70, 35, -1, 'run', '1', '1'],
      [3, 1, 0, 'run', 'no', 'none'],
      [3, 1, 1, 'finish, got TERM, want down', 'no', 'none'],
    ]
    for (const [crashes, lived, exitCode, stat, seconds, then] of rows) {
      const ran = await phone.run(
        `state=$PREFIX/var/run/shellphone; echo ${crashes} >$state/crashes; echo ${5000 - lived} >$state/started
        echo '${stat}' >f/supervise/stat; echo no >slept
        (cd f && PATH=~/bin:$PATH sh ${service}/finish ${exitCode} 0 >/dev/null); cat slept $state/crashes 2>/dev/null || echo none`,
      )
      t.equal(
        ran.stdout,
        `${seconds}\n${then}\n`,
        `${crashes} crashes, lived ${lived} s, exit code ${exitCode}, ${stat}`,
      )
    }
  })

  const noLauncher = existsSync(launcher) ? false : 'needs dist/launcher (scripts/build/build-launcher.mjs)'
  await t.test('builds the launcher at a start if there is a compiler', { skip: noLauncher }, async (t) => {
    cpSync(launcher, phone.path(`${prefix}/libexec/compiled`))
    renameSync(phone.path(`${prefix}/libexec/cc`), phone.path(`${prefix}/bin/cc`))
    t.equal((await install('--upgrade')).code, 0)
    t.match(await health(phone, 9029), { spawner: { name: 'launcher' } })
    const starter = phone.processes().find(({ cmdline }) => /\/launcher-[0-9a-f]{16}/.test(cmdline))
    t.match(
      read(phone, `/proc/${starter?.pid}/environ`),
      `LD_PRELOAD=${loginEnv.LD_PRELOAD}\0`,
      "its execve is termux-exec's",
    )
    for (const time of ['first', 'second']) {
      const ran = await phone.run('node $PREFIX/lib/node_modules/shellphone/dist/main.js ps')
      t.equal(ran.code, 0, `the ${time} command line: ${ran.stderr}`)
      t.notOk(existsSync(phone.path(`${home}/.shellphone/token`)), 'proves itself, although /proc hides the launcher')
    }
    await endsTreeAtTimeout(t, phone, 9029)
    await restartsWithoutOrphans(t, phone, 9029)
    t.match(await health(phone, 9029), { spawner: { name: 'launcher' } })
  })

  await t.test('install.sh --local with another home', async (t) => {
    const ran = await install('--local --port 8030', { ...loginEnv, SHELLPHONE_HOME: `${home}/elsewhere` })
    t.equal(ran.code, 0, ran.stderr)
    t.ok(existsSync(phone.path(`${home}/elsewhere/cli`)))
    t.not((await phone.run('curl -sS -m 5 http://192.168.43.7:8030/health')).code, 0)
  })

  await t.test('uninstall.sh removes everything, and the home only with --purge', async (t) => {
    const ran = await phone.run(`sh ${onPhone}/uninstall.sh`)
    t.equal(ran.code, 0, ran.stderr)
    t.equal((await phone.run(documents)).stdout, '')
    const left = 'find $PREFIX/var .termux -name "*shellphone*"; ls */cli .*/cli'
    t.equal((await phone.run(left)).stdout, '.shellphone/cli\nelsewhere/cli\n')
    await until('nothing of it runs', () => phone.processes().every((seen) => seen.cmdline.startsWith('runsvdir')))
    t.equal((await phone.run(`sh ${onPhone}/uninstall.sh --purge`)).code, 0, 'when there is nothing but the home')
    t.equal((await phone.run(left)).stdout, 'elsewhere/cli\n')
  })
})
