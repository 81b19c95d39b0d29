import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Starts a streamed response and sends its headers immediately. */
export function startReply(reply: FastifyReply, status: number, headers: OutgoingHttpHeaders): ServerResponse {
  const { raw } = reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(status, headers)
  raw.flushHeaders()
  return raw
}

/** Resolves when the response can take more data, or the client has disconnected (the response is closed, or `gone` aborts). */
export const untilWritable = (raw: ServerResponse, gone?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done).off('close', done)
      gone?.removeEventListener('abort', done)
      resolve()
    }
    raw.on('drain', done).on('close', done)
    gone?.addEventListener('abort', done)
    if (raw.closed || gone?.aborted) done()
  })

/** Aborts when the client disconnects before the response is complete. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
