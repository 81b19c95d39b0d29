import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type Service, startService } from '../../test/support/helper.ts'

/** A program that runs `sh -c true` on request: a server that answers `message` on `port`, or (without a port) the measuring process itself. */
export interface Contender {
  name: string
  port?: number
  message?: string
  /** present: over WebSocket */
  token?: string
  stop(): Promise<unknown>
}

/** The bytes of a POST request. */
export function toMessage(path: string, body: object, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** The baseline. */
export const bareSpawn: Contender = { name: 'bare spawn', stop: async () => {} }

/** The service over HTTP, as installed: its home is in the user's home, where commands start. */
export async function shellphone(
  name: string,
  env: Record<string, string> = {},
): Promise<Contender & { service: Service }> {
  const userHome = mkdtempSync(join(tmpdir(), 'shellphone-bench-'))
  const service = await startService({ env: { HOME: userHome, ...env }, home: join(userHome, '.shellphone') })
  const message = toMessage('/exec', { command: 'true' }, { Authorization: `Bearer ${service.token}` })
  const stop = () => service.stop().then(() => rmSync(userHome, { recursive: true }))
  return { name, port: service.port, message, service, stop }
}

/** The same service over WebSocket. */
export function bySocket({ name, service: { port, token } }: Awaited<ReturnType<typeof shellphone>>): Contender {
  return { name: `${name}, WebSocket`, port, token, message: '{"type":"exec","command":"true"}', stop: async () => {} }
}

/** The same service with another request. */
export function withBody(
  { service: { port, token } }: Awaited<ReturnType<typeof shellphone>>,
  name: string,
  body: object,
): Contender {
  return { name, port, message: toMessage('/exec', body, { Authorization: `Bearer ${token}` }), stop: async () => {} }
}

async function stopped(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const idleServer = `
require('node:http').createServer({ keepAliveTimeout: 0 }, (request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}'))
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

const bareServer = `
const { spawn } = require('node:child_process')
require('node:http').createServer({ keepAliveTimeout: 0 }, (request, response) => {
  request.resume().on('end', () => {
    let output = ''
    const child = spawn('sh', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { output += chunk })
    child.once('close', (exit_code) => {
      const body = JSON.stringify({ exit_code, output })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    })
  })
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

async function nodeServer(name: string, program: string): Promise<Contender> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout!, 'data')
  return { name, port: Number(line), message: toMessage('/', {}), stop: () => stopped(child) }
}

/** Only node:http and child_process.spawn. */
export const bareHttp = () => nodeServer('bare node:http', bareServer)

/** A node:http server that runs nothing. It shows the cost of a request in Node, which is the minimum for any service on Node. */
export const idleHttp = () => nodeServer('node:http that runs nothing', idleServer)

function findWebhook(): boolean {
  const isThere = () => {
    try {
      return execFileSync('webhook', ['-version']).length > 0
    } catch {
      return false
    }
  }
  if (!isThere() && process.getuid?.() === 0) {
    try {
      execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'webhook'], { stdio: 'ignore' })
    } catch {
      // goWebhook reports that it is missing
    }
  }
  return isThere()
}

/** A server in Go that runs commands (Debian's package webhook). If it is not available, prints a line and returns null. */
export async function webhook(): Promise<Contender | null> {
  if (!findWebhook()) {
    console.log('webhook is skipped, because it is not installed; root can install it (apt-get install webhook)')
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-bench-'))
  const pass = ['-c', 'true'].map((name) => ({ source: 'string', name }))
  const hook = { id: 'exec', 'execute-command': '/bin/sh', 'pass-arguments-to-command': pass }
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify([{ ...hook, 'include-command-output-in-response': true }]))
  const port = await freePort()
  const argv = ['-hooks', join(folder, 'hooks.json'), '-ip', '127.0.0.1', '-port', String(port)]
  const child = spawn('webhook', argv, { stdio: 'ignore' })
  const message = toMessage('/hooks/exec', {})
  for (let tries = 0; tries < 50; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/hooks/exec`, { method: 'POST' }).catch(() => null)
    if (answer?.ok) break
    await sleep(100)
  }
  const stop = () => stopped(child).then(() => rmSync(folder, { recursive: true }))
  return { name: 'webhook (Go)', port, message, stop }
}
