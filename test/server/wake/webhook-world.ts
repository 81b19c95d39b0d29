import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type t from 'tap'
import { privateFile } from '../../../src/server/host/index.ts'
import type { RunEvents, StoredRunEvent } from '../../../src/server/store/index.ts'
import { createWebhooks, guardedPost, type Webhooks } from '../../../src/server/wake/index.ts'
import { DEFAULT_RIGHTS, OWNER, type Who } from '../../../src/shared/schema/index.ts'
import { createMovedClock } from '../../support/moved-clock.ts'

/** A history whose events the test makes. It outlives the webhooks that follow it. */
export function createEvents() {
  const listeners = new Set<(event: StoredRunEvent) => void>()
  const all: StoredRunEvent[] = []
  const events: RunEvents = {
    newest: () => ({ segment: 1, offset: all.length }),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async *after({ offset }) {
      yield* all.slice(offset)
    },
  }
  return {
    events,
    /** Makes the end of a run of this token, in this session. */
    end(run_id: string, token_id = OWNER.id, session?: string) {
      const event: StoredRunEvent = {
        ...{ type: 'run.ended', run_id, token: 'x', token_id, session, status: 'completed', exit_code: 0 },
        ...{ at: '2026-01-01T00:00:00.000Z', started_at: null, ended_at: null },
        position: { segment: 1, offset: all.length + 1 },
      }
      all.push(event)
      for (const listener of listeners) listener(event)
    },
  }
}

type Test = Parameters<Parameters<typeof t.test>[0]>[0]

interface World {
  webhooks: Webhooks
  clock: ReturnType<typeof createMovedClock>
  logged: string[]
  /** the tries that have no result yet, as `tryOf` names them */
  open: Set<string>
}

/** The webhooks of a home in `folder`, with a clock that the test moves. `holders`: the tokens that are valid, besides the owner's. */
export function openWorld(
  folder: string,
  events: RunEvents,
  hosts: string[],
  { holders = [] as Who[], clock = createMovedClock() } = {},
): World {
  const logged: string[] = []
  const open = new Set<string>()
  const webhooks = createWebhooks({
    file: privateFile(join(folder, 'webhooks.json')),
    queueFile: privateFile(join(folder, 'webhook-queue.jsonl')),
    holderOf: (id) => [OWNER, ...holders].find((one) => one.id === id),
    events,
    post: (url, message, signal) => {
      const name = tryOf(message)
      open.add(name)
      return guardedPost(url, message, hosts, signal).finally(() => open.delete(name))
    },
    hosts: () => hosts,
    log: (facts, sentence) => void logged.push(`${sentence} ${JSON.stringify(facts)}`),
    clock,
    now: () => START_MS + clock.now(),
    random: () => 0.5,
  })
  return { webhooks, clock, logged, open }
}

/** A name of one try: its message and its time. */
export const tryOf = ({ headers }: Pick<Received, 'headers'>): string =>
  `${headers['webhook-id']} ${headers['webhook-timestamp']}`

export const START_MS = Date.parse('2026-01-01T00:00:00Z')

/** One try as the receiver got it. */
export interface Received {
  id: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** Answers a try. `nth`: the how manyth try of this id it is, from 1. */
export type Respond = (received: Received, nth: number, response: ServerResponse) => void

/** A receiver of webhooks on loopback. */
export async function startReceiver(respond: Respond, port = 0) {
  const received: Received[] = []
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const one = { id: String(request.headers['webhook-id']), path: request.url!, headers: request.headers, body }
    received.push(one)
    const nth = (counts.get(one.id) ?? 0) + 1
    counts.set(one.id, nth)
    respond(one, nth, response)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return {
    received,
    port: bound,
    host: `127.0.0.1:${bound}`,
    url: `http://127.0.0.1:${bound}/hook`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const reply =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (_received, _nth, response) =>
    void response.writeHead(status, headers).end()

/** A receiver, a history and started webhooks in `home`, which the end of the test closes. */
export async function openAll(t: Test, home: string, respond: Respond, holders: Who[] = []) {
  const receiver = await startReceiver(respond)
  const history = createEvents()
  const world = openWorld(home, history.events, [receiver.host], { holders })
  world.webhooks.start()
  t.teardown(async () => {
    await world.webhooks.close()
    await receiver.close()
  })
  return { ...world, ...history, home, receiver }
}

/** The holder of a named token. */
export const agent: Who = { ...DEFAULT_RIGHTS, id: 'agent-id', name: 'agent', created_at: '2025' }

/** A number from 0 to `most - 1` that depends only on the text. */
export const pick = (text: string, most: number): number => createHash('sha256').update(text).digest()[0]! % most
