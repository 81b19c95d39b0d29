import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'
import {
  forwardedHeaders,
  type CallHead,
  FLEET_MAX_WAIT_MS,
  FLEET_PART_BYTES,
  connectionHeaders,
} from '../../shared/schema/index.ts'
import type { CheckedCall } from './check-call.ts'
import type { PartWriter } from './part-writer.ts'

/** The address of the phone's own service on loopback, and how to authenticate. */
export interface OwnService {
  host: string
  port: number
  agent: Agent
  /** the Authorization header for this caller */
  authorization: string
}

/**
 * Sends the request to the service and returns the response in parts. A slow reader slows the service down through the connection, as any client
 * does. A response that is cut off by the window, the wait or the service ends with `more`.
 */
export async function relay(call: CheckedCall, service: OwnService, parts: PartWriter): Promise<void> {
  const { head, body } = call
  const { host, port, agent, authorization } = service
  const headers = { ...passedHeaders(head), authorization }
  const outgoing = request({ host, port, agent, method: head.method, path: head.path, headers })
  const timer = setTimeout(() => outgoing.destroy(), head.wait_ms ?? FLEET_MAX_WAIT_MS)
  outgoing.on('error', () => {}) // the promise of the response rejects with this error
  outgoing.end(body.length > 0 ? body : undefined)
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    if (await sendResponse(answer, parts)) parts.end('eof', { trailers: headerTexts(answer.trailers) })
  } catch {
    // the request was aborted or the connection failed; `more` below lets the caller retry
  } finally {
    clearTimeout(timer)
    parts.end('more')
    outgoing.destroy()
  }
}

/** Sends the response in parts. Resolves with true at its end, or with false if more follows. Rejects if the response is cut off. */
async function sendResponse(answer: IncomingMessage, parts: PartWriter): Promise<boolean> {
  const length = Number(answer.headers['content-length'])
  const isSmall = length <= Math.min(parts.room(), FLEET_PART_BYTES)
  parts.head(answer.statusCode!, headerTexts(answer.headers), !isSmall)
  if (isSmall) {
    const chunks: Buffer[] = []
    answer.on('data', (chunk) => chunks.push(chunk))
    await once(answer, 'end')
    parts.end('eof', { data: Buffer.concat(chunks), trailers: headerTexts(answer.trailers) })
    return true
  }
  for await (const chunk of answer) if (!(await parts.write(chunk))) return false
  return answer.complete
}

/**
 * The headers for the service. A run without an idempotency key gets one, because the service lets a run with a key continue when its connection
 * closes. Here the connection closes when the window is used up, although the client has not left.
 */
export function passedHeaders({ method, path, headers }: CallHead): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) => forwardedHeaders.some((one) => one === name))
  const isRun = method === 'POST' && /^\/exec(\/|\?|$)/.test(path)
  return { ...(isRun && { 'idempotency-key': randomUUID() }), ...Object.fromEntries(passed) }
}

export const headerTexts = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || connectionHeaders.some((one) => one === name) ? [] : [[name, String(value)]],
    ),
  )
