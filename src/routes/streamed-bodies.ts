import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** its handler reads the body as it comes, however long that takes */
    streams?: boolean
  }
}

/** A client that still sends what was refused gets this long to read why. */
const LAST_WORDS_MS = 5_000

const streaming = new WeakSet<Socket>()

/** The request on this connection may take longer than others. */
export const isStreaming = (socket: Socket): boolean => streaming.has(socket)

/** Bodies of all types, unread, for the routes of `app` (checked as its parent's) that say `streams`: whoever handles one sees to it that it goes on. */
export function streamedBodies(app: FastifyInstance, { validatorCompiler, serializerCompiler }: FastifyInstance): void {
  if (validatorCompiler) app.setValidatorCompiler(validatorCompiler)
  if (serializerCompiler) app.setSerializerCompiler(serializerCompiler)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.addHook('onRequest', ({ raw, routeOptions }, _reply, done) => {
    if (routeOptions.config.streams) streaming.add(raw.socket)
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    streaming.delete(raw.socket)
    if (!raw.complete) setTimeout(() => raw.complete || raw.socket.destroy(), LAST_WORDS_MS).unref()
    done()
  })
}
