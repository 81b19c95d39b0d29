import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** its handler reads the body as it comes, however long that takes */
    streams?: boolean
  }
}

const streaming = new WeakSet<Socket>()

/** The request on this connection may take longer than others. */
export const isStreaming = (socket: Socket): boolean => streaming.has(socket)

/** Bodies of all types, unread, for the routes of `app` (checked as its parent's) that say `streams`: whoever handles one sees to it that it goes on. */
export function streamedBodies(app: FastifyInstance, { validatorCompiler, serializerCompiler }: FastifyInstance): void {
  if (validatorCompiler) app.setValidatorCompiler(validatorCompiler)
  if (serializerCompiler) app.setSerializerCompiler(serializerCompiler)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.addHook('onRequest', ({ socket, routeOptions }, _reply, done) => {
    if (routeOptions.config.streams) streaming.add(socket)
    done()
  })
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!raw.complete) await swallow(raw)
    if (!raw.complete) reply.header('connection', 'close')
    return payload
  })
  app.addHook('onResponse', ({ socket }, _reply, done) => {
    streaming.delete(socket)
    done()
  })
}

const SWALLOW_BYTES = 67_108_864
const SWALLOW_MS = 5_000

/** Reads what is left of a body that is refused, within bounds: a client that is still sending hears the answer only afterwards. */
export function swallow(body: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0
    const timer = setTimeout(resolve, SWALLOW_MS)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    body.once('end', done).once('close', done)
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > SWALLOW_BYTES) done()
    })
    if (body.readableEnded) done()
  })
}
