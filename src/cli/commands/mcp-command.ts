import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { PhoneError } from '../../sdk/client-node.ts'
import { type Client, ClientError, toClientError } from './connect-service.ts'
import { eventsIn, linesOf } from './mcp-lines.ts'
import { type McpMessage, modernHeaders, toError } from './mcp-message.ts'

/** The service to use, or how to start one. */
export interface Service {
  /** the service that should be running; null: none is known */
  running: Client | null
  /** starts a service in this process if none responds; rejects with a one-line message; absent for a service on another machine */
  start?(): Promise<Client>
}

/** How long to wait for a service that is restarting, and the interval between attempts. */
const RESTART_MS = 30_000
const LOOK_AGAIN_MS = 250
/** At the end of the input, how long the bridge waits for the answers to requests that it has read. */
const LAST_ANSWERS_MS = 5000

interface Bridge {
  reach(): Promise<Client>
  /** resolves when the stream accepts more data */
  write(message: McpMessage): Promise<unknown>
  /** pending exchanges by the id of the request */
  open: Map<unknown, { isModern: boolean; abort: AbortController }>
  session: Record<string, string>
  /** the client's initialize request; null until it arrives */
  hello: McpMessage | null
  /** settles when a session that was lost in a restart of the service has been replaced */
  renewal: Promise<void> | null
}

/**
 * `shellphone mcp`: sends each line of `input` as a message to the service, and writes each message from the service as a line of `output`. At
 * the end of `input`, waits for the answers to pending requests, cancels those without an answer after `lastAnswersMs`, and resolves.
 */
export async function mcp(
  service: Service,
  input: Readable,
  output: Writable,
  lastAnswersMs = LAST_ANSWERS_MS,
): Promise<void> {
  let target: Promise<Client> | null = null
  const bridge: Bridge = {
    reach: () =>
      (target ??= firstThatAnswers(service).catch((error) => {
        if (!service.start) target = null // the next message retries
        throw error
      })),
    write: async (message) => output.write(`${JSON.stringify(message)}\n`) || once(output, 'drain'),
    open: new Map(),
    session: {},
    hello: null,
    renewal: null,
  }
  const pending = new Set<Promise<void>>()
  for await (const line of linesOf(input)) {
    const message = await parse(line, bridge)
    if (message?.method === 'initialize') await forward(message, bridge)
    else if (message) {
      const forwarded = forward(message, bridge).finally(() => pending.delete(forwarded))
      pending.add(forwarded)
    }
  }
  await Promise.race([Promise.all(pending), pause(lastAnswersMs, undefined, { ref: false })])
  for (const { abort } of bridge.open.values()) abort.abort()
  if (bridge.session['mcp-session-id']) await send('DELETE', null, bridge).catch(() => {}) // the service may have stopped
}

async function firstThatAnswers({ running, start }: Service): Promise<Client> {
  if (running === null) return start!()
  try {
    const answer = await running.phone.request('/health', { anyStatus: true, signal: new AbortController().signal })
    await answer.arrayBuffer()
    return running
  } catch (error) {
    if (isRefused(error) && start) return start()
    throw toClientError(error, running)
  }
}

async function parse(line: string, { write }: Bridge): Promise<McpMessage | null> {
  try {
    return JSON.parse(line)
  } catch (error) {
    await write({ jsonrpc: '2.0', id: null, error: { code: -32700, message: (error as Error).message } })
    return null
  }
}

/** Forwards one message and writes the responses. Converts an error to a response. */
async function forward(message: McpMessage, bridge: Bridge): Promise<void> {
  if (isCancel(message, bridge)) return
  const { id, method } = message
  const isRequest = id !== undefined && method !== undefined
  try {
    if (method === 'initialize') bridge.hello = message
    const answer = await deliver(message, bridge)
    for await (const one of messagesIn(answer, message)) {
      if (method === 'initialize') remember(answer, one, bridge)
      await bridge.write(one)
    }
  } catch (error) {
    if (isRequest && bridge.open.get(id)?.abort.signal.aborted !== true) await bridge.write(toError(id, rootOf(error)))
  } finally {
    bridge.open.delete(id)
  }
  if (method === 'notifications/initialized') void listen(bridge)
}

/** Sends a message. Waits for a service that is restarting, and replaces a session that was lost in the restart, once. */
async function deliver(message: McpMessage, bridge: Bridge): Promise<Response> {
  await bridge.renewal
  const session = bridge.session['mcp-session-id']
  const answer = await sendPatiently(message, bridge)
  if (answer.status !== 404 || session === undefined || modernHeaders(message)) return answer
  await answer.arrayBuffer()
  if (bridge.session['mcp-session-id'] === session) {
    const lost = bridge.session
    bridge.session = {}
    bridge.renewal = renewSession(bridge).catch((error) => {
      Object.assign(bridge, { session: lost, renewal: null }) // the next message retries
      throw error
    })
  }
  await bridge.renewal
  return send('POST', message, bridge)
}

/** Retries while the service refuses connections, which is safe because nothing was sent. */
async function sendPatiently(message: McpMessage, bridge: Bridge): Promise<Response> {
  for (const endMs = performance.now() + RESTART_MS; ; await pause(LOOK_AGAIN_MS)) {
    try {
      return await send('POST', message, bridge)
    } catch (error) {
      if (!isRefused(error) || performance.now() > endMs) throw error
    }
  }
}

const isRefused = (error: unknown) => (rootOf(error) as NodeJS.ErrnoException).code === 'ECONNREFUSED'

/** The system error behind a failed connection. */
const rootOf = (error: unknown) => ((error instanceof PhoneError && error.cause) || error) as Error

/** Repeats the client's initialize request. The client already has a response, so the new one is not written. */
async function renewSession(bridge: Bridge): Promise<void> {
  const hello = bridge.hello!
  const answer = await send('POST', hello, bridge)
  for await (const one of messagesIn(answer, hello)) remember(answer, one, bridge)
  bridge.open.delete(hello.id)
  const acknowledged = await send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, bridge)
  await acknowledged.arrayBuffer()
  void listen(bridge)
}

/** Cancels a request of the 2026 revision, which has no cancel message, by closing its stream. */
function isCancel({ method, params }: McpMessage, { open }: Bridge): boolean {
  const target = open.get(params?.requestId)
  if (method !== 'notifications/cancelled' || !target?.isModern) return false
  target.abort.abort()
  return true
}

async function send(method: string, message: McpMessage | null, bridge: Bridge): Promise<Response> {
  const modern = message && modernHeaders(message)
  const abort = new AbortController()
  if (message?.id !== undefined && message.method) bridge.open.set(message.id, { isModern: modern !== null, abort })
  const headers = { ...(modern ?? bridge.session), accept: 'application/json, text/event-stream' }
  const { phone, rejected } = await bridge.reach()
  const asked = { method, headers, body: message ?? undefined, signal: abort.signal, anyStatus: true }
  const answer = await phone.request('/mcp', asked)
  if (answer.status === 401 && rejected !== undefined) throw new ClientError(rejected)
  return answer
}

/** Stores the session id (2025 revisions), which all later messages must carry. */
function remember({ headers }: Response, { result }: McpMessage, bridge: Bridge): void {
  const id = headers.get('mcp-session-id')
  if (id !== null) bridge.session['mcp-session-id'] = id
  if (result?.protocolVersion) bridge.session['mcp-protocol-version'] = String(result.protocolVersion)
}

/** Forwards the unsolicited messages of the service in a session. */
async function listen(bridge: Bridge): Promise<void> {
  try {
    for await (const one of messagesIn(await send('GET', null, bridge), {})) await bridge.write(one)
  } catch {
    // the service has stopped; the next request reports this
  }
}

/** The messages of a response: one message as JSON, or several as events. */
async function* messagesIn(answer: Response, { id }: McpMessage): AsyncGenerator<McpMessage> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    return yield* eventsIn(Readable.fromWeb(answer.body as ReadableStream))
  }
  const text = await answer.text()
  if (text === '' || id === undefined) return
  const body = JSON.parse(text)
  if (body.jsonrpc) yield { ...body, id }
  else throw new Error(body.error?.message ?? `the service responded with HTTP ${answer.status}`)
}
