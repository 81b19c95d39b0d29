import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createLauncherSpawner } from '../src/spawn/launcher.ts'
import { attempts, sandboxes } from './sandbox/attempts.ts'
import { launcherFor, noLandlock, program, start } from './spawn/harness.ts'

const { folder, path, missing } = launcherFor()
if (missing) {
  t.plan(0, `no launcher: ${missing}`)
  process.exit()
}

/** Makes one attempt, by its name. */
const attempt = program('sandbox/attempt', folder)

const victim = spawn('sleep', ['300'], { env: { SECRET: 'x' }, stdio: 'ignore' })
const tcpServer = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
const unixServer = createServer((socket) => socket.destroy()).listen(join(folder, 'socket'))
const abstractName = `shellphone-sandbox-test-${process.pid}`
const abstractServer = spawn(attempt, ['serve', abstractName], { stdio: ['ignore', 'pipe', 'ignore'] })
const inherited = openSync(join(folder, 'inherited'), 'a')
t.teardown(() => {
  for (const child of [victim, abstractServer]) child.kill('SIGKILL')
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

const names = (root: string): [string, string][] => [
  ['HIDDEN', join(root, 'hidden')],
  ['WORK', join(root, 'work')],
  ['OUT', join(root, 'out')],
  ['MNT', join(root, 'mnt')],
  ['PORT', String((tcpServer.address() as { port: number }).port)],
  ['SOCKET', join(folder, 'socket')],
  ['ABSTRACT', abstractName],
  ['VICTIM', String(victim.pid)],
]

t.test('what each sandbox denies', async (t) => {
  const spawner = await createLauncherSpawner({ path, sandboxes: true, slots: 1, inherited })
  t.teardown(() => spawner.close())
  const reason = noLandlock(spawner, 6)
  if (reason) return t.plan(0, `${reason}: the table is that of 6 and more`)
  await once(abstractServer.stdout, 'data')
  const root = join(folder, 'root')
  const possible: string[][] = []
  for (const [, sandbox] of sandboxes) {
    prepare(root)
    const fill = (args: string) => names(root).reduce((text, [name, value]) => text.replaceAll(name, value), args)
    const script = attempts.map(([, args]) => `${attempt} ${fill(args)} 2>/dev/null && echo y || echo n`).join('\n')
    const { child, text } = await start(spawner, `cd work; ${script}`, {
      cwd: root,
      sandbox: { ...sandbox, writable: [join(root, 'work')], hidden: [join(root, 'hidden')] },
    })
    await Promise.all([child.exited, child.closed])
    possible.push(text().trim().split('\n'))
  }
  for (const [index, [what, , expected]] of attempts.entries()) {
    const found = possible.map((column) => column[index]).join('')
    if (found[0] === 'n' && expected[0] === 'y') {
      t.comment(`${what}: not possible here even without a sandbox`)
      continue
    }
    t.equal(found, expected, what)
  }
  t.equal(readFileSync(join(folder, 'inherited'), 'utf8'), '', 'no descriptor of the service reaches a command')
})
