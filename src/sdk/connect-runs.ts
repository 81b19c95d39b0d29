import { PhoneError, toPhoneError } from './phone-error.ts'
import type { RequestOptions, ConnectOptions, RunPhone } from './phone-client.ts'
import { ask, askJson, noTimeout, newKey, send, type ApiAddress } from './requests.ts'
import { RunSession } from './run-session.ts'
import { toRun } from './to-run.ts'
import type { SocketClass } from './socket.ts'
import type { DialectAnswer, DialectTool, RunOptions, RunRecord, RunSummary } from './types.ts'
import { WatchSession } from './watch-session.ts'

/** The default of `reconnectMs`. */
export const RECONNECT_MS = 120_000
/** The service cancels a run whose client it has not seen for this long. */
const LEASE_SECONDS = 30

/** Creates a client of the service at `url`, without `files`, which the page does not use. It sends nothing until a method is called. */
export function connectRuns(options: ConnectOptions): RunPhone {
  const { url, token, reconnectMs = RECONNECT_MS } = options
  const api = addressOf(options)
  const WebSocket = options.WebSocket ?? platformSocket()
  const endpoint = { url, token, WebSocket, reconnectMs }
  const json = <Answer>(path: string, options?: RequestOptions) => askJson<Answer>(api, path, options)
  const phone: RunPhone = {
    exec: (command, options) => exec(api, { command, ...options }),
    run: (command, options = {}) =>
      toRun(phone, new RunSession(endpoint, { command, ...followed(options), idempotency_key: `client-${newKey()}` })),
    attach: (id, options) => toRun(phone, new RunSession(endpoint, id, options)),
    record: (id, waitSeconds) => json(runPath(id), { query: { wait_seconds: waitSeconds }, signal: noTimeout() }),
    history: async (query) => (await json<{ runs: RunSummary[] }>('/runs', { query: query ?? {} })).runs,
    cancel: async (id) => (await json<{ outcome: 'cancel_requested' }>(runPath(id), { method: 'DELETE' })).outcome,
    signal: async (id, signal) => void (await json(`${runPath(id)}/signal`, { method: 'POST', body: { signal } })),
    check: (command, policy, options) =>
      json('/policy/check', { method: 'POST', body: { command, ...options, ...(policy && { policy }) } }),
    approvals: () => json('/approvals'),
    watch: ({ runs = true } = {}) => new WatchSession(endpoint, runs),
    answer: (id, decision, scope = 'once') =>
      json(`/approvals/${encodeURIComponent(id)}`, { method: 'POST', body: { decision, scope } }),
    dialects: async () => (await json<{ dialects: DialectTool[] }>('/dialects')).dialects,
    execDialect: (dialect, given) => execDialect(api, dialect, given),
    health: () => json('/health'),
    request: (path, options) => ask(api, path, options),
  }
  return phone
}

/** Throws PhoneError `validation_error` unless `url` has a scheme and a host. */
export function addressOf({ url, token, headers = {}, fetch = globalThis.fetch }: ConnectOptions): ApiAddress {
  checkUrl(url)
  return { url, token, headers, fetch }
}

function checkUrl(url: string): void {
  if (/^https?:\/\/[^/]/i.test(url)) return
  const hint = /^[\w.[\]-]+(:\d+)?(\/|$)/.test(url) ? `; did you mean http://${url}?` : ''
  throw new PhoneError(
    'validation_error',
    `url: expected http://HOST:PORT or https://…, got ${JSON.stringify(url)}${hint}`,
    'url',
  )
}

const runPath = (id: string) => `/runs/${encodeURIComponent(id)}`

/** Resolves with the record, also for a denied command. */
async function exec(api: ApiAddress, body: object): Promise<RunRecord> {
  const response = await send(api, '/exec', { method: 'POST', body, signal: noTimeout() })
  const record = (await response.json().catch(() => null)) as RunRecord | null
  if (record && (response.ok || record.status === 'denied')) return record
  throw toPhoneError(record, response.status)
}

/** Resolves with the tool's own answer, also if the command did not run. */
async function execDialect(api: ApiAddress, dialect: string, given: object): Promise<DialectAnswer> {
  const path = `/exec/${encodeURIComponent(dialect)}`
  const response = await send(api, path, { method: 'POST', body: given, signal: noTimeout() })
  const answer = (await response.json().catch(() => null)) as DialectAnswer | null
  if (answer && 'is_error' in answer) return answer
  throw toPhoneError(answer, response.status)
}

/** Adds the defaults for a run that the client follows: it is canceled when the client is gone, and waits when the client does not read. */
const followed = (options: RunOptions): object =>
  options.background ? options : { background: true, lease_seconds: LEASE_SECONDS, when_full: 'wait', ...options }

function platformSocket(): SocketClass {
  const { WebSocket } = globalThis as { WebSocket?: SocketClass }
  if (WebSocket) return WebSocket
  throw new PhoneError(
    'validation_error',
    'WebSocket: this platform has none; pass a class: connect({ …, WebSocket })',
    'WebSocket',
  )
}
