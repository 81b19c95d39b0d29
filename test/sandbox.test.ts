import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createLauncherSpawner, type LauncherSpawner } from '../src/spawn/launcher.ts'
import { attempts, sandboxes } from './sandbox/attempts.ts'
import { launcherFor, noLandlock, program, start } from './spawn/harness.ts'

const { folder, path, missing } = launcherFor()
if (missing) {
  t.plan(0, `no launcher: ${missing}`)
  process.exit()
}

/** Makes one attempt, by its name. */
const attempt = program('sandbox/attempt', folder)

/** It has no more rights than a command in a sandbox: root's tests show what a plain user's would. */
const powerless = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : ['env']
const victim = spawn(powerless[0]!, [...powerless.slice(1), 'sleep', '300'], {
  env: { SECRET: 'x', PATH: process.env.PATH },
  stdio: 'ignore',
})
const tcpServer = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
const unixServer = createServer((socket) => socket.destroy()).listen(join(folder, 'socket'))
const abstractName = `shellphone-sandbox-test-${process.pid}`
const datagrams = join(folder, 'datagrams')
/** Has an abstract socket, one for datagrams, and a terminal. */
const neighbour = spawn(attempt, ['serve', abstractName, datagrams], { stdio: ['ignore', 'pipe', 'ignore'] })
const inherited = openSync(join(folder, 'inherited'), 'a')
t.teardown(() => {
  for (const child of [victim, neighbour]) child.kill('SIGKILL')
  for (const server of [tcpServer, unixServer]) server.close()
  closeSync(inherited)
})

/** The folders as every sandbox finds them. OUT: outside of the workspace; WORK: the workspace; WORK/hidden and HIDDEN: hidden. */
function prepare(root: string) {
  rmSync(root, { recursive: true, force: true })
  for (const name of ['out', 'work', 'work/inside', 'hidden', 'mnt']) mkdirSync(join(root, name), { recursive: true })
  const files = 'read write truncate opentrunc rename exchange unlink link procroot target meta'.split(' ')
  for (const name of files) writeFileSync(join(root, 'out', name), 'content')
  for (const name of ['write', 'rename', 'unlink', 'away', 'exchange', 'link']) {
    writeFileSync(join(root, 'work', name), 'content')
  }
  symlinkSync(join(root, 'out/target'), join(root, 'work/symlink'))
  symlinkSync(join(root, 'hidden/secret'), join(root, 'work/peek'))
  for (const name of ['secret', 'write']) writeFileSync(join(root, 'hidden', name), 'secret')
}

const disk = readdirSync('/dev').find((name) =>
  statSync(join('/dev', name), { throwIfNoEntry: false })?.isBlockDevice(),
)

const names = (root: string, terminal: string): [string, string][] => [
  ['HIDDEN', join(root, 'hidden')],
  ['WORK', join(root, 'work')],
  ['OUT', join(root, 'out')],
  ['MNT', join(root, 'mnt')],
  ['PORT', String((tcpServer.address() as { port: number }).port)],
  ['SOCKET', join(folder, 'socket')],
  ['ABSTRACT', abstractName],
  ['DATAGRAM', datagrams],
  ['TERMINAL', terminal],
  ['DISK', join('/dev', disk ?? 'none')],
  ['VICTIM', String(victim.pid)],
]

const said = once(neighbour.stdout, 'data')

/** For each attempt a letter for each sandbox. */
async function attemptAll(spawner: LauncherSpawner): Promise<string[]> {
  const terminal = String(await said).trim()
  const root = join(folder, 'root')
  const possible: string[][] = []
  for (const [, sandbox] of sandboxes) {
    prepare(root)
    const fill = (args: string) =>
      names(root, terminal).reduce((text, [name, value]) => text.replaceAll(name, value), args)
    const script = attempts.map(([, args]) => `${attempt} ${fill(args)} 2>/dev/null && echo y || echo n`).join('\n')
    const { child, text } = await start(spawner, `cd work; ${script}`, {
      cwd: root,
      env: { PATH: process.env.PATH!, ...(sandbox.name === 'none' && { UNBOXED: '1' }) },
      sandbox: { ...sandbox, writable: [join(root, 'work')], hidden: [join(root, 'hidden')] },
    })
    await Promise.all([child.exited, child.closed])
    possible.push(text().trim().split('\n'))
  }
  return attempts.map((_, index) => possible.map((column) => column[index]).join(''))
}

/** What older kernels do not deny. */
const newer: [abi: number, what: string][] = [[6, 'signal a process outside']]

for (const abi of [3, 4, 5, 6]) {
  t.test(`what each sandbox denies with Landlock ABI ${abi}${abi < 6 ? '' : ' and more'}`, async (t) => {
    const { path: older } = launcherFor(`launcher-abi-${abi}`, abi < 6 ? [`-DLANDLOCK_ABI_MAX=${abi}`] : [], folder)
    const spawner = await createLauncherSpawner({ path: older, sandboxes: true, slots: 1, inherited })
    t.teardown(() => spawner.close())
    const reason = noLandlock(spawner, abi)
    if (reason) return t.plan(0, reason)
    const all = await attemptAll(spawner)
    for (const [index, [what, , expected]] of attempts.entries()) {
      const found = all[index]!
      if (found[0] === 'n' && expected[0] === 'y') {
        t.comment(`${what}: not possible here even without a sandbox`)
        continue
      }
      const isNewer = newer.some(([since, name]) => name === what && abi < since)
      t.equal(found, isNewer ? 'yyyyy' : expected, what)
    }
    t.equal(readFileSync(join(folder, 'inherited'), 'utf8'), '', 'no descriptor of the service reaches a command')
  })
}

t.test('below Landlock ABI 3 there is no sandbox', async (t) => {
  for (const abi of [1, 2]) {
    const { path: older } = launcherFor(`launcher-abi-${abi}`, [`-DLANDLOCK_ABI_MAX=${abi}`], folder)
    const spawner = await createLauncherSpawner({ path: older, sandboxes: true })
    t.teardown(() => spawner.close())
    if (noLandlock(spawner, abi)) continue
    const sandbox = { name: 'read-only' as const, network: true, writable: [], hidden: [] }
    await t.rejects(start(spawner, 'true', { sandbox }), { message: /sandbox/ }, String(abi))
  }
})

t.test('ordinary tools go on in a sandbox', async (t) => {
  const spawner = await createLauncherSpawner({ path, sandboxes: true, slots: 1 })
  t.teardown(() => spawner.close())
  const reason = noLandlock(spawner)
  if (reason) return t.plan(0, reason)
  const work = join(folder, 'tools')
  mkdirSync(work)
  const node = (code: string) => `${process.execPath} -e "${code}"`
  const rows = [
    'nice -n 3 true && ionice -c 3 true && taskset 1 true && chrt -b 0 true && prlimit --nofile=100 true',
    'ulimit -n 100 && ulimit -t 100 && (ulimit -f 100; true) & wait $!',
    node("require('child_process').execSync('true'); require('os').setPriority(0, 5)"),
    node("new (require('worker_threads').Worker)('1', { eval: true })"),
    node("require('crypto').randomBytes(9)"),
    'echo x > a && cp a b && cp -p a c && chmod +x a && touch -d yesterday a && tar cf d a b && mkdir e && tar xf d -C e && mv e f',
    'echo x > /dev/null; echo x >> /dev/stderr; cat /dev/zero | head -c 9 > zeros; [ -s zeros ]; head -c 9 /dev/urandom > random',
    ': < /dev/full; ls /dev /dev/pts > /dev/null; yes | head -n 9 | sort | uniq > sorted',
  ]
  for (const script of rows) {
    const { child } = await start(spawner, `set -e; ${script}`, {
      cwd: work,
      sandbox: { name: 'workspace-write', network: false, writable: [work], hidden: [] },
    })
    t.equal((await child.exited).exitCode, 0, script)
  }
})
