import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { startReply } from './replies.ts'

/** An answer of events. */
export interface Events {
  send(event: string, data: object): void
  end(): FastifyReply
}

const KEEP_ALIVE_MS = 15_000
/** Who takes nothing while so much waits for him is cut. */
const MAX_UNSENT_BYTES = 16_777_216

export const eventHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

/** One event as text (WHATWG HTML, 9.2). */
export const eventText = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** A comment now and then, for as long as it is open: what is silent is cut on the way. */
export function keepAlive(raw: ServerResponse): void {
  const say = () => {
    if (!raw.destroyed && !raw.writableEnded && !raw.writableNeedDrain) raw.write(': keep-alive\n\n')
  }
  const timer = setInterval(say, KEEP_ALIVE_MS).unref()
  raw.once('close', () => clearInterval(timer))
}

/** Begins it; nothing is sent to who has gone. */
export function startEvents(reply: FastifyReply): Events {
  const raw = startReply(reply, 200, eventHeaders)
  keepAlive(raw)
  return {
    send(event, data) {
      if (raw.destroyed) return
      raw.write(eventText(event, data))
      if (raw.writableLength > MAX_UNSENT_BYTES) raw.destroy()
    },
    end() {
      raw.end()
      return reply
    },
  }
}
