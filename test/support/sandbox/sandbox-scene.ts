import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import type { LauncherSpawner } from '../../../src/server/spawn/launcher.ts'
import { program, start } from '../spawn/harness.ts'
import { attempts, INHERITED, sandboxes } from './attempts.ts'

/** The targets of the attempts: files, sockets, a terminal, and processes outside the sandbox. */
interface Scene {
  /** For each attempt a letter for each sandbox: y, n, or r if the launcher refuses such a sandbox. */
  attemptAll(spawner: LauncherSpawner): Promise<string[]>
  close(): void
}

/** Creates the folders for a sandbox. OUT: outside the workspace; WORK: the workspace; WORK/hidden and HIDDEN: hidden. */
function prepare(root: string) {
  rmSync(root, { recursive: true, force: true })
  for (const name of ['out', 'work', 'work/inside', 'hidden', 'mnt']) mkdirSync(join(root, name), { recursive: true })
  const files = 'read write truncate opentrunc rename exchange unlink link procroot target meta'.split(' ')
  for (const name of files) writeFileSync(join(root, 'out', name), 'content')
  for (const name of ['write', 'rename', 'unlink', 'away', 'exchange', 'link', 'set-id']) {
    writeFileSync(join(root, 'work', name), 'content')
  }
  symlinkSync(join(root, 'out/target'), join(root, 'work/symlink'))
  symlinkSync(join(root, 'hidden/secret'), join(root, 'work/peek'))
  for (const name of ['secret', 'write']) writeFileSync(join(root, 'hidden', name), 'secret')
}

const isDisk = (name: string) => statSync(join('/dev', name), { throwIfNoEntry: false })?.isBlockDevice()

/** The launcher, started with an additional descriptor: of the file `inherited`, which must stay empty. */
export function withDescriptor(launcher: string, folder: string): string {
  const path = join(folder, 'launcher-with-descriptor')
  const begin = `exec ${INHERITED}>>'${join(folder, 'inherited')}' '${launcher}' "$@"`
  writeFileSync(path, `#!/bin/sh\n${begin}\n`, { mode: 0o755 })
  return path
}

/** Creates the targets in a folder. */
export function openScene(folder: string): Scene {
  /** The program that makes an attempt, by name. */
  const attempt = program('sandbox/attempt', folder)
  /** Runs without root's capabilities, so that root's tests show the same as a plain user's. */
  const powerless = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : ['env']
  const victim = spawn(powerless[0]!, [...powerless.slice(1), 'sleep', '300'], {
    env: { SECRET: 'x', PATH: process.env.PATH },
    stdio: 'ignore',
  })
  const tcpServer = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  const unixServer = createServer((socket) => socket.destroy()).listen(join(folder, 'socket'))
  const abstractName = `shellphone-sandbox-test-${basename(folder)}`
  const datagrams = join(folder, 'datagrams')
  /** A process with an abstract socket, a datagram socket and a terminal. */
  const neighbour = spawn(attempt, ['serve', abstractName, datagrams], { stdio: ['ignore', 'pipe', 'ignore'] })
  const said = once(neighbour.stdout, 'data')
  const root = join(folder, 'root')

  const names = (terminal: string): [string, string][] => [
    ['HIDDEN', join(root, 'hidden')],
    ['WORK', join(root, 'work')],
    ['OUT', join(root, 'out')],
    ['MNT', join(root, 'mnt')],
    ['PORT', String((tcpServer.address() as { port: number }).port)],
    ['SOCKET', join(folder, 'socket')],
    ['ABSTRACT', abstractName],
    ['DATAGRAM', datagrams],
    ['TERMINAL', terminal],
    ['DISK', join('/dev', readdirSync('/dev').find(isDisk) ?? 'none')],
    ['VICTIM', String(victim.pid)],
  ]
  const attemptIn = async (spawner: LauncherSpawner, sandbox: (typeof sandboxes)[number][1], terminal: string) => {
    prepare(root)
    const fill = (args: string) => names(terminal).reduce((text, [name, value]) => text.replaceAll(name, value), args)
    const script = attempts.map(([, args]) => `${attempt} ${fill(args)} 2>/dev/null && echo y || echo n`).join('\n')
    const { child, text } = await start(spawner, `cd work; ${script}`, {
      cwd: root,
      env: { PATH: process.env.PATH!, ...(sandbox.name === 'none' && { UNSANDBOXED: '1' }) },
      sandbox: { ...sandbox, writable: [join(root, 'work')], hidden: [join(root, 'hidden')] },
    })
    await Promise.all([child.exited, child.closed])
    return text().trim().split('\n')
  }
  return {
    async attemptAll(spawner) {
      const terminal = String(await said).trim()
      const possible: string[][] = []
      for (const [, sandbox] of sandboxes) {
        const isRefused = sandbox.name !== 'none' && spawner.facts.landlockAbi < 3
        possible.push(isRefused ? attempts.map(() => 'r') : await attemptIn(spawner, sandbox, terminal))
      }
      return attempts.map((_, index) => possible.map((column) => column[index]).join(''))
    },
    close() {
      for (const child of [victim, neighbour]) child.kill('SIGKILL')
      for (const server of [tcpServer, unixServer]) server.close()
    },
  }
}
