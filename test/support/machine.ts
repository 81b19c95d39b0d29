import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findProgram } from '../../src/server/spawn/index.ts'
import { becomes, endWithUs, until } from './helper.ts'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** A command that runs on a machine; `output` is what it has printed so far. */
export interface Started {
  process: ChildProcess
  output(): string
  /** waits until the output matches */
  prints(pattern: RegExp): Promise<RegExpExecArray>
}

/** A terminal of 100 columns and 30 lines, as a person sees it. */
export interface Terminal {
  type(...keys: string[]): void
  /** the visible lines; `-e` adds the colours */
  screen(...how: string[]): string
  /** waits until the screen matches */
  shows(pattern: RegExp): Promise<RegExpExecArray>
}

/**
 * A Linux machine of a newcomer: this system with an empty home directory, a clean environment, its own network and its own processes, so that
 * programs get their default ports. `stop` kills its processes and removes its files.
 */
export interface Machine {
  /** its first process */
  pid: number
  home: string
  env: Record<string, string>
  run(script: string, more?: Record<string, string>): Promise<Ran>
  start(script: string, more?: Record<string, string>): Started
  /** puts a shell script in the machine's PATH, in place of a program that a newcomer would have */
  program(name: string, script: string): void
  /** the arguments of `nsenter` that precede a program's own */
  enter: string[]
  terminal(name: string, script: string): Terminal
  stop(): Promise<void>
}

/** Why this system cannot run such machines, or null. */
export function noMachine(): string | null {
  if (process.getuid?.() !== 0) return 'needs root, for network namespaces'
  const missing = ['unshare', 'nsenter', 'ip', 'curl', 'tmux', 'openssl'].filter(
    (program) => !findProgram(program, process.env.PATH ?? ''),
  )
  if (missing.length > 0) return `needs ${missing.join(', ')} (scripts/test/apt-packages.sh)`
  const tried = spawnSync('unshare', ['-mpnf', 'ip', 'link', 'set', 'lo', 'up'], { encoding: 'utf8' })
  return tried.status === 0 ? null : `no network namespace can be made here: ${tried.stderr.trim()}`
}

/** Starts a machine. `hosts`: addresses by host name, in addition to localhost. */
export async function startMachine(hosts: Record<string, string> = {}): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-machine-'))
  const home = join(folder, 'home')
  const bin = join(folder, 'bin')
  for (const path of [home, bin]) mkdirSync(path)
  const lines = Object.entries({ localhost: '127.0.0.1', ...hosts }).map(([name, address]) => `${address} ${name}\n`)
  writeFileSync(join(folder, 'hosts'), lines.join(''))
  const script = `read -r pid rest </proc/self/stat
    mount --bind ${folder}/hosts /etc/hosts; mount -t proc proc /proc; ip link set lo up
    echo ready $pid; exec >/dev/null; cat; exit`
  const init = endWithUs(
    spawn('unshare', ['-mpnf', '--kill-child', 'sh', '-ec', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const pid = await readyPid(init)
  const env: Record<string, string> = {
    ...{ HOME: home, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`, SHELL: '/bin/sh', USER: 'root' },
    ...{ TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  }
  const enter = ['-t', String(pid), '-m', '-p', '-n', `--wd=${home}`]
  const start = (script: string, more: Record<string, string> = {}): Started => {
    const child = endWithUs(
      spawn('nsenter', [...enter, 'sh', '-c', script], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const prints = (pattern: RegExp) =>
      sees(
        `${script} prints ${pattern}`,
        pattern,
        () => output,
        () => child.exitCode !== null,
      )
    return { process: child, output: () => output, prints }
  }
  return {
    ...{ pid, home, env, enter, start },
    program: (name, script) => writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    run: (script, more = {}) =>
      new Promise((resolve) => {
        const child = endWithUs(spawn('nsenter', [...enter, 'sh', '-c', script], { env: { ...env, ...more } }))
        const ran: Ran = { code: null, stdout: '', stderr: '' }
        child.stdin.end()
        child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text))
        child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text))
        child.once('close', (code) => resolve({ ...ran, code }))
      }),
    terminal: (name, script) => {
      const tmux = (...args: string[]) =>
        spawnSync('nsenter', [...enter, 'tmux', '-S', `${folder}/tmux`, ...args], { env, encoding: 'utf8' }).stdout
      tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', `${script}; echo "code $?"; read _`)
      const screen = (...how: string[]) => tmux('capture-pane', '-p', ...how, '-t', name)
      return {
        type: (...keys) => void tmux('send-keys', '-t', name, ...keys),
        screen,
        shows: (pattern) => sees(`the terminal ${name} shows ${pattern}`, pattern, screen),
      }
    },
    stop: async () => {
      init.stdin!.end()
      await until(() => init.exitCode !== null || init.signalCode !== null)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function readyPid(init: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: init.stdout! })) {
    const [word, pid] = line.split(' ')
    if (word === 'ready') return Number(pid)
  }
  throw new Error('the machine did not start')
}

/** Waits until a text that grows or changes matches; rejects with the text at its end, or after a time that only a hang can explain. */
async function sees(what: string, pattern: RegExp, text: () => string, isOver = () => false): Promise<RegExpExecArray> {
  await becomes(() => pattern.test(text()) || isOver())
  const found = pattern.exec(text())
  if (found === null) throw new Error(`not so: ${what}\n${text()}`)
  return found
}

/** Connects `machine` and the network of the process `pid` by a cable: the machine gets `address`, and takes the other network's device `peer`. */
export function plugIn(machine: Machine, pid: number, peer: string, address: string): void {
  const inNetwork = (of: number, ...args: string[]) => execFileSync('nsenter', ['-t', String(of), '-n', 'ip', ...args])
  inNetwork(pid, 'link', 'set', peer, 'netns', String(machine.pid))
  inNetwork(machine.pid, 'link', 'set', peer, 'up')
  inNetwork(machine.pid, 'addr', 'add', address, 'dev', peer)
}
