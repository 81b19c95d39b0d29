import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type Agent, type IncomingMessage, request } from 'node:http'
import {
  carriedHeaders,
  type CallHead,
  FLEET_MAX_WAIT_MS,
  FLEET_PART_BYTES,
  uncarriedHeaders,
} from '../../shared/schema/index.ts'
import type { CheckedCall } from './check-call.ts'
import type { PartWriter } from './part-writer.ts'

/** How its own service is asked: over loopback HTTP, as any client asks it. */
export interface OwnService {
  host: string
  port: number
  agent: Agent
  /** what the door shows for this caller */
  authorization: string
}

/**
 * Asks the service and says its answer on. The service feels a reader that stops, or that is slow, as it feels any: by its connection.
 * An answer that is cut, by the window, by the wait or by the service, ends in `more`.
 */
export async function relay(call: CheckedCall, service: OwnService, parts: PartWriter): Promise<void> {
  const { head, body } = call
  const { host, port, agent, authorization } = service
  const headers = { ...carried(head), authorization }
  const outgoing = request({ host, port, agent, method: head.method, path: head.path, headers })
  const timer = setTimeout(() => outgoing.destroy(), head.wait_ms ?? FLEET_MAX_WAIT_MS)
  outgoing.on('error', () => {}) // whoever waits for the answer hears of it
  outgoing.end(body.length > 0 ? body : undefined)
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    if (await say(answer, parts)) parts.end('eof', { trailers: textsOf(answer.trailers) })
  } catch {
    // over, cut or refused: what came is all there is for now
  } finally {
    clearTimeout(timer)
    parts.end('more')
    outgoing.destroy()
  }
}

/** Resolves when it was said: true where that was all. Rejects where the answer is cut. */
async function say(answer: IncomingMessage, parts: PartWriter): Promise<boolean> {
  const length = Number(answer.headers['content-length'])
  const isSmall = length <= Math.min(parts.room(), FLEET_PART_BYTES)
  parts.head(answer.statusCode!, textsOf(answer.headers), !isSmall)
  if (isSmall) {
    const chunks: Buffer[] = []
    answer.on('data', (chunk) => chunks.push(chunk))
    await once(answer, 'end')
    parts.end('eof', { data: Buffer.concat(chunks), trailers: textsOf(answer.trailers) })
    return true
  }
  for await (const chunk of answer) if (!(await parts.write(chunk))) return false
  return answer.complete
}

/** A run that has a key goes on when the connection that asked for it has gone: its window was used up, nobody left. */
export function carried({ method, path, headers }: CallHead): Record<string, string> {
  const given = Object.entries(headers).filter(([name]) => carriedHeaders.some((one) => one === name))
  const isRun = method === 'POST' && /^\/exec(\/|\?|$)/.test(path)
  return { ...(isRun && { 'idempotency-key': randomUUID() }), ...Object.fromEntries(given) }
}

export const textsOf = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || uncarriedHeaders.some((one) => one === name) ? [] : [[name, String(value)]],
    ),
  )
