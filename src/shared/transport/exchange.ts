import { once } from 'node:events'
import http, { type Agent, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'

/** The address of a service, and the headers that authenticate the client. */
export interface Target {
  url: string
  headers: Record<string, string>
  /** connects to the paired phone only; absent: any server at the address is accepted */
  agent?: Agent | undefined
}

interface HttpRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object | null
  signal?: AbortSignal
}

/** Creates a request that the caller must end. Errors reach the code that awaits or reads its response. */
export function startRequest(url: URL, options: RequestOptions): ClientRequest {
  const { request } = url.protocol === 'https:' ? https : http
  return request(url, options).on('error', () => {})
}

/** Sends one request and resolves when the response begins. It does not use fetch, which times out after five minutes and cannot pin a key. */
export async function exchange({ url, headers, agent }: Target, request: HttpRequest): Promise<IncomingMessage> {
  const { method, path, body, signal } = request
  const type = body ? { 'content-type': 'application/json' } : {}
  const all = { ...headers, ...request.headers, ...type }
  const outgoing = startRequest(new URL(url.replace(/\/$/, '') + path), { method, headers: all, signal, agent })
  outgoing.end(body ? JSON.stringify(body) : undefined)
  const [answer] = await once(outgoing, 'response')
  return answer
}
