import { PhoneError, toPhoneError } from './phone-error.ts'
import type { RequestOptions } from './phone-client.ts'

/** The service's address, and how to send requests to it. */
export interface ApiAddress {
  url: string
  /** null: requests are not authenticated */
  token: string | null
  /** sent with every request */
  headers?: Record<string, string>
  fetch: typeof fetch
}

const TIMEOUT_MS = 30_000

/** Creates a random idempotency key, without randomUUID, because pages loaded over plain HTTP lack it. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** A signal that never aborts, for requests that can last as long as a command. */
export const noTimeout = () => new AbortController().signal

/** Resolves when the response begins. Throws PhoneError for an unsuccessful status, except with `anyStatus`. */
export async function ask(api: ApiAddress, path: string, request: RequestOptions = {}): Promise<Response> {
  const response = await send(api, path, request)
  if (response.ok || request.anyStatus) return response
  throw await errorIn(response)
}

/** Reads the error from a response. */
export const errorIn = async (response: Response): Promise<PhoneError> =>
  toPhoneError(await response.json().catch(() => null), response.status)

/** Resolves with the response, whatever its status. Throws PhoneError `unreachable` if no response arrives. */
export async function send(api: ApiAddress, path: string, request: RequestOptions): Promise<Response> {
  const { url, token, fetch } = api
  const { method = 'GET', query = {}, body, headers = {}, raw, signal = AbortSignal.timeout(TIMEOUT_MS) } = request
  if (body !== undefined && (typeof body !== 'object' || body === null)) throw notAnObject(body)
  const address = new URL(url.replace(/\/$/, '') + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value))
  }
  const json: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  const shown: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const init = { method, headers: { ...api.headers, ...shown, ...json, ...headers }, signal }
  return reach(fetch, address, {
    ...init,
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(raw === undefined ? {} : { body: raw as RequestInit['body'], duplex: 'half' }),
  })
}

/** A body is sent as JSON: a string would arrive as a JSON string, which no route accepts. */
const notAnObject = (body: unknown): PhoneError =>
  new PhoneError(
    'validation_error',
    `body: expected an object, which is sent as JSON, got ${body === null ? 'null' : `a ${typeof body}`}; send other data with raw`,
    'body',
  )

async function reach(fetch: ApiAddress['fetch'], address: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as Error
    throw new PhoneError('unreachable', `cannot reach ${address.origin}: ${cause.message}`, null, { cause })
  }
}

/** Reads the body to its end, which frees the connection for the next request. */
export const discardBody = (response: Response): Promise<unknown> => response.arrayBuffer().catch(() => {})

/** Rejects with the error for a response that was interrupted. */
export const rejectInterrupted = (cause: Error): Promise<never> =>
  Promise.reject(new PhoneError('unreachable', `the response was interrupted: ${cause.message}`, null, { cause }))

/** Resolves with the response's JSON; throws as `ask` does. */
export const askJson = async <Answer>(api: ApiAddress, path: string, request?: RequestOptions): Promise<Answer> =>
  (await ask(api, path, request)).json().catch(rejectInterrupted) as Promise<Answer>
