/**
 * Many phones in one process: the real link, door and presence of each, and behind all of them one small service over loopback HTTP that answers
 * a command with its record and runs nothing. Started by fleet-crowd.ts, which hands it places and is told how many are connected.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fleet, type FleetParts, openFleet } from '../../src/fleet/phone/index.ts'

const TOLD_MS = 50
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

/** One after the other: a signature of nkeys takes a phone's processor some 10 ms, and here all have one. */
const APART_MS = 40

async function connect(places: FleetParts['membership'][]): Promise<void> {
  const phones: Fleet[] = []
  setInterval(() => process.send!(phones.filter((phone) => phone.status().connected).length), TOLD_MS)
  for (const place of places) {
    const phone = openFleet({
      ...{
        membership: place,
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
process.once('message', (places: FleetParts['membership'][]) => void connect(places))
process.once('disconnect', () => process.exit())
process.send!('ready')
