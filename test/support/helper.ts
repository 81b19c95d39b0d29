import { type ChildProcess, type ChildProcessByStdio, spawn, type SpawnOptions, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import WebSocket from 'ws'
import { newerSource } from '../../scripts/test/newer-source.mjs'
import type { ExecRecord } from '../../src/shared/schema/index.ts'

export const root = resolve(new URL('../..', import.meta.url).pathname)

/** Skips the whole test file with a message if `missing` names something that it needs. */
export function wants(t: { plan(count: number, reason: string): void }, missing: string | null): void {
  if (missing === null) return
  t.plan(0, missing)
  process.exit()
}

/** A user who owns nothing. */
export const NOBODY = 65534
/** Why a test that runs as root cannot run this clone's programs as that user; null: it can, or does not run as root. */
export const noNobody = whyNoNobody()

function whyNoNobody(): string | null {
  if (process.getuid!() !== 0) return null
  const read = spawnSync('test', ['-r', join(root, 'package.json')], { uid: NOBODY, gid: NOBODY, cwd: '/' })
  return read.status === 0 ? null : `other users cannot read this clone: ${root}`
}

const besides = new Set<ChildProcess>()
process.once('exit', () => besides.forEach((child) => child.kill('SIGKILL')))

/** Kills the child when this process exits, so that a test that times out leaves no child behind. */
export function endWithUs<T extends ChildProcess>(child: T): T {
  besides.add(child)
  child.once('exit', () => besides.delete(child))
  return child
}

/** Throws if the build in `checkout` is older than its sources, so that no test runs old code. */
export function checkBuilt(checkout: string): void {
  const newer = newerSource(checkout)
  if (newer !== undefined) throw new Error(`dist is older than ${newer}: run "npm run build" first`)
}

let isBuiltChecked = false

/** Checks the build before a program of this checkout's dist is started. */
function checkBuiltOnce(args: string[]): void {
  if (isBuiltChecked || !args.some((arg) => arg.startsWith(join(root, 'dist/')))) return
  checkBuilt(root)
  isBuiltChecked = true
}

/** Starts a process that inherits none of our descriptors: if it outlived us, tap would wait forever. */
export function spawnBeside(command: string, args: string[], options: Omit<SpawnOptions, 'stdio'> = {}) {
  checkBuiltOnce(args)
  const child = endWithUs(spawn(command, args, { ...options, stdio: 'pipe' }))
  child.stderr!.on('data', (chunk) => process.stderr.write(chunk))
  return child as ChildProcessByStdio<Writable, Readable, Readable>
}

/** The built service in a separate process, on a free port of loopback. */
export interface Service {
  pid: number
  port: number
  url: string
  home: string
  token: string
  /** milliseconds from the process's start to its "listening" line */
  startupMs: number
  log: string[]
  process: ChildProcess
  /** fetch with the token; `path` begins with / */
  request(path: string, init?: RequestInit & { token?: string | null }): Promise<Response>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  /** POST /exec: the record (or the error body) */
  exec(body: object): Promise<ExecRecord>
  socket(): Promise<Socket>
  rssBytes(): number
  /** CPU time of the service without its children, user and system, in milliseconds */
  cpuMs(): number
  /** the targets of its descriptors */
  descriptors(): string[]
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** sends SIGTERM, waits for the exit, and removes the home */
  stop(): Promise<number | null>
}

export interface ServiceOptions {
  env?: Record<string, string>
  flags?: string[]
  /** keep using this home; it is not removed at the end */
  home?: string
  node?: string[]
  /** bash code that runs before the service starts: `exec 200</etc/passwd;` */
  before?: string
  /** another built checkout, and the file to start in it */
  checkout?: string
  main?: string
}

/** Starts dist/main.js (`npm test` builds it) and waits until it listens. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { env = {}, flags = [], home, node = [], before = '', checkout = root, main = 'dist/main.js' } = options
  const folder = home ?? mkdtempSync(join(tmpdir(), 'shellphone-test-'))
  const startedAt = performance.now()
  const argv = [process.execPath, ...node, join(checkout, main), 'serve', '--port', '0', ...flags]
  // bash reads ~/.bashrc if stdin is a socket, as in a child of Node
  const [program, ...more] = before ? ['bash', '--norc', '-c', `${before} exec "$@"`, 'bash', ...argv] : argv
  const child = spawnBeside(program!, more, {
    env: { ...process.env, SHELLPHONE_HOME: folder, ...env },
  })
  const log: string[] = []
  const port = await listening(child, log)
  const startupMs = performance.now() - startedAt
  const token = env.SHELLPHONE_TOKEN ?? tokenOf(folder)
  const url = `http://127.0.0.1:${port}`
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  const service: Service = {
    pid: child.pid!,
    port,
    url,
    home: folder,
    token,
    startupMs,
    log,
    process: child,
    request: (path, { token: other, headers, ...init } = {}) =>
      fetch(url + path, { ...init, headers: { ...authorization(other === undefined ? token : other), ...headers } }),
    post: (path, body, headers = {}) =>
      service.request(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    exec: async (body) => (await (await service.post('/exec', body)).json()) as ExecRecord,
    socket: () => openSocket(url, token),
    rssBytes: () => Number(/VmRSS:\s+(\d+)/.exec(proc('status'))![1]) * 1024,
    cpuMs: () => cpuMsOf(child.pid!),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`),
    kill: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      child.kill(signal)
      return (await once(child, 'exit'))[0]
    },
    stop: async () => {
      const code = await service.kill('SIGTERM')
      if (!home) rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
  return service
}

/** Node options for a service whose timers of `ms` milliseconds fire only after hours, as if its clock stood still. */
export function withoutTimersOf(ms: number): string[] {
  const script = `const set = globalThis.setTimeout
globalThis.setTimeout = (call, after, ...more) => set(call, after === ${ms} ? 86_400_000 : after, ...more)`
  return [`--import=data:text/javascript,${encodeURIComponent(script)}`]
}

/** The owners' tokens by their hashes. */
const tokens = new Map<string, string>()

/** The owner's token of a home, also after a command line has proved itself and only the token's hash is stored. */
function tokenOf(home: string): string {
  const line = (name: string) => readFileSync(join(home, name), 'utf8').trim()
  if (!existsSync(join(home, 'token'))) return tokens.get(line('owner.sha256'))!
  const token = line('token')
  tokens.set(hash('sha256', token), token)
  return token
}

/** CPU time of a process, user and system, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const authorization = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

function listening(child: ChildProcess, log: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service exited with ${code} before it listened`)))
    const lines = createInterface({ input: child.stdout! })
    const check = (line: string) => {
      const { msg, address } = JSON.parse(line)
      if (msg !== 'listening') return
      lines.off('line', check)
      resolve(Number(new URL(address).port))
    }
    lines.on('line', (line) => log.push(line)).on('line', check)
  })
}

type Message = { type: string; ref?: string; id?: string } & Record<string, unknown>

/** A WebSocket client that stores the received messages. */
export interface Socket {
  raw: WebSocket
  messages: Message[]
  send(message: object | string): void
  /** resolves with the first matching message, also one that has already arrived */
  next(fits: (message: Message) => boolean): Promise<Message>
  exec(ref: string, body: object): Promise<Message>
  close(): Promise<void>
}

/** `onBinary`: called for each binary message. */
export async function openSocket(
  url: string,
  token: string | null,
  onBinary: (data: Buffer) => void = () => {},
): Promise<Socket> {
  const raw = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: authorization(token), maxPayload: 0 })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  raw.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) return onBinary(data)
    messages.push(JSON.parse(data.toString()))
    for (const check of waiting) check()
  })
  await once(raw, 'open')
  const next = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const check = () => {
        const found = messages.find(fits)
        if (!found) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  const send = (message: object | string) => raw.send(typeof message === 'string' ? message : JSON.stringify(message))
  return {
    raw,
    messages,
    send,
    next,
    exec: (ref, body) => {
      send({ type: 'exec', ref, ...body })
      return next((message) => message.ref === ref && (message.type === 'result' || message.type === 'error'))
    },
    close: async () => {
      raw.close()
      if (raw.readyState !== WebSocket.CLOSED) await once(raw, 'close')
    },
  }
}

// inherited by every service that this process starts, and by its commands
const runMark = `TEST_RUN=${process.pid}.${Date.now()}`
process.env.TEST_RUN = runMark.slice('TEST_RUN='.length)

/** The pids of the processes of this suite whose command line contains `text`; a second clone's suites may run the same commands. */
export function processesWith(text: string): number[] {
  return allProcessesWith(text).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(runMark)
    } catch {
      return false // it has ended meanwhile
    }
  })
}

/** The pids of all processes whose command line contains `text`, which must be unique; for commands without the inherited environment. */
export function allProcessesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text)
      } catch {
        return false // it has ended meanwhile
      }
    })
    .map(Number)
}

/** Stops a process; resolves when the kernel has stopped it. SIGCONT continues it. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await until(() => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, '')))
}

/** Only a hang lasts this long, even on a busy machine. */
export const HANG_MS = 120_000

/** Resolves with whether `condition` becomes true within `ms`; checks every 20 ms. */
export async function becomes(condition: () => boolean | Promise<boolean>, ms = HANG_MS): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (await condition()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

/** Resolves with true once `condition` is true; rejects after a time that only a hang can explain. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<true> {
  if (await becomes(condition)) return true
  throw new Error(`not within ${HANG_MS / 1000} s: ${condition}`)
}

/** Resolves like `promise`; rejects if that takes longer than `ms`. */
export async function soon<Value>(promise: Promise<Value>, ms = HANG_MS): Promise<Value> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${ms / 1000} s`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A port that is free now, and below the range that the kernel assigns to connections, so that none of them can take it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_081 + Math.floor(Math.random() * 20_000) // fetch refuses 10080
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

interface Abilities {
  spawner: { name: string }
  sandbox: { available: string[]; reason: string }
  terminal: { available: boolean; shell: string }
}

async function abilitiesOf(service: Service): Promise<Abilities> {
  const response = await service.request('/health')
  const body = (await response.json()) as Abilities
  if (body.sandbox === undefined) throw new Error(`GET /health: ${response.status} ${JSON.stringify(body)}`)
  return body
}

/** The available sandboxes, and why others are missing. */
export const sandboxOf = async (service: Service) => (await abilitiesOf(service)).sandbox

/** Why the service does not have this sandbox; null: it does. */
export async function noSandbox(service: Service, name: 'read-only' | 'workspace-write'): Promise<string | null> {
  const { available, reason } = await sandboxOf(service)
  return available.includes(name) ? null : `no sandbox ${name} here: ${reason}`
}

/** Whether the service has terminals, and their shell. */
export const terminalOf = async (service: Service) => (await abilitiesOf(service)).terminal

/** Why the service has no terminals; null: it has. */
export async function noTerminals(service: Service): Promise<string | null> {
  const terminal = await terminalOf(service)
  return terminal.available ? null : `no terminals: ${JSON.stringify(terminal)}`
}

/** Why the service has no sessions; null: it has. */
export async function noSessions(service: Service): Promise<string | null> {
  const { spawner } = await abilitiesOf(service)
  return spawner.name === 'launcher' ? null : 'sessions need the launcher'
}

/** The error that the promise rejects with; null: it resolves. */
export const rejectionOf = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => null,
    (error) => error,
  )
