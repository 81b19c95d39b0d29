import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort, becomes } from '../../test/support/helper.ts'

/** The command line of a program that runs commands elsewhere, without the command. */
export interface Way {
  name: string
  argv: string[]
}

export interface Sshd {
  way: Way
  stop(): void
}

/** Starts sshd on loopback with its own key, for this user, and `ssh` with a shared connection to it. Null if sshd is not installed. */
export async function openSshd(folder: string): Promise<Sshd | null> {
  if (spawnSync('sh', ['-c', 'command -v ssh && test -x /usr/sbin/sshd']).status !== 0) return null
  mkdirSync('/run/sshd', { recursive: true })
  const file = (name: string) => join(folder, name)
  for (const key of ['host', 'user']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(key)])
  spawnSync('cp', [file('user.pub'), file('authorized')])
  const port = await freePort()
  const options = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: file('host'),
    AuthorizedKeysFile: file('authorized'),
    StrictModes: 'no',
    PidFile: 'none',
    UsePAM: 'no',
    PermitRootLogin: 'yes',
  }
  writeFileSync(
    file('sshd_config'),
    Object.entries(options)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  )
  const daemon = spawn('/usr/sbin/sshd', ['-D', '-f', file('sshd_config')], { stdio: 'ignore' })
  const shared = ['-o', 'ControlMaster=auto', '-o', `ControlPath=${file('mux')}`, '-o', 'ControlPersist=yes']
  const known = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR']
  const argv = ['ssh', '-F', '/dev/null', ...shared, ...known, '-i', file('user'), '-p', String(port), '127.0.0.1']
  const isThere = await becomes(() => spawnSync(argv[0]!, [...argv.slice(1), 'true']).status === 0, 10_000)
  const stop = () => {
    spawnSync('ssh', ['-o', `ControlPath=${file('mux')}`, '-O', 'exit', '127.0.0.1'])
    daemon.kill()
  }
  if (!isThere) stop()
  return isThere ? { way: { name: 'ssh', argv }, stop } : null
}

/** Runs a shell line in which `WAY` stands for the program. Returns its exit code, output and duration. */
export async function shell(way: Way, line: string, env: NodeJS.ProcessEnv) {
  const startedAt = performance.now()
  const child = spawn('bash', ['-c', line.replaceAll('WAY', way.argv.join(' '))], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code: code as number | null, out: out.trim(), seconds: (performance.now() - startedAt) / 1000 }
}
