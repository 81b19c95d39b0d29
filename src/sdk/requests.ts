import { PhoneError, toPhoneError } from './phone-error.ts'
import type { RequestOptions } from './phone-client.ts'

/** Where requests go, and by what. */
export interface ApiAddress {
  url: string
  /** null: none is shown */
  token: string | null
  /** sent with every request */
  headers?: Record<string, string>
  fetch: typeof fetch
}

const TIMEOUT_MS = 30_000

/** Another each time: what is sent again with it happens once. Pages that came over plain HTTP have no randomUUID. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** For a request that lasts as long as a command does. */
export const noTimeout = () => new AbortController().signal

/** The answer to a request, when it begins. Throws PhoneError for all but success, unless any status is wanted. */
export async function ask(api: ApiAddress, path: string, request: RequestOptions = {}): Promise<Response> {
  const response = await send(api, path, request)
  if (response.ok || request.anyStatus) return response
  throw await errorIn(response)
}

/** What an answer says instead of what was asked for. */
export const errorIn = async (response: Response): Promise<PhoneError> =>
  toPhoneError(await response.json().catch(() => null), response.status)

/** The answer, whatever it says. Throws PhoneError where there is none. */
export async function send(api: ApiAddress, path: string, request: RequestOptions): Promise<Response> {
  const { url, token, fetch } = api
  const { method = 'GET', query = {}, body, headers = {}, raw, signal = AbortSignal.timeout(TIMEOUT_MS) } = request
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

async function reach(fetch: ApiAddress['fetch'], address: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as Error
    throw new PhoneError('unreachable', `${address.origin} cannot be reached: ${cause.message}`, null, { cause })
  }
}

/** Reads what is of no interest: the connection is free for the next request then. */
export const discardBody = (response: Response): Promise<unknown> => response.arrayBuffer().catch(() => {})

/** Throws that an answer has ended in its middle. */
export const rejectInterrupted = (cause: Error): Promise<never> =>
  Promise.reject(new PhoneError('unreachable', `the response broke off: ${cause.message}`, null, { cause }))

/** The same for an answer in JSON. */
export const askJson = async <Answer>(api: ApiAddress, path: string, request?: RequestOptions): Promise<Answer> =>
  (await ask(api, path, request)).json().catch(rejectInterrupted) as Promise<Answer>
