import type { FastifyReply } from 'fastify'

/** An answer of events. */
export interface Events {
  send(event: string, data: object): void
  end(): FastifyReply
}

const KEEP_ALIVE_MS = 15_000
/** Who takes nothing while so much waits for him is cut. */
const MAX_UNSENT_BYTES = 16_777_216

/** Begins it; nothing is sent to who has gone. */
export function startEvents(reply: FastifyReply): Events {
  const { raw } = reply.hijack()
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  raw.flushHeaders()
  const write = (text: string) => {
    if (raw.destroyed) return
    raw.write(text)
    if (raw.writableLength > MAX_UNSENT_BYTES) raw.destroy()
  }
  const timer = setInterval(write, KEEP_ALIVE_MS, ': keep-alive\n\n').unref()
  raw.once('close', () => clearInterval(timer))
  return {
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end() {
      raw.end()
      return reply
    },
  }
}

/** Aborts when the client goes away before its answer is out. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => raw.writableFinished || gone.abort())
  return gone.signal
}
