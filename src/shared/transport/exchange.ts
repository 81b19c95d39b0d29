import { once } from 'node:events'
import http, { type Agent, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'

/** Where a service listens, and what shows who asks. */
export interface Target {
  url: string
  headers: Record<string, string>
  /** hands over connections to the paired phone alone; absent: whoever answers at the address */
  agent?: Agent | undefined
}

interface HttpRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object | null
  signal?: AbortSignal
}

/** A request that has not been sent yet; who waits for its answer, or reads it, hears there of what goes wrong. */
export function startRequest(url: URL, options: RequestOptions): ClientRequest {
  const { request } = url.protocol === 'https:' ? https : http
  return request(url, options).on('error', () => {})
}

/** One request, and its answer when it begins. Not by fetch, which gives up on an answer that takes five minutes, and knows no pin. */
export async function exchange({ url, headers, agent }: Target, asked: HttpRequest): Promise<IncomingMessage> {
  const { method, path, body, signal } = asked
  const type = body ? { 'content-type': 'application/json' } : {}
  const all = { ...headers, ...asked.headers, ...type }
  const outgoing = startRequest(new URL(url.replace(/\/$/, '') + path), { method, headers: all, signal, agent })
  outgoing.end(body ? JSON.stringify(body) : undefined)
  const [answer] = await once(outgoing, 'response')
  return answer
}
