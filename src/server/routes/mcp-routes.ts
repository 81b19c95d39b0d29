import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { oneWordOf, SessionName, toolParts } from '../../shared/schema/index.ts'
import { disconnectSignal, ErrorBody, errorResponses, loadLate } from '../../http/index.ts'
import { empty } from './file-schemas.ts'
import type { App, McpEndpoint, RouteParts } from './route-parts.ts'
import { whoOf } from './security.ts'

const JsonRpcError = Type.Object(
  {
    jsonrpc: Type.Literal('2.0', { description: 'The version of JSON-RPC' }),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()], {
      description: 'The id of the request; null: unknown',
    }),
    error: Type.Object(
      {
        code: Type.Integer({ description: 'The code of the error in JSON-RPC or MCP' }),
        message: Type.String({ description: 'What happened, for people' }),
        data: Type.Optional(Type.Unknown({ description: 'More about the error' })),
      },
      { description: 'What is wrong' },
    ),
  },
  { $id: 'JsonRpcError', description: 'An error of JSON-RPC 2.0' },
)
const Query = Type.Object({
  tools: Type.Optional(
    oneWordOf(toolParts, { description: 'Offer only the tools for commands, or only those for files' }),
  ),
  session: Type.Optional(SessionName),
})
const DialectParams = Type.Object({
  dialect: Type.String({
    description:
      'The name of the dialect, whose tools the client gets; of a name DIALECT/TOOL in GET /dialects, only DIALECT',
  }),
})
const message = Type.Unknown({ description: 'JSON-RPC 2.0 (modelcontextprotocol.io)' })
const SESSION_ID = 'Mcp-Session-Id'
const ofSession = (description: string) =>
  Type.Object({ [SESSION_ID.toLowerCase()]: Type.Optional(Type.String({ description })) })
const sessionErrors = {
  ...errorResponses(401),
  400: faultReply('A header is missing or wrong'),
  404: faultReply('No such dialect or session; start a new session'),
}
const stream = { 'text/event-stream': { schema: { type: 'string' } } }

/** What differs between the methods. */
const methods = {
  POST: {
    summary: 'Model Context Protocol: send a message to the server',
    headers: ofSession('The session of a client of version 2025-11-25 or older; omitted in initialize'),
    body: message,
    response: {
      200: {
        description: 'A JSON-RPC response, or a stream of messages that ends with it',
        headers: { [SESSION_ID]: { type: 'string', description: 'The new session, in the response to initialize' } },
        content: { 'application/json': { schema: message }, ...stream },
      },
      202: empty('The message was a notification or a response, which has no reply'),
      ...sessionErrors,
      ...errorResponses(413, 415),
      400: faultReply('The message or a header is wrong'),
      406: faultReply('Accept must list application/json and text/event-stream'),
      499: faultReply('The client canceled the request'),
      503: faultReply('Too many sessions, or pool_full'),
    },
  },
  GET: {
    summary: 'Model Context Protocol: open the stream of a session',
    headers: ofSession('The session; without this header, the response is 400'),
    response: {
      200: {
        description: 'A stream of the messages that belong to no request, until the session ends',
        content: stream,
      },
      ...sessionErrors,
      406: faultReply('Accept must list text/event-stream'),
      409: faultReply('The session has a stream already'),
    },
  },
  DELETE: {
    summary: 'Model Context Protocol: end a session',
    headers: ofSession('The session; without this header, the response is 400'),
    response: { 200: empty('The session has ended'), ...sessionErrors },
  },
}

/** The error of the protocol's own library, or an error of this service. */
function faultReply(description: string) {
  return { description, content: { 'application/json': { schema: Type.Union([JsonRpcError, ErrorBody]) } } }
}

/** POST, GET and DELETE /mcp: the Model Context Protocol; /mcp/:dialect offers the tool of that dialect. */
export async function mcpRoutes(app: App, { openMcp, unsent, turn }: RouteParts): Promise<void> {
  let opened: Promise<McpEndpoint> | null = null
  const open = () =>
    loadLate(() => openMcp()).catch((error) => {
      opened = null // the next call tries again
      throw error
    })
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const endpoint = await (opened ??= open())
    const who = whoOf(request)
    const { dialect = who.dialect } = request.params as { dialect?: string }
    const { tools = null, session } = request.query as Static<typeof Query>
    const { body } = request
    const over = new Promise<void>((resolve) => reply.raw.once('close', resolve))
    const exchange = { request: toWebRequest(request, reply), body, over, who, session }
    return sendResponse(await endpoint.answer(exchange, dialect, tools), reply, { unsent, turn })
  }
  for (const [method, { summary, ...own }] of Object.entries(methods)) {
    const operationId = `mcp${method}`
    const schema = { summary, operationId, tags: ['mcp'], querystring: Query, ...own }
    app.route({ method, url: '/mcp', schema, handler: serve })
    const ofDialect = {
      summary: `${summary}, with the tool of a dialect`,
      operationId: `${operationId}WithDialect`,
      params: DialectParams,
    }
    app.route({ method, url: '/mcp/:dialect', schema: { ...schema, ...ofDialect }, handler: serve })
  }
}

/** Whether the protocol uses a header. A client sends many more, and converting each takes time. */
const isOfProtocol = (name: string) =>
  name.startsWith('mcp-') || ['accept', 'content-type', 'last-event-id'].includes(name)

/** The request without its body, which has been read; its signal aborts if the client disconnects before the response has been sent. */
function toWebRequest({ method, url, headers }: FastifyRequest, reply: FastifyReply): Request {
  const signal = disconnectSignal(reply)
  const known = Object.keys(headers).filter(isOfProtocol)
  const pairs = known.map((name): [string, string] => [name, String(headers[name])])
  return new Request(`http://${headers.host}${url}`, { method, headers: pairs, signal })
}

type SendParts = Pick<RouteParts, 'unsent' | 'turn'>

async function sendResponse(response: Response, reply: FastifyReply, bounds: SendParts): Promise<FastifyReply> {
  reply.code(response.status).headers(Object.fromEntries(response.headers))
  if (response.body === null) return reply.send()
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  return reply.send(isStream ? Readable.from(piecesOf(response.body, reply, bounds), ONE_PIECE) : await response.text())
}

/** Prevents reading ahead. */
const ONE_PIECE = { objectMode: true, highWaterMark: 1 }

/** Yields a stream's messages as fast as the client reads them, and counts each until the client has read it. */
async function* piecesOf(body: ReadableStream<Uint8Array>, { raw }: FastifyReply, { unsent, turn }: SendParts) {
  const { socket } = raw
  try {
    for await (const piece of body) {
      await turn()
      if (socket) unsent.note(socket, piece.length, false)
      yield piece
      if (socket) unsent.note(socket, 0, true)
    }
  } finally {
    if (socket) unsent.note(socket, 0, true)
  }
}
