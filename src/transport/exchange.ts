import { once } from 'node:events'
import http, { type Agent, type IncomingMessage } from 'node:http'
import https from 'node:https'

/** Where a service listens, and what shows who asks. */
export interface Target {
  url: string
  headers: Record<string, string>
  /** hands over connections to the paired phone alone; absent: whoever answers at the address */
  agent?: Agent | undefined
}

interface Asked {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object | null
  signal?: AbortSignal
}

/** One request, and its answer when it begins. Not by fetch, which gives up on an answer that takes five minutes, and knows no pin. */
export async function exchange({ url, headers, agent }: Target, asked: Asked): Promise<IncomingMessage> {
  const { method, path, body, signal } = asked
  const { request } = url.startsWith('https:') ? https : http
  const type = body ? { 'content-type': 'application/json' } : {}
  const all = { ...headers, ...asked.headers, ...type }
  const outgoing = request(new URL(path, url), { method, headers: all, signal, agent })
  outgoing.on('error', () => {}) // who waits for the answer, or reads it, hears of it there
  outgoing.end(body ? JSON.stringify(body) : undefined)
  const [answer] = await once(outgoing, 'response')
  return answer
}
