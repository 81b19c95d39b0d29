import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import {
  openSocket,
  processesWith,
  type Service,
  type Socket,
  startService,
  becomes,
} from '../../test/support/helper.ts'

/**
 * Runs thousands of commands, 64 at once, over HTTP and over WebSocket, with random cancellations and disconnects, and outputs of 1 GiB. Checks
 * the responses, leftovers and memory.
 *
 *     npx tsx scripts/drills/drill-wire.ts [commands] [flood MiB]       exit code 1 if a bound is exceeded
 */
const COMMANDS = Number(process.argv[2] ?? 2000)
const FLOOD_MIB = Number(process.argv[3] ?? 1024)
const AT_ONCE = 64
const MiB = 1_048_576
const mark = `drill-wire-${process.pid}`

let broken = 0
function figure(name: string, value: string | number, isGood = true): void {
  if (!isGood) broken++
  console.log(`${isGood ? '  ' : '! '}${name}: ${value}`)
}

const chance = (share: number) => Math.random() < share
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const scriptOf = (n: number) => `: ${mark}; sleep 0.0${n % 5}; echo ${n}; exit ${n % 3}`

/** Runs `work` for 0 … total-1, `AT_ONCE` at a time. */
async function atOnce(total: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < total) await work(next++)
    }),
  )
}

/** Requests /health every 20 ms in a separate thread, so that our own work does not count. */
async function watchHealth(url: string): Promise<() => Promise<number[]>> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { request, Agent } = require('node:http')
    const agent = new Agent({ keepAlive: true })
    const times = []
    let isOver = false
    parentPort.once('message', () => { isOver = true })
    const look = () => {
      const began = performance.now()
      request(workerData + '/health', { agent }, (response) => {
        response.resume().on('end', () => {
          times.push(response.statusCode === 200 ? performance.now() - began : Infinity)
          if (isOver) { parentPort.postMessage(times); agent.destroy() } else setTimeout(look, 20)
        })
      }).on('error', () => { times.push(Infinity); parentPort.postMessage(times) }).end()
    }
    look()`
  const worker = new Worker(code, { eval: true, workerData: url })
  const answer = new Promise<number[]>((resolve) => worker.once('message', resolve))
  return async () => {
    worker.postMessage('over')
    const times = await answer
    await worker.terminate()
    return times.sort((a, b) => a - b)
  }
}

function printHealth(times: number[]): void {
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  const text = `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, slowest ${at(1).toFixed(1)} ms of ${times.length}`
  figure('/health', text, at(1) < 50)
}

interface Tally {
  answered: number
  canceled: number
  left: number
  wrong: string[]
}

/** Checks a response. It must contain the command's output and exit code, or a cancellation that we requested. */
function judge(tally: Tally, n: number, record: Partial<ExecRecord>, wasCanceled: boolean): void {
  if (record.status === 'canceled' && wasCanceled) tally.canceled++
  else if (record.stdout === `${n}\n` && record.exit_code === n % 3) tally.answered++
  else tally.wrong.push(`${n}: ${JSON.stringify(record).slice(0, 200)}`)
}

async function overHttp(service: Service, tally: Tally): Promise<void> {
  await atOnce(COMMANDS, async (n) => {
    if (chance(0.1)) return leaveEarly(service, n, tally)
    const isCanceled = chance(0.1)
    const response = await service.post(
      '/exec',
      { command: scriptOf(n) },
      isCanceled ? { accept: 'text/event-stream' } : {},
    )
    if (!isCanceled) return judge(tally, n, (await response.json()) as ExecRecord, false)
    const id = response.headers.get('run-id')!
    const [text] = await Promise.all([response.text(), cancelSoon(service, id)])
    const results = [...text.matchAll(/^event: result\n.*\ndata: (.*)$/gm)]
    if (results.length === 1) judge(tally, n, JSON.parse(results[0]![1]!), true)
    else tally.wrong.push(`${n}: ${results.length} results`)
  })
}

async function cancelSoon(service: Service, id: string): Promise<void> {
  await pause(Math.random() * 60)
  await (await service.request(`/runs/${id}`, { method: 'DELETE' })).text()
}

/** Runs a client that disconnects before its response, or just after. */
async function leaveEarly(service: Service, n: number, tally: Tally): Promise<void> {
  const signal = AbortSignal.timeout(1 + Math.floor(Math.random() * 60))
  const init = { method: 'POST', signal, headers: { 'content-type': 'application/json' } }
  const body = JSON.stringify({ command: scriptOf(n) })
  const response = await service.request('/exec', { ...init, body }).catch(() => null)
  const record = await response?.json().catch(() => null)
  if (record) judge(tally, n, record as ExecRecord, false)
  else tally.left++
}

const ends = new WeakMap<Socket, Promise<null>>()
/** Resolves with null when the connection is lost. All callers share one listener per connection. */
function goneOf(socket: Socket): Promise<null> {
  const known = ends.get(socket) ?? new Promise<null>((resolve) => socket.raw.once('close', () => resolve(null)))
  ends.set(socket, known)
  return known
}

async function overWebSocket(service: Service, tally: Tally): Promise<void> {
  const sockets: Socket[] = await Promise.all(Array.from({ length: 8 }, () => openSocket(service.url, service.token)))
  const drops = Math.ceil(COMMANDS / 100)
  const dropAt = new Set(Array.from({ length: drops }, () => Math.floor(Math.random() * COMMANDS)))
  await atOnce(COMMANDS, async (n) => {
    const place = n % sockets.length
    if (dropAt.has(n)) {
      sockets[place]!.raw.terminate()
      sockets[place] = await openSocket(service.url, service.token)
    }
    const socket = sockets[place]!
    const gone = goneOf(socket)
    if (socket.raw.readyState !== socket.raw.OPEN) return void tally.left++
    const isCanceled = chance(0.15)
    const answer = socket.exec(`r${n}`, { command: scriptOf(n) })
    if (isCanceled) {
      const accepted = await Promise.race([gone, socket.next((one) => one.type === 'accepted' && one.ref === `r${n}`)])
      await pause(Math.random() * 60)
      if (accepted && socket.raw.readyState === socket.raw.OPEN) socket.send({ type: 'cancel', id: accepted.id! })
    }
    const record = await Promise.race([gone, answer])
    if (!record) return void tally.left++
    judge(tally, n, record as Partial<ExecRecord>, isCanceled)
  })
  for (const [place, socket] of sockets.entries()) {
    const results = socket.messages.filter(({ type }) => type === 'result').map(({ ref }) => ref)
    if (new Set(results).size !== results.length) tally.wrong.push(`socket ${place}: a ref answered twice`)
    await socket.close()
  }
}

async function many(
  name: string,
  service: Service,
  carry: (service: Service, tally: Tally) => Promise<void>,
): Promise<void> {
  console.log(`\n${COMMANDS} commands, ${AT_ONCE} at once, over ${name}`)
  const descriptors = service.descriptors().length
  const tally: Tally = { answered: 0, canceled: 0, left: 0, wrong: [] }
  const healthOver = await watchHealth(service.url)
  setPriority(10) // lowers the priority of this thread only, so that neither the service nor the /health thread waits for it
  const began = performance.now()
  await carry(service, tally)
  const seconds = (performance.now() - began) / 1000
  if (process.getuid!() === 0) setPriority(0)
  printHealth(await healthOver())
  const sum = tally.answered + tally.canceled + tally.left
  figure(
    'answered, canceled, left',
    `${tally.answered}, ${tally.canceled}, ${tally.left} in ${seconds.toFixed(1)} s`,
    sum === COMMANDS,
  )
  figure(
    'wrong or unanswered',
    [tally.wrong.length, ...tally.wrong.slice(0, 5)].join('\n    '),
    tally.wrong.length === 0,
  )
  await leftovers(service, descriptors)
}

function socketsOf(pid: string): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      return false // the descriptor of this readdir
    }
  }).length
}

async function leftovers(service: Service, descriptorsBefore: number): Promise<void> {
  const children = () =>
    readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  await becomes(() => processesWith(mark).length === 0, 10_000)
  figure('processes left', processesWith(mark).length, processesWith(mark).length === 0)
  figure('children and zombies', children().length, children().length <= 1)
  const { pool } = (await (await service.request('/health')).json()) as { pool: { running: number; queued: number } }
  figure('pool running, queued', `${pool.running}, ${pool.queued}`, pool.running + pool.queued === 0)
  // clients keep idle connections open, and so does the service
  const bound = () => descriptorsBefore + socketsOf('self')
  await becomes(() => service.descriptors().length <= bound(), 10_000)
  const after = service.descriptors().length
  figure(
    'descriptors before, after, our own connections',
    `${descriptorsBefore}, ${after}, ${socketsOf('self')}`,
    after <= bound(),
  )
}

/** The total length in bytes of the lines 1 … n. */
function bytesOfLines(n: number): number {
  let bytes = 0
  for (let digits = 1, from = 1; from <= n; digits++, from *= 10) {
    bytes += (Math.min(n, from * 10 - 1) - from + 1) * (digits + 1)
  }
  return bytes
}

async function flood(
  name: string,
  service: Service,
  command: string,
  bytes: number,
  head: RegExp,
  tail: RegExp,
): Promise<void> {
  await service.exec({ command: 'true' })
  const idle = service.rssBytes()
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5') // proc(5): resets VmHWM
  const began = performance.now()
  const record = await service.exec({ command, timeout_seconds: 120 })
  const seconds = (performance.now() - began) / 1000
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) * 1024
  console.log(`\n${FLOOD_MIB} MiB in ${name}`)
  figure('status', `${record.status} in ${seconds.toFixed(1)} s`, record.status === 'completed')
  figure('bytes', `${record.stdout_bytes} of ${bytes}`, record.stdout_bytes === bytes)
  figure(
    'head and tail',
    `${record.stdout.slice(0, 20).replaceAll('\n', ' ')} … ${record.stdout.slice(-20).replaceAll('\n', ' ')}`,
    head.test(record.stdout) && tail.test(record.stdout),
  )
  figure('peak RSS growth', `${((peak - idle) / MiB).toFixed(1)} MiB`, peak - idle < 64 * MiB)
}

async function main(): Promise<void> {
  const warnings = join(tmpdir(), `shellphone-warnings-${process.pid}`)
  const service = await startService({ node: [`--redirect-warnings=${warnings}`] })
  await service.exec({ command: 'true' })
  await many('HTTP', service, overHttp)
  await many('WebSocket', service, overWebSocket)
  const count = Math.floor((FLOOD_MIB * MiB) / 9.9)
  await flood(
    'one line',
    service,
    `head -c ${FLOOD_MIB * MiB} /dev/zero | tr '\\0' x`,
    FLOOD_MIB * MiB,
    /^x+\n?\[/,
    /x$/,
  )
  await flood(
    'many lines',
    service,
    `seq 1 ${count}`,
    bytesOfLines(count),
    /^1\n2\n3\n/,
    new RegExp(`\n${count - 1}\n${count}\n$`),
  )
  figure('\nexit code of the service', String(await service.stop()))
  const warned = existsSync(warnings) ? readFileSync(warnings, 'utf8').slice(0, 500) : 'none'
  figure('warnings, such as leaked listeners', warned, warned === 'none')
  process.exit(broken > 0 ? 1 : 0)
}

await main()
