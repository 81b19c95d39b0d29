/**
 * Installs the Termux packages of the release in dist/release on simulated phones with each of the four processors: Node of Debian 13 and the
 * launcher of the ARM processors run in qemu-user, the shell and its programs run natively. Starts the service; runs commands with curl and over MCP, also after a
 * reboot; upgrades and rolls back under load; purges. qemu has no child subreapers, so the service runs commands without the launcher there.
 *
 *     npx tsx scripts/drills/drill-termux.ts [aarch64|arm|i686|x86_64 ...]       as root, after npm run release
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../../src/server/spawn/index.ts'
import { root } from '../../test/support/helper.ts'
import { home, type Phone, prefix, startPhone, whyNot } from '../../test/support/termux/phone.ts'
import { healthy, running } from '../../test/support/termux/service.ts'
import { artifactOf, megabytes, withVersion } from './packages.ts'
import { expect, must, pair, reboot, runs, seconds, underLoad } from './phone-steps.ts'

/** How to run programs for another processor: in qemu, where `machine` is the processor's number in ELF; or natively, where `qemu` is null. */
interface Foreign {
  debian: string
  qemu: { name: string; bits: 32 | 64; machine: number } | null
}

/** By Termux's name: the name of the launcher, and how to run it; null: it is this machine's. */
const processors: Record<string, { arch: string; foreign: Foreign | null }> = {
  aarch64: { arch: 'arm64', foreign: { debian: 'arm64', qemu: { name: 'aarch64', bits: 64, machine: 183 } } },
  arm: { arch: 'arm', foreign: { debian: 'armhf', qemu: { name: 'arm', bits: 32, machine: 40 } } },
  i686: { arch: 'ia32', foreign: { debian: 'i386', qemu: null } }, // V8 crashes in qemu-i386
  x86_64: { arch: 'x64', foreign: null },
}
const WORKERS = 3
const token = '$(cat ~/token || { shellphone token create drill --approves all --read all >~/token; cat ~/token; })'
const find = (name: string) => findProgram(name, process.env.PATH ?? '')

/** Unpacks Node of Debian 13 with its libraries, which apt downloads once. Returns the directory. */
function nodeTree(debian: string): string {
  const cache = join(homedir(), '.cache/shellphone-drills', `node-${debian}`)
  const tree = join(cache, 'root')
  if (existsSync(join(tree, 'usr/bin/node'))) return tree
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(cache, name), { recursive: true })
  writeFileSync(join(cache, 'status'), '')
  const source =
    'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main\n'
  writeFileSync(join(cache, 'sources.list'), source)
  const options = {
    'Dir::Etc::SourceList': join(cache, 'sources.list'),
    'Dir::Etc::SourceParts': '-',
    'Dir::State::Lists': join(cache, 'lists'),
    'Dir::State::status': join(cache, 'status'),
    'Dir::Cache': cache,
    'APT::Architecture': debian,
    'APT::Architectures': debian,
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': '',
  }
  const apt = (...argv: string[]) =>
    execFileSync('apt-get', [
      ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      '-qq',
      '-y',
      ...argv,
    ])
  apt('update')
  apt('--download-only', 'install', 'nodejs')
  const archives = join(cache, 'archives')
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    execFileSync('dpkg', ['-x', join(archives, file), tree])
  if (!existsSync(join(tree, 'lib'))) symlinkSync('usr/lib', join(tree, 'lib'))
  return tree
}

/** Lets the kernel start programs for another processor in qemu, until `undo`. */
function emulate({ name, bits, machine }: NonNullable<Foreign['qemu']>): { undo(): void } {
  const program = find(`qemu-${name}-static`)
  if (!program) throw new Error(`qemu-${name}-static: not installed (sh scripts/test/apt-packages.sh cross)`)
  const control = '/proc/sys/fs/binfmt_misc'
  if (!existsSync(join(control, 'register'))) execFileSync('mount', ['-t', 'binfmt_misc', 'none', control])
  const entry = `shellphone-drill-${name}`
  const hex = (bytes: number[]) => bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  const unused = Array<number>(8).fill(0)
  const magic = hex([0x7f, 0x45, 0x4c, 0x46, bits / 32, 1, 1, 0, ...unused, 2, 0, machine, 0])
  const mask = hex([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, ...unused, 0xfe, 0xff, 0xff, 0xff])
  writeFileSync(join(control, 'register'), `:${entry}:M::${magic}:${mask}:${program}:FP`)
  return { undo: () => writeFileSync(join(control, entry), '-1') }
}

const DPKG = ['dpkg', 'dpkg-deb', 'dpkg-query', 'dpkg-split']
const force = '--force-not-root --force-architecture --force-depends --force-bad-path --force-downgrade'
const dpkg = (phone: Phone, words: string) =>
  must(phone, `dpkg --admindir=$PREFIX/var/lib/dpkg ${force} ${words} </dev/null`)

const bind = (phone: Phone, from: string, to: string) => {
  mkdirSync(phone.path(to), { recursive: true })
  execFileSync('nsenter', ['-t', String(phone.pid), '-m', 'mount', '--bind', from, phone.path(to)])
}

/** Writes a copy of Node that loads its libraries from /i386, because the phone's /usr/lib is this machine's. */
function movedNode(tree: string): string {
  const moved = join(tree, 'usr/bin/moved-node')
  const [interpreter, other] = ['/lib/ld-linux.so.2', '/i386/ld']
  const text = readFileSync(join(tree, 'usr/bin/node'), 'latin1')
  const replaced = text.replace(interpreter, other.padEnd(interpreter.length, '\0'))
  writeFileSync(moved, Buffer.from(replaced, 'latin1'), { mode: 0o755 })
  rmSync(join(tree, 'ld'), { force: true })
  symlinkSync('usr/lib/i386-linux-gnu/ld-linux.so.2', join(tree, 'ld'))
  return moved
}

async function startWith(foreign: Foreign | null): Promise<Phone> {
  const tree = foreign && nodeTree(foreign.debian)
  const node = tree ? (foreign.qemu ? join(tree, 'usr/bin/node') : movedNode(tree)) : process.execPath
  const phone = await startPhone({ node })
  if (tree && foreign.qemu) bind(phone, tree, `/etc/qemu-binfmt/${foreign.qemu.name}`)
  else if (tree) {
    bind(phone, tree, '/i386')
    bind(phone, join(tree, 'usr/share'), '/usr/share') // Node of Debian loads a part of itself from there
    writeFileSync(phone.path('/etc/ld.so.conf'), '/i386/usr/lib/i386-linux-gnu\n/usr/lib/x86_64-linux-gnu\n')
    execFileSync('ldconfig', ['-X', '-r', phone.path('/')])
  }
  for (const name of DPKG) cpSync(find(name)!, phone.path(`${prefix}/bin/${name}`), { dereference: true })
  await must(phone, 'mkdir -p $PREFIX/var/lib/dpkg/updates $PREFIX/var/lib/dpkg/info; : >$PREFIX/var/lib/dpkg/status')
  await must(phone, 'pkg install -y nodejs-lts termux-services curl </dev/null')
  return phone
}

const isVersion = async (phone: Phone, version: string) =>
  expect('version', await must(phone, 'shellphone version'), new RegExp(`^${version}\n$`))

/** Sets the service up. In qemu, its first start can take longer than setup waits; then setup runs again. */
async function setUp(phone: Phone): Promise<void> {
  const ran = await phone.run('shellphone setup --lan --yes')
  if (ran.code === 0) return
  await healthy(phone).catch(async (error: Error) => {
    const log = await phone.run('tail -n 5 $PREFIX/var/log/sv/shellphone/current')
    throw new Error(`${error.message}: ${ran.stderr}${log.stdout}`)
  })
  await must(phone, 'shellphone setup --lan --yes')
}

async function drill(name: string, phone: Phone, first: string, print: (text: string) => void): Promise<void> {
  const { arch, foreign } = processors[name]!
  cpSync(first, phone.path(`${home}/first.deb`))
  withVersion(first, '0.9.0', phone.path(`${home}/second.deb`))
  print(
    `${(await must(phone, 'node -p \'process.arch + " " + process.version\'')).trim()}, package ${megabytes(first)}`,
  )
  print(`installed in ${await seconds(() => dpkg(phone, '-i first.deb'))}`)
  const launcher = await phone.run(`$PREFIX/lib/shellphone/dist/launcher-${arch}`)
  expect('launcher', `${launcher.code} ${launcher.stderr}`, /^64 launcher: part of shellphone/)
  print(`set up in ${await seconds(() => setUp(phone))}`)
  const version = /shellphone-(.*)-termux/.exec(first)![1]!
  await isVersion(phone, version)
  const health = await must(phone, `curl -fsS http://127.0.0.1:8029/health -H "Authorization: Bearer ${token}"`)
  print(
    `commands run with ${/"spawner":\{"name":"(\w+)"/.exec(health)?.[1]}${foreign?.qemu ? ' (qemu has no child subreapers)' : ''}`,
  )
  const { curl, token: paired } = await pair(phone)
  await runs(phone, curl, paired)
  print(`curl and MCP: ok; service up ${await seconds(() => reboot(phone))} after a reboot`)
  await runs(phone, curl, paired)
  // in qemu, an upgrade takes a minute; the load must still be on when the service restarts
  const load = { workers: WORKERS, seconds: foreign?.qemu ? 150 : 30, token }
  print(`upgrade: ${await underLoad(phone, load, () => dpkg(phone, '-i second.deb'))}`)
  await isVersion(phone, '0.9.0')
  print(`rollback: ${await underLoad(phone, load, () => dpkg(phone, '-i first.deb'))}`)
  await isVersion(phone, version)
  await healthy(phone)
  await runs(phone, curl, paired)
  await dpkg(phone, '-P shellphone')
  const left = [
    `${prefix}/lib/shellphone`,
    `${prefix}/var/service/shellphone`,
    `${home}/.shellphone`,
    `${home}/.termux/boot/shellphone`,
  ]
  expect('left after purge', left.filter((path) => existsSync(phone.path(path))).join(' '), /^$/)
  expect(
    'processes after purge',
    running(phone, 'dist/main.js')
      .map((one) => one.cmdline)
      .join('; '),
    /^$/,
  )
  print('purged: nothing is left')
}

const reason = whyNot()
if (reason) {
  console.log(`skipped: ${reason}`)
  process.exit(0)
}
const chosen = process.argv.slice(2)
for (const name of chosen.length > 0 ? chosen : Object.keys(processors)) {
  const print = (text: string) => console.log(`${name}: ${text}`)
  const { foreign } = processors[name]!
  const emulation = foreign?.qemu ? emulate(foreign.qemu) : null
  try {
    const phone = await startWith(foreign)
    const first = artifactOf(join(root, 'dist/release'), new RegExp(`-termux-${name}\\.deb$`))
    try {
      await drill(name, phone, first, print)
    } finally {
      await phone.stop()
    }
  } catch (error) {
    print(`FAULT ${(error as Error).message}`)
    process.exitCode = 1
  } finally {
    emulation?.undo()
  }
}
