import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { Box } from '../src/schema/index.ts'
import { createLauncherSpawner } from '../src/spawn/launcher.ts'
import { firstSlot } from '../src/spawn/launcher-link.ts'
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

const columns: [name: string, box: Omit<Box, 'writable' | 'hidden'>][] = [
  ['none', { name: 'none', network: true }],
  ['read-only', { name: 'read-only', network: true }],
  ['read-only, no network', { name: 'read-only', network: false }],
  ['workspace-write', { name: 'workspace-write', network: true }],
  ['workspace-write, no network', { name: 'workspace-write', network: false }],
]

/** The folders as every box finds them. OUT: outside of the workspace; WORK: the workspace; WORK/hidden and HIDDEN: hidden. */
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

/**
 * What is tried, with what, and by a letter for each column whether it is possible: y, or n.
 * A row that is not even possible without a box (not root, no such file system) says nothing here and is left out.
 */
const rows: [what: string, args: string, possible: string][] = [
  ['read a file', 'read OUT/read', 'yyyyy'],
  ['write to /dev/null', 'null /dev/null', 'yyyyy'],
  ['write to a terminal of its own', 'write /dev/ptmx', 'yyyyy'],
  ['list any folder', 'list OUT', 'yyyyy'],
  ['write a file', 'write OUT/write', 'ynnnn'],
  ['create a file', 'create OUT/created', 'ynnnn'],
  ['truncate(2) a file', 'truncate OUT/truncate', 'ynnnn'],
  ['open a file with O_RDONLY and O_TRUNC', 'opentrunc OUT/opentrunc', 'ynnnn'],
  ['make a folder', 'mkdir OUT/made', 'ynnnn'],
  ['rename a file', 'rename OUT/rename OUT/renamed', 'ynnnn'],
  ['swap a file with one of the workspace', 'exchange OUT/exchange WORK/exchange', 'ynnnn'],
  ['unlink a file', 'unlink OUT/unlink', 'ynnnn'],
  ['link a file into the workspace', 'link OUT/link WORK/inside/linked', 'ynnnn'],
  ['move a file out of the workspace', 'rename WORK/away OUT/away', 'ynnnn'],
  ['make a symbolic link', 'symlink x OUT/symlink', 'ynnnn'],
  ['make a fifo', 'fifo OUT/fifo', 'ynnnn'],
  ['make a device', 'device OUT/device', 'ynnnn'],
  ['write through a symbolic link of the workspace', 'write WORK/symlink', 'ynnnn'],
  ['write through /proc/self/root', 'write /proc/self/rootOUT/procroot', 'ynnnn'],
  ['write through /proc/self/cwd/..', 'write /proc/self/cwd/../out/write', 'ynnnn'],
  ['write through a descriptor of the service', `descriptor ${firstSlot + 1}`, 'nnnnn'],
  ['change mode', 'chmod OUT/meta', 'ynnyy'],
  ['change times', 'utimes OUT/meta', 'ynnyy'],
  ['change owner', 'chown OUT/meta', 'ynnyy'],
  ['set an extended attribute', 'xattr OUT/meta', 'ynnyy'],
  ['set flags, as chattr', 'setflags OUT/meta', 'ynnyy'],
  ['workspace: write a file', 'write WORK/write', 'ynnyy'],
  ['workspace: create a file', 'create WORK/inside/created', 'ynnyy'],
  ['workspace: rename across folders', 'rename WORK/rename WORK/inside/renamed', 'ynnyy'],
  ['workspace: unlink a file', 'unlink WORK/unlink', 'ynnyy'],
  ['workspace: make a device', 'device WORK/inside/device', 'ynnnn'],
  ['hidden: read a file', 'read HIDDEN/secret', 'ynnnn'],
  ['hidden: read a file by a link in the workspace', 'read WORK/peek', 'ynnnn'],
  ['hidden: read a file by /proc/self/root', 'read /proc/self/rootHIDDEN/secret', 'ynnnn'],
  ['hidden: write a file', 'write HIDDEN/write', 'ynnnn'],
  ['hidden: link a file into the workspace', 'link HIDDEN/secret WORK/inside/secret', 'ynnnn'],
  ['hidden: list its names', 'list HIDDEN', 'yyyyy'],
  ['hidden: see that a file is there', 'stat HIDDEN/secret', 'yyyyy'],
  ['connect by TCP', 'tcp PORT', 'yynyn'],
  ['listen by TCP', 'listen', 'yynyn'],
  ['send by UDP', 'udp PORT', 'yynyn'],
  ['a packet socket', 'packet', 'yynyn'],
  ['a netlink socket', 'netlink', 'yynyn'],
  ['connect to a Unix socket by path', 'unix SOCKET', 'ynnnn'],
  ['connect to an abstract Unix socket', 'abstract ABSTRACT', 'ynnnn'],
  ['a socket pair', 'pair', 'yyyyy'],
  ['io_uring', 'io_uring', 'ynnnn'],
  ['signal a process outside', 'kill VICTIM', 'ynnnn'],
  ['trace a process outside', 'ptrace VICTIM', 'ynnnn'],
  ['read the environment of a process outside', 'read /proc/VICTIM/environ', 'ynnnn'],
  ['mount a file system', 'mount MNT', 'ynnnn'],
  ['change the root folder', 'chroot MNT', 'ynnnn'],
]

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

t.test('what each box denies', async (t) => {
  const spawner = await createLauncherSpawner({ path, boxes: true, slots: 1, inherited })
  t.teardown(() => spawner.close())
  const reason = noLandlock(spawner, 6)
  if (reason) return t.plan(0, `${reason}: the table is that of 6 and more`)
  await once(abstractServer.stdout, 'data')
  const root = join(folder, 'root')
  const possible: string[][] = []
  for (const [, box] of columns) {
    prepare(root)
    const fill = (args: string) => names(root).reduce((text, [name, value]) => text.replaceAll(name, value), args)
    const script = rows.map(([, args]) => `${attempt} ${fill(args)} 2>/dev/null && echo y || echo n`).join('\n')
    const { child, text } = await start(spawner, `cd work; ${script}`, {
      cwd: root,
      box: { ...box, writable: [join(root, 'work')], hidden: [join(root, 'hidden')] },
    })
    await Promise.all([child.exited, child.closed])
    possible.push(text().trim().split('\n'))
  }
  const table: string[] = [
    `| | ${columns.map(([name]) => name).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
  ]
  for (const [index, [what, , expected]] of rows.entries()) {
    const found = possible.map((column) => column[index]).join('')
    if (found[0] === 'n' && expected[0] === 'y') {
      t.comment(`${what}: not possible here even without a box`)
      continue
    }
    t.equal(found, expected, what)
    table.push(`| ${what} | ${[...found].map((letter) => (letter === 'y' ? 'yes' : '**no**')).join(' | ')} |`)
  }
  t.comment(`\n${table.join('\n')}`)
  t.equal(readFileSync(join(folder, 'inherited'), 'utf8'), '', 'no descriptor of the service reaches a command')
})
