import { PhoneError, toPhoneError } from './phone-error.ts'
import type { RequestOptions, ConnectOptions, RunPhone } from './phone-client.ts'
import { ask, askJson, forEver, newKey, send, type ApiAddress } from './requests.ts'
import { RunTalk } from './run-talk.ts'
import { toRun } from './to-run.ts'
import type { SocketClass } from './socket.ts'
import type { RunOptions, RunRecord, RunSummary } from './types.ts'
import { WatchTalk } from './watch-talk.ts'

/** How long a lost connection is tried again, where nothing else was said. */
export const RECONNECT_MS = 120_000
/** A run whose client was not seen for so long is canceled. */
const LEASE_SECONDS = 30

/** A client of the service at `url`, without its files, which the page has no use for. Nothing is sent yet. */
export function connectRuns(options: ConnectOptions): RunPhone {
  const { url, token, reconnectMs = RECONNECT_MS } = options
  const way = wayOf(options)
  const WebSocket = options.WebSocket ?? platformSocket()
  const line = { url, token, WebSocket, reconnectMs }
  const json = <Answer>(path: string, asked?: RequestOptions) => askJson<Answer>(way, path, asked)
  const phone: RunPhone = {
    exec: (command, options) => exec(way, { command, ...options }),
    run: (command, options = {}) =>
      toRun(phone, new RunTalk(line, { command, ...followed(options), idempotency_key: `client-${newKey()}` })),
    attach: (id, options) => toRun(phone, new RunTalk(line, id, options)),
    record: (id, waitSeconds) => json(runPath(id), { query: { wait_seconds: waitSeconds }, signal: forEver() }),
    history: async (query) => (await json<{ runs: RunSummary[] }>('/runs', { query: query ?? {} })).runs,
    cancel: async (id) => (await json<{ outcome: 'cancel_requested' }>(runPath(id), { method: 'DELETE' })).outcome,
    signal: async (id, signal) => void (await json(`${runPath(id)}/signal`, { method: 'POST', body: { signal } })),
    check: (command, policy, options) =>
      json('/policy/check', { method: 'POST', body: { command, ...options, ...(policy && { policy }) } }),
    approvals: () => json('/approvals'),
    watch: ({ runs = true } = {}) => new WatchTalk(line, runs),
    answer: (id, decision, scope = 'once') =>
      json(`/approvals/${encodeURIComponent(id)}`, { method: 'POST', body: { decision, scope } }),
    health: () => json('/health'),
    request: (path, asked) => ask(way, path, asked),
  }
  return phone
}

/** Where its requests go. */
export function wayOf({ url, token, headers = {}, fetch = globalThis.fetch }: ConnectOptions): ApiAddress {
  return { url, token, headers, fetch }
}

const runPath = (id: string) => `/runs/${encodeURIComponent(id)}`

/** What was denied has a record, too. */
async function exec(way: ApiAddress, body: object): Promise<RunRecord> {
  const answer = await send(way, '/exec', { method: 'POST', body, signal: forEver() })
  const told = (await answer.json().catch(() => null)) as RunRecord | null
  if (told && (answer.ok || told.status === 'denied')) return told
  throw toPhoneError(told, answer.status)
}

/** A run that is followed lives as long as who follows it, and its output waits for that. */
const followed = (options: RunOptions): object =>
  options.background ? options : { background: true, lease_seconds: LEASE_SECONDS, when_full: 'wait', ...options }

function platformSocket(): SocketClass {
  const { WebSocket } = globalThis as { WebSocket?: SocketClass }
  if (WebSocket) return WebSocket
  throw new PhoneError(
    'validation_error',
    'WebSocket: this platform has none; hand one in: connect({ …, WebSocket })',
    'WebSocket',
  )
}
