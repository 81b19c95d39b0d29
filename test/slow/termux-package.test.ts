import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { termuxPackage } from '../../scripts/release/debian.ts'
import { readPackageJson } from '../../scripts/release/package-json.ts'
import { findProgram } from '../../src/server/spawn/index.ts'
import { root } from '../support/helper.ts'
import { filesOf, put } from '../support/termux/artifacts.ts'
import { bootEnv, home, prefix, startPhone, whyNot } from '../support/termux/phone.ts'
import { healthy, running, until } from '../support/termux/service.ts'

const EPOCH_SECONDS = 1_700_000_000
const find = (name: string) => findProgram(name, process.env.PATH ?? '')
const programs = ['dpkg', 'dpkg-deb', 'dpkg-query', 'dpkg-split']
const missing = programs.filter((name) => find(name) === null)
const skip = whyNot() ?? (missing.length > 0 ? `needs ${missing.join(', ')}` : false)

function deb(version: string): Buffer {
  const own = { ...readPackageJson(root), version }
  const completions = { bash: 'bash', zsh: 'zsh', fish: 'fish' }
  const license = readFileSync(join(root, 'LICENSE'), 'utf8')
  const input = {
    own,
    files: filesOf(version),
    manPages: { 'shellphone.1': '.TH SHELLPHONE 1' },
    completions,
    license,
    epochSeconds: EPOCH_SECONDS,
  }
  return termuxPackage(input, { arch: 'x64', debian: 'amd64', termux: 'x86_64' })
}

t.test('the Termux package in a pretend Termux', { skip }, async (t) => {
  const phone = await startPhone()
  t.teardown(() => phone.stop())
  for (const name of programs) cpSync(find(name)!, phone.path(`${prefix}/bin/${name}`), { dereference: true })
  rmSync(phone.path(`${prefix}/lib/node_modules/shellphone`), { recursive: true })
  const releases = put(phone, 'releases', { 'first.deb': deb('0.1.1'), 'second.deb': deb('0.1.2') })
  await phone.run('mkdir -p $PREFIX/var/lib/dpkg/updates $PREFIX/var/lib/dpkg/info; : >$PREFIX/var/lib/dpkg/status')
  await phone.run('pkg install -y nodejs-lts termux-services curl </dev/null')
  // the packages that it needs are there, but dpkg of the pretend phone does not know them
  const force = '--force-not-root --force-architecture --force-depends --force-bad-path'
  const dpkg = async (words: string) => {
    const ran = await phone.run(
      `dpkg --admindir=$PREFIX/var/lib/dpkg --log=$PREFIX/var/log/dpkg.log ${force} ${words} </dev/null`,
    )
    t.equal(ran.code, 0, ran.code === 0 ? words : ran.stderr)
  }
  const version = async () => (await phone.run('shellphone version')).stdout
  const service = `${prefix}/var/service/shellphone`

  await t.test('installs a service that does not run until setup', async (t) => {
    await dpkg(`-i ${releases}/first.deb`)
    t.equal(await version(), '0.1.1\n')
    t.ok(existsSync(phone.path(`${service}/down`)), 'disabled, as Termux’s packages are')
    t.ok(existsSync(phone.path(`${home}/.termux/boot/shellphone`)))
    const ran = await phone.run('shellphone setup --yes')
    t.equal(ran.code, 0, ran.stderr)
    await healthy(phone)
  })

  await t.test('starts after a reboot, and an upgrade restarts it', async (t) => {
    await phone.run('kill -9 -1')
    await until('all processes have ended', () => phone.processes().length === 0)
    await phone.run('sh ~/.termux/boot/shellphone', bootEnv)
    await healthy(phone)
    const [before] = running(phone, 'dist/main.js')
    await dpkg(`-i ${releases}/second.deb`)
    t.equal(await version(), '0.1.2\n')
    await healthy(phone)
    t.not(running(phone, 'dist/main.js')[0]?.pid, before?.pid)
  })

  await t.test('remove keeps the home, and purge removes it', async (t) => {
    await dpkg('-r shellphone')
    t.notOk(existsSync(phone.path(service)))
    t.notOk(existsSync(phone.path(`${prefix}/lib/shellphone`)))
    t.notOk(existsSync(phone.path(`${home}/.termux/boot/shellphone`)))
    t.same(running(phone, 'dist/main.js'), [])
    t.ok(existsSync(phone.path(`${home}/.shellphone`)))
    await dpkg('-P shellphone')
    t.notOk(existsSync(phone.path(`${home}/.shellphone`)))
  })

  await t.test('refuses to install beside a copy of install.sh', async (t) => {
    mkdirSync(phone.path(`${prefix}/opt/shellphone/current`), { recursive: true })
    const ran = await phone.run(`dpkg --admindir=$PREFIX/var/lib/dpkg ${force} -i ${releases}/first.deb </dev/null`)
    t.equal(ran.code, 1)
    t.match(ran.stderr, /install\.sh has installed another copy; first run sh .*uninstall\.sh/)
    t.notOk(existsSync(phone.path(`${prefix}/lib/shellphone`)))
  })
})
