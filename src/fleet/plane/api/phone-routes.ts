import { buffer } from 'node:stream/consumers'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FLEET_MAX_BODY_BYTES, parseSelector, ShellphoneError, toIso } from '../../../shared/schema/index.ts'
import type { ResponseSink } from '../calls/call.ts'
import { pass, type PassedRequest } from './gateway.ts'
import { callerOf } from './configure-http.ts'
import { FleetPhone } from '../broker/fleet-phone.ts'
import type { PlaneParts } from './plane-parts.ts'
import { mustBe } from '../keys/roles.ts'
import { FleetPhones, PhoneName, RevokedPhone } from './plane-replies.ts'
import { disconnectSignal, type App, bytesAsTheyCome, errorResponses, untilWritable } from '../../../http/index.ts'

const Query = Type.Object(
  {
    select: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'A selector: lab=berlin,arm64 or name=NAME or * (default: *)',
      }),
    ),
  },
  { additionalProperties: false },
)
const tags = ['phones']
const NO_PHONE = { 404: 'this token can see no phone with this name' }
const listSchema = {
  summary: 'List the phones',
  operationId: 'listPhones',
  tags,
  querystring: Query,
  response: { 200: FleetPhones },
}
const getSchema = {
  summary: 'Get a phone',
  operationId: 'getPhone',
  tags,
  params: PhoneName,
  response: { 200: FleetPhone, ...errorResponses(NO_PHONE) },
}
const settleSchema = {
  summary: 'Settle a conflict: the phone that is connected now keeps the name',
  operationId: 'settleConflict',
  tags,
  params: PhoneName,
  response: { 204: { type: 'null', description: 'The conflict is settled' }, ...errorResponses(NO_PHONE) },
}
const revokeSchema = {
  summary: 'Remove a phone from the fleet; the configuration of the broker must also revoke its key',
  operationId: 'revokePhone',
  tags,
  params: PhoneName,
  response: { 200: RevokedPhone, ...errorResponses(NO_PHONE) },
}

/** The list of phones, and each phone's own API under /phones/NAME. */
export async function phoneRoutes(app: App, parts: PlaneParts): Promise<void> {
  const { phones, presences, registry, clock } = parts
  app.get('/phones', { schema: listSchema }, async (request) => {
    const { selector } = callerOf(request)
    await presences.check()
    return { phones: phones.list([...parseSelector(request.query.select ?? '*'), ...selector]) }
  })
  app.get('/phones/:name', { schema: getSchema }, async (request) => {
    await presences.check()
    return phones.get(request.params.name, callerOf(request).selector)
  })
  const route = {
    url: '/phones/:name/*',
    schema: { hide: true }, // the phone's own contract describes it
    exposeHeadRoute: false,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { name } = request.params as { name: string }
      return passRequest(parts, request, reply, name, request.url.replace(/^\/phones\/[^/]+/, ''))
    },
  }
  app.route({ method: ['GET', 'HEAD', 'POST', 'DELETE'], ...route })
  await app.register(async (scope) => {
    bytesAsTheyCome(scope)
    scope.addHook('preHandler', async (request) => {
      const { headers, raw } = request
      if (Number(headers['content-length']) <= FLEET_MAX_BODY_BYTES) request.body = await buffer(raw)
      else request.body = raw
    })
    scope.route({ method: 'PUT', ...route })
  })
  app.delete('/conflicts/:name', { schema: settleSchema }, async (request, reply) => {
    const caller = callerOf(request)
    mustBe('person', caller)
    phones.get(request.params.name, caller.selector)
    await phones.clearConflict(request.params.name)
    return reply.code(204).send()
  })
  app.delete('/enrolled/:name', { schema: revokeSchema }, async (request, reply) => {
    mustBe('admin', callerOf(request))
    const { name } = request.params
    const row = registry.phones.get(name)
    if (row === undefined)
      throw new ShellphoneError('NOT_FOUND', `No phone has the name ${name.slice(0, 60)}; list phones to find its name`)
    await registry.putPhone(name, { ...row, revoked_at: row.revoked_at ?? toIso(clock.brokerNow()) })
    return reply.send({ name, public_key: row.public_key })
  })
}

/** Sends a client's request to a phone and passes the response to the client. */
export async function passRequest(
  parts: PlaneParts,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  path: string,
): Promise<FastifyReply> {
  const { method, headers, body } = request
  const prefix = path === request.url ? '' : `/phones/${name}`
  const gone = disconnectSignal(reply)
  const passed = { name, method, path, headers, body: body as PassedRequest['body'], caller: callerOf(request), gone }
  await pass(parts, passed, sinkFor(reply, prefix))
  return reply
}

/** Writes the phone's response to the client. `prefix`: added to the paths in the phone's Location headers. */
function sinkFor(reply: FastifyReply, prefix: string): ResponseSink {
  const { raw } = reply
  /** the pending wait for a slow client; null: the client can accept more */
  let room: Promise<void> | null = null
  return {
    begin(status, { location, ...headers }) {
      reply.hijack()
      if (headers['content-type'] === 'application/octet-stream' && headers['content-length'] === undefined) {
        raw.setHeader('trailer', 'Exit-Code, Run-Status')
      }
      raw.writeHead(status, {
        ...headers,
        ...(location && { location: location.startsWith('/') ? prefix + location : location }),
      })
      // sends the head and the data that is already available in one packet
      raw.cork()
      setImmediate(() => raw.uncork())
      raw.flushHeaders()
    },
    write(bytes) {
      if (raw.destroyed || raw.write(bytes)) return Promise.resolve()
      room ??= untilWritable(raw).finally(() => (room = null))
      return room
    },
    end(trailers) {
      if (Object.keys(trailers).length > 0) raw.addTrailers(trailers)
      raw.end()
    },
    cut: () => raw.destroy(),
  }
}
