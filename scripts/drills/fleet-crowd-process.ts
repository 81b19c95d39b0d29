/**
 * Simulates many phones in one process. Each phone has the real link, endpoint and presence. All share one small HTTP service on loopback, which
 * answers a command with a record and runs nothing. fleet-crowd.ts starts this process, sends it the memberships, and receives the number of
 * connected phones.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fleet, type FleetParts, openFleet } from '../../src/fleet/phone/index.ts'

const REPORT_MS = 50
const RECORD = { type: 'result', status: 'completed', exit_code: 0, output: '[Exit Code: 0]\n', truncated: false }

function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => {
    if (request.method === 'GET') return void response.end('{"status":"ok"}')
    response.writeHead(200, { 'content-type': 'text/event-stream', 'run-id': randomUUID() }).flushHeaders()
    response.end(`event: result\nid: 1\ndata: ${JSON.stringify(RECORD)}\n\n`)
  })
}

const idle = { running: 0, queued: 0 }
const executor = {
  approvals: { subscribe: () => () => {}, pending: () => [] },
  stats: () => ({ pool: idle, background: idle }),
} as unknown as FleetParts['executor']

const service = createServer(answer).listen(0, '127.0.0.1')
await once(service, 'listening')
const { port } = service.address() as AddressInfo
const newId = () => randomBytes(16).toString('hex')

/** The pause between the starts of two phones. A signature with nkeys takes about 10 ms of CPU time, and all phones share one machine. */
const APART_MS = 40

async function connect(memberships: FleetParts['membership'][]): Promise<void> {
  const phones: Fleet[] = []
  setInterval(() => process.send!(phones.filter((phone) => phone.status().connected).length), REPORT_MS)
  for (const membership of memberships) {
    const phone = openFleet({
      ...{
        membership,
        executor,
        version: '0',
        home: newId(),
        boot: newId(),
        labels: () => [],
        tokenFor: () => 'none',
      },
      ...{ maxRequests: 64, heartbeatMs: 60_000, reconnectMs: 30_000, service: { host: '127.0.0.1', port } },
      log: { info() {}, warn() {} },
    })
    phones.push(phone)
    await sleep(APART_MS)
  }
}
process.once('message', (memberships: FleetParts['membership'][]) => void connect(memberships))
process.once('disconnect', () => process.exit())
process.send!('ready')
