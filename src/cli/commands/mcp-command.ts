import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { PhoneError } from '../../sdk/client-node.ts'
import { type Client, toClientError } from './connect-service.ts'
import { eventsIn, linesOf } from './mcp-lines.ts'
import { type McpMessage, modernHeaders, toError } from './mcp-message.ts'

/** Where the service is found, or started. */
export interface Service {
  /** the one that runs already; null: none that could be asked */
  running: Client | null
  /** one in this process, where none answers; throws with one line of why not; absent: it is another machine's */
  start?(): Promise<Client>
}

/** A service that restarts is back within this, looked for so often. */
const RESTART_MS = 5_000
const LOOK_AGAIN_MS = 250

interface Bridge {
  reach(): Promise<Client>
  /** resolves when there is room for more */
  write(message: McpMessage): Promise<unknown>
  /** exchanges whose answers are to come, by the id of their request */
  open: Map<unknown, { isModern: boolean; abort: AbortController }>
  session: Record<string, string>
  /** what the client began its session with */
  hello: McpMessage | null
  /** a new session is on its way, in place of one that ended with its service */
  renewal: Promise<void> | null
}

/**
 * `shellphone mcp`: each line of `input` is a message to the service, each of its messages a line of `output`. Resolves at the end of `input`;
 * what is open then is canceled.
 */
export async function mcp(service: Service, input: Readable, output: Writable): Promise<void> {
  let target: Promise<Client> | null = null
  const bridge: Bridge = {
    reach: () =>
      (target ??= firstThatAnswers(service).catch((error) => {
        if (!service.start) target = null // the next message looks again
        throw error
      })),
    write: async (message) => output.write(`${JSON.stringify(message)}\n`) || once(output, 'drain'),
    open: new Map(),
    session: {},
    hello: null,
    renewal: null,
  }
  for await (const line of linesOf(input)) {
    const message = await parse(line, bridge)
    if (message?.method === 'initialize') await forward(message, bridge)
    else if (message) void forward(message, bridge)
  }
  for (const { abort } of bridge.open.values()) abort.abort()
  if (bridge.session['mcp-session-id']) await send('DELETE', null, bridge).catch(() => {}) // it has gone already
}

async function firstThatAnswers({ running, start }: Service): Promise<Client> {
  if (running === null) return start!()
  try {
    const answer = await running.phone.request('/health', { anyStatus: true, signal: new AbortController().signal })
    await answer.arrayBuffer()
    return running
  } catch (error) {
    if (isRefused(error) && start) return start()
    throw toClientError(error, running.url)
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

/** One message there, and what it brings back. An error is an answer, too. */
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

/** To the service as it is now: one that restarts is waited for, and a session that ended with it begins anew, once. */
async function deliver(message: McpMessage, bridge: Bridge): Promise<Response> {
  await bridge.renewal
  const session = bridge.session['mcp-session-id']
  const answer = await sendPatiently(message, bridge)
  if (answer.status !== 404 || session === undefined || modernHeaders(message)) return answer
  await answer.arrayBuffer()
  if (bridge.session['mcp-session-id'] === session) {
    const lost = bridge.session
    bridge.session = {}
    bridge.renewal = beginAnew(bridge).catch((error) => {
      Object.assign(bridge, { session: lost, renewal: null }) // the next message tries again
      throw error
    })
  }
  await bridge.renewal
  return send('POST', message, bridge)
}

/** What was refused has not begun: it is sent again until the service is back. */
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

/** What the system says of a connection that did not come about. */
const rootOf = (error: unknown) => ((error instanceof PhoneError && error.cause) || error) as Error

/** As the client did at first; it has had its answer long ago. */
async function beginAnew(bridge: Bridge): Promise<void> {
  const hello = bridge.hello!
  const answer = await send('POST', hello, bridge)
  for await (const one of messagesIn(answer, hello)) remember(answer, one, bridge)
  bridge.open.delete(hello.id)
  const told = await send('POST', { jsonrpc: '2.0', method: 'notifications/initialized' }, bridge)
  await told.arrayBuffer()
  void listen(bridge)
}

/** 2026 has no message for it: closing the request's stream cancels it. */
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
  const { phone } = await bridge.reach()
  return phone.request('/mcp', { method, headers, body: message ?? undefined, signal: abort.signal, anyStatus: true })
}

/** The session of 2025, which all further messages name. */
function remember({ headers }: Response, { result }: McpMessage, bridge: Bridge): void {
  const id = headers.get('mcp-session-id')
  if (id !== null) bridge.session['mcp-session-id'] = id
  if (result?.protocolVersion) bridge.session['mcp-protocol-version'] = String(result.protocolVersion)
}

/** What the service says of itself, in a session. */
async function listen(bridge: Bridge): Promise<void> {
  try {
    for await (const one of messagesIn(await send('GET', null, bridge), {})) await bridge.write(one)
  } catch {
    // the service has gone, and the next request says so
  }
}

/** The messages of an answer: one as JSON, many as events. */
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
