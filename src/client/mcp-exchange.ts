import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** Where a service listens, and what shows who asks. */
export interface Target {
  url: string
  headers: Record<string, string>
}

interface Asked {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object | null
  signal?: AbortSignal
}

/** One request, and its answer when it begins. Not by fetch, which gives up on an answer that takes five minutes to begin. */
export async function exchange({ url, headers }: Target, asked: Asked): Promise<IncomingMessage> {
  const { method, path, body, signal } = asked
  const type = body ? { 'content-type': 'application/json' } : {}
  const outgoing = request(new URL(path, url), { method, headers: { ...headers, ...asked.headers, ...type }, signal })
  outgoing.on('error', () => {}) // who waits for the answer, or reads it, hears of it there
  outgoing.end(body ? JSON.stringify(body) : undefined)
  const [answer] = await once(outgoing, 'response')
  return answer
}
