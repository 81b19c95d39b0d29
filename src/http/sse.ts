import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { startReply } from './replies.ts'

/** A response of server-sent events. */
export interface Events {
  send(event: string, data: object): void
  end(): FastifyReply
}

const KEEP_ALIVE_MS = 15_000
/** A client with more unsent bytes than this is disconnected. */
const MAX_UNSENT_BYTES = 16_777_216

export const eventHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

/** One event in text/event-stream format (WHATWG HTML, 9.2). `id`: the position to resume from (Last-Event-ID); null: none. */
export const eventText = (event: string, data: object, id: string | null = null): string =>
  `event: ${event}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** Sends a comment periodically while the response is open, because intermediaries close silent connections. */
export function keepAlive(raw: ServerResponse): void {
  const sendComment = () => {
    if (!raw.destroyed && !raw.writableEnded && !raw.writableNeedDrain) raw.write(': keep-alive\n\n')
  }
  const timer = setInterval(sendComment, KEEP_ALIVE_MS).unref()
  raw.once('close', () => clearInterval(timer))
}

/** Starts the response. Drops events for a client that has disconnected. */
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
