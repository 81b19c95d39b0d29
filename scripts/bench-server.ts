import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Server {
  pid: number
  port: number
  token: string
  /** milliseconds from the process's start to its "listening" line */
  startupMs: number
  rssBytes(): number
  /** CPU time of the service alone, user and system, in milliseconds */
  cpuMs(): number
  stop(): Promise<void>
}

/** Starts the built service (dist/main.js) on a free port of loopback with a home of its own. */
export async function startServer(env: Record<string, string> = {}): Promise<Server> {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-bench-'))
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['dist/main.js', '--port', '0'], {
    env: { ...process.env, SHELLPHONE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { port } = await listening(child)
  const startupMs = performance.now() - startedAt
  const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return {
    pid: child.pid!,
    port,
    token: readFileSync(join(home, 'token'), 'utf8').trim(),
    startupMs,
    rssBytes: () => Number(/VmRSS:\s+(\d+)/.exec(status())![1]) * 1024,
    cpuMs: () => {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          rmSync(home, { recursive: true, force: true })
          resolve()
        })
        child.kill('SIGTERM')
      }),
  }
}

function listening(child: ChildProcess): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened`)))
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const { msg, address } = JSON.parse(line)
      if (msg === 'listening') resolve({ port: Number(new URL(address).port) })
    })
  })
}
