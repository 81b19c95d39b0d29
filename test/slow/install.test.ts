import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../support/helper.ts'
import { artifact, put, sha256 } from '../support/termux/artifacts.ts'
import { appUid, home, loginEnv, type Phone, prefix, startPhone, whyNot } from '../support/termux/phone.ts'
import { exec, healthy, read, running, until } from '../support/termux/service.ts'

const top = `${prefix}/opt/shellphone`
const share = `${prefix}/share`
const script = readFileSync(join(root, 'termux/install.sh'))

/** Everything that an installation could change, apart from the log. */
const state = (phone: Phone) =>
  phone.run(
    `find ${top} $PREFIX/bin/shellphone $PREFIX/var/service/shellphone -path '*/supervise*' -prune -o -print 2>/dev/null | sort`,
  )
const runsVersion = (phone: Phone, version: string) => running(phone, `/versions/${version}.`).length === 1
/** Limits the size of the file system of the installation, as the root of this machine. */
function limit(phone: Phone, size: string, more = '') {
  const mount = [
    '-t',
    String(phone.pid),
    '-m',
    'mount',
    '-t',
    'tmpfs',
    '-o',
    `size=${size},uid=${appUid},gid=${appUid}${more}`,
    'none',
  ]
  const ran = spawnSync('nsenter', [...mount, phone.path(`${prefix}/opt`)], { encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`mount: ${ran.stderr}`)
}

t.test('in a pretend Termux', { skip: whyNot() ?? false }, async (t) => {
  const phone = await startPhone()
  t.teardown(() => phone.stop())
  mkdirSync(phone.path(`${prefix}/opt`))
  limit(phone, '64m')
  const [first, second] = [artifact('0.1.1'), artifact('0.1.2')]
  const releases = put(phone, 'releases', {
    'shellphone-0.1.1.tgz': first,
    'shellphone-0.1.2.tgz': second,
    'install.sh': script,
  })
  const install = (words: string, env = loginEnv) => phone.run(`sh ${releases}/install.sh ${words}`, env)
  const shellphone = async (words: string) => (await phone.run(`shellphone ${words}`)).stdout.trim()

  await t.test('refuses bad artifacts and systems, and changes nothing', async (t) => {
    const bad = put(
      phone,
      'bad',
      { 'shellphone-0.1.1.tgz': first.subarray(0, -100) },
      `${sha256(first)}  shellphone-0.1.1.tgz\n`,
    )
    const altered = Buffer.from(first)
    altered[first.length >> 1]! ^= 1
    const changed = put(
      phone,
      'altered',
      { 'shellphone-0.1.1.tgz': altered },
      `${sha256(first)}  shellphone-0.1.1.tgz\n`,
    )
    const others = put(phone, 'others', { 'shellphone-0.1.1.tgz': first }, `${sha256(first)}  shellphone-0.1.0.tgz\n`)
    const foreign = put(phone, 'foreign', { 'a.tgz': spawnSync('gzip', { input: 'no tar' }).stdout })
    const dead = artifact('0.1.9', (path, text) => (path === 'dist/main.js' ? 'throw new Error("new code")' : text))
    const broken = put(phone, 'dead', { 'a.tgz': dead })
    const { TERMUX_VERSION: _, ...elsewhere } = loginEnv
    const { PREFIX: __, ...noPrefix } = loginEnv
    await phone.run('mkdir -p bare && printf "#!$PREFIX/bin/sh\\nexit 1\\n" >bare/pkg && chmod 755 bare/pkg')
    const refused: [string, Record<string, string>, RegExp][] = [
      [
        `--from ${bad}/shellphone-0.1.1.tgz`,
        loginEnv,
        /is truncated or altered: expected the sha256 [0-9a-f]{64}, got [0-9a-f]{64}$/m,
      ],
      [`--from ${changed}/shellphone-0.1.1.tgz`, loginEnv, /is truncated or altered/],
      [`--from ${others}/shellphone-0.1.1.tgz`, loginEnv, /SHA256SUMS has no line for shellphone-0\.1\.1\.tgz/],
      [`--from ${foreign}/a.tgz`, loginEnv, /could not unpack a\.tgz|a\.tgz is not a package of Shellphone/],
      [`--from ${broken}/a.tgz`, loginEnv, /a\.tgz does not start with Node v/],
      [`--from ${home}/none.tgz`, loginEnv, /none\.tgz is not a file/],
      ['--from http://127.0.0.1:9/a.tgz', loginEnv, /could not download http:\/\/127\.0\.0\.1:9\/a\.tgz/],
      ['--from', loginEnv, /--from: expected a value, got nothing/],
      [`--from ${releases}/shellphone-0.1.1.tgz --sha256 XY`, loginEnv, /--sha256: expected 64 hexadecimal digits/],
      ['', loginEnv, /expected --from FILE or --from ADDRESS, got nothing/],
      [`--from ${releases}/shellphone-0.1.1.tgz`, elsewhere, /this script needs Termux/],
      [`--from ${releases}/shellphone-0.1.1.tgz`, noPrefix, /this script needs Termux/],
      [
        `--from ${releases}/shellphone-0.1.1.tgz`,
        { ...loginEnv, PREFIX: `${home}/nothing` },
        /PREFIX has no bin directory/,
      ],
    ]
    await phone.run('rm -f $PREFIX/bin/node')
    const noNode = await install(`--from ${releases}/shellphone-0.1.1.tgz`, {
      ...loginEnv,
      PATH: `${home}/bare:${prefix}/bin`,
    })
    t.match(noNode.stderr, /pkg could not install nodejs-lts/)
    await phone.run('pkg install -y nodejs-lts curl </dev/null')
    for (const [words, env, message] of refused) {
      const ran = await install(words, env)
      t.equal(ran.code, 1, words)
      t.match(ran.stderr, message)
    }
    t.notMatch((await state(phone)).stdout, /versions\/.|current|bin\/shellphone|service/, 'nothing is installed')
  })

  await t.test('installs a file, a service and the command', async (t) => {
    const ran = await install(`--from ${releases}/shellphone-0.1.1.tgz`)
    t.equal(ran.code, 0, ran.stderr)
    t.match(ran.stdout, 'Shellphone is running: http://127.0.0.1:8029')
    t.equal(await shellphone('version'), '0.1.1')
    await healthy(phone)
    t.ok(runsVersion(phone, '0.1.1'))
    t.notMatch(read(phone, `${prefix}/var/calls.log`), /npm/, 'without npm')
    t.match(read(phone, `${share}/man/man1/shellphone-run.1`), /^\.TH SHELLPHONE\\-RUN 1 "" "shellphone 0\.1\.1"/)
    t.match(read(phone, `${share}/bash-completion/completions/shellphone`), /^complete .* -F _shellphone shellphone/m)
    await phone.run('touch $PREFIX/share/man/man1/shellphone-gone.1')
  })

  await t.test('with no space left, the installed version stays as it was', async (t) => {
    const before = (await state(phone)).stdout
    const { stdout } = await phone.run(`stat -f -c '%b %f %S' ${top}`)
    const [blocks, free, blockBytes] = stdout.split(' ').map(Number)
    const used = (blocks! - free!) * blockBytes!
    for (const spare of [200_000, 2_000_000]) {
      limit(phone, String(used + spare), ',remount')
      const ran = await install(`--from ${releases}/shellphone-0.1.2.tgz`)
      t.equal(ran.code, 1, `${spare} bytes`)
      t.match(ran.stderr, /could not (copy|unpack) .*no space/)
      t.equal((await state(phone)).stdout, before)
      t.equal(await shellphone('version'), '0.1.1')
    }
    limit(phone, '64m', ',remount')
    t.match(await exec(phone, { command: 'echo hi' }), { stdout: 'hi\n' })
  })

  await t.test('a version that does not start is replaced by the old one', async (t) => {
    const mute = artifact('0.1.9', (path, text) => (path === 'dist/serve.js' ? 'throw new Error("new code")' : text))
    const folder = put(phone, 'mute', { 'a.tgz': mute })
    const ran = await install(`--from ${folder}/a.tgz`)
    t.equal(ran.code, 1)
    t.match(ran.stderr, /Shellphone 0\.1\.9 does not work \(see above\); restoring the previous version/)
    t.match(ran.stderr, /Error: Shellphone 0\.1\.9 was not installed; 0\.1\.1 runs again/)
    t.equal(await shellphone('version'), '0.1.1')
    await healthy(phone)
    await until('the old version runs', () => runsVersion(phone, '0.1.1'))
    t.notMatch((await state(phone)).stdout, /0\.1\.9|previous|incoming/)
  })

  await t.test('piped to sh, a release’s script upgrades from its own address', async (t) => {
    const text = script.toString().replace("release_url=''", "release_url='http://127.0.0.1:9123/shellphone-0.1.2.tgz'")
    const serve = `require('http').createServer((request, response) => {
      const body = require('fs').readFileSync('${releases}/' + request.url.slice(1))
      response.writeHead(200, { 'content-length': body.length })
      if (process.argv[1] === 'cut') response.write(body.subarray(0, 1000), () => response.destroy()); else response.end(body)
    }).listen(9123, '127.0.0.1')`
    const piped = (sum: string, how: string) => {
      put(phone, 'piped', { 'install.sh': Buffer.from(text.replace("release_sha256=''", `release_sha256='${sum}'`)) })
      const ready = 'until curl -s -o /dev/null http://127.0.0.1:9123/SHA256SUMS; [ $? != 7 ]; do sleep 0.1; done'
      return phone.run(
        `node -e "$SERVE" ${how} & ${ready}; cat piped/install.sh | sh -s -- --port 8029; code=$?; kill $!; exit $code`,
        { ...loginEnv, SERVE: serve },
      )
    }
    const cut = await piped(sha256(second), 'cut')
    t.match(cut, { code: 1, stderr: /could not download http:\/\/127\.0\.0\.1:9123\/shellphone-0\.1\.2\.tgz/ })
    t.match(await piped(sha256(first), 'whole'), { code: 1, stderr: /shellphone-0\.1\.2\.tgz is truncated or altered/ })
    t.equal(await shellphone('version'), '0.1.1')
    const ran = await piped(sha256(second), 'whole')
    t.equal(ran.code, 0, ran.stderr)
    t.equal(await shellphone('version'), '0.1.2')
    await healthy(phone)
    await until('the new version runs', () => runsVersion(phone, '0.1.2'))
    t.notMatch((await state(phone)).stdout, /0\.1\.1|previous|incoming/, 'nothing of the old version is left')
    t.match(read(phone, `${share}/man/man1/shellphone-run.1`), 'shellphone 0.1.2')
    t.notOk(existsSync(phone.path(`${share}/man/man1/shellphone-gone.1`)), 'nor a page that it no longer has')
    t.match(await exec(phone, { command: 'echo hi' }), { stdout: 'hi\n' })
  })

  await t.test('refuses an older version unless --allow-downgrade', async (t) => {
    const ran = await install(`--from ${releases}/shellphone-0.1.1.tgz`)
    t.equal(ran.code, 1)
    t.match(ran.stderr, /is older than the installed version \(0\.1\.1, 0\.1\.2\); pass --allow-downgrade/)
    t.equal(await shellphone('version'), '0.1.2')
    t.equal((await install(`--allow-downgrade --from ${releases}/shellphone-0.1.1.tgz`)).code, 0)
    t.equal(await shellphone('version'), '0.1.1')
  })

  await t.test('refuses an installation of npm, and of another user', async (t) => {
    const program = phone.path(`${prefix}/bin/shellphone`)
    const own = readFileSync(program)
    rmSync(program)
    symlinkSync('../lib/node_modules/shellphone/dist/main.js', program)
    const words = `--from ${releases}/shellphone-0.1.1.tgz`
    t.match(await install(words), {
      code: 1,
      stderr: /bin\/shellphone belongs to another installation; first remove that one/,
    })
    rmSync(program)
    writeFileSync(program, own, { mode: 0o755 })
    t.match(await install(words), {
      code: 1,
      stderr: /bin\/shellphone belongs to another user; run this script as that user/,
    })
    chownSync(program, appUid, appUid)
    chownSync(phone.path(top), 0, 0)
    t.match(await install(words), { code: 1, stderr: /opt\/shellphone belongs to another user/ })
    chownSync(phone.path(top), appUid, appUid)
    t.equal((await install(words)).code, 0, 'again, as its own user')
  })

  await t.test('only one installation runs at a time, and a lock without owner does not count', async (t) => {
    const words = `--from ${releases}/shellphone-0.1.1.tgz`
    const ran = await phone.run(
      `ln -s $$ ${top}/lock; sh ${releases}/install.sh ${words}; echo "code $?"; rm ${top}/lock`,
    )
    t.match(ran, { stdout: /code 1/, stderr: /another installation is running \(process \d+\); wait until it ends/ })
    await phone.run(`ln -s 99999 ${top}/lock`)
    t.equal((await install(words)).code, 0)
    t.notOk((await state(phone)).stdout.includes('lock'))
  })

  await t.test('uninstall.sh removes everything but the home', async (t) => {
    const ran = await phone.run(`sh ${top}/current/termux/uninstall.sh`)
    t.equal(ran.code, 0, ran.stderr)
    t.equal((await state(phone)).stdout, '')
    t.equal((await phone.run(`find ${share} -name 'shellphone*'`)).stdout, '')
    t.ok(existsSync(phone.path(`${home}/.shellphone/history`)))
  })
})

t.test('on Linux without systemd', { skip: process.platform === 'linux' ? false : 'needs Linux' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-linux-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const tarball = artifact('0.1.1')
  const file = join(folder, 'a.tgz')
  writeFileSync(file, tarball)
  const fake = join(folder, 'fake')
  mkdirSync(fake)
  const program = (name: string, text: string) => {
    writeFileSync(join(fake, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(fake, name), 0o755)
  }
  program('systemctl', 'exit 1')
  const env = { HOME: folder, PATH: `${fake}:${process.env.PATH}` }
  const install = (...options: string[]) =>
    spawnSync('sh', [join(root, 'termux/install.sh'), '--from', file, '--sha256', sha256(tarball), ...options], {
      env,
      encoding: 'utf8',
    })

  program('node', 'case $1 in --version) echo v18.20.4 ;; *) exit 1 ;; esac')
  t.match(install(), {
    status: 1,
    stderr: /expected Node 20\.15 or newer, got v18\.20\.4; install it from your distribution/,
  })
  rmSync(join(fake, 'node'))
  const ran = install()
  t.equal(ran.status, 0, ran.stderr)
  t.match(
    ran.stdout,
    /Shellphone 0\.1\.1 is installed, but systemd does not run services for this user\. Start it with: .*\/\.local\/bin\/shellphone serve/,
  )
  const servedWith = (...options: string[]) => /Start it with: \S+ (.*)/.exec(install(...options).stdout)?.[1]
  t.equal(servedWith('--port', '18232', '--lan'), 'serve --port 18232 --host 0.0.0.0', 'with the options of setup')
  t.equal(servedWith('--port=18232', '--no-wake-lock'), 'serve --port 18232')
  t.match(install('--prot', '1'), { status: 1, stderr: 'unknown option --prot; list the options with sh install.sh' })
  t.match(install('--port'), { status: 1, stderr: '--port: expected a number, got nothing' })
  const version = spawnSync(join(folder, '.local/bin/shellphone'), ['version'], { env, encoding: 'utf8' })
  t.equal(version.stdout, '0.1.1\n')
  const share = join(folder, '.local/share')
  t.match(readFileSync(join(share, 'man/man1/shellphone.1'), 'utf8'), 'shellphone 0.1.1')
  const completion = join(share, 'bash-completion/completions/shellphone')
  t.match(spawnSync('bash', ['-n', completion], { encoding: 'utf8' }), { status: 0, stderr: '' })

  const uninstalled = spawnSync('sh', [join(share, 'shellphone/current/termux/uninstall.sh')], {
    env,
    encoding: 'utf8',
  })
  t.equal(uninstalled.status, 0, uninstalled.stderr)
  t.equal(spawnSync('find', [join(folder, '.local'), '-name', 'shellphone*'], { encoding: 'utf8' }).stdout, '')
})

t.test('an unwritable directory of manual pages only causes a warning', async (t) => {
  const folder = t.testdir({ '.local': { share: { man: 'a file' } }, fake: {} })
  const tarball = artifact('0.1.1')
  writeFileSync(join(folder, 'a.tgz'), tarball)
  writeFileSync(join(folder, 'fake/systemctl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const env = { HOME: folder, PATH: `${join(folder, 'fake')}:${process.env.PATH}` }
  const words = [join(root, 'termux/install.sh'), '--from', join(folder, 'a.tgz'), '--sha256', sha256(tarball)]
  const ran = spawnSync('sh', words, { env, encoding: 'utf8' })
  t.match(ran, { status: 0, stderr: /^Warning: could not write the manual pages and the completion of bash to /m })
})
