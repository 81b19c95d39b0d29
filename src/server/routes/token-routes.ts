import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AccessEvent,
  DEFAULT_RIGHTS,
  NewToken,
  ShellphoneError,
  Timestamp,
  Token,
  TokenInput,
  type Who,
} from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import { MORE_RIGHTS, NO_TOKEN, PEOPLE_ONLY } from './reply-errors.ts'
import type { App, RouteParts } from './route-parts.ts'
import { addressOf, mustBePerson, forUnauthenticated, whoOf } from './security.ts'

const tags = ['access']
const Name = Type.Object({ name: Type.String({ description: 'The name of the token' }) })

const PairingInput = Type.Omit(TokenInput, ['name'], { additionalProperties: false })
const PairingOffer = Type.Object(
  {
    code: Type.String({ description: 'The code; valid once, for five minutes and at most five attempts' }),
    expires_at: Timestamp('When it expires'),
    links: Type.Array(Type.String(), {
      description: 'One link for each address of this machine; the secret parts are in the fragment',
    }),
  },
  { description: 'The pairing code, and the links that contain it' },
)
const RedeemInput = Type.Object(
  { code: Type.String({ maxLength: 64, description: 'The pairing code' }), name: Token.properties.name },
  { additionalProperties: false },
)

/** The rights that the access log names. */
const rightsOf = ({ approves, read, shell, files, policy }: GrantedRights): GrantedRights => ({
  ...{ approves, read, shell, files, policy },
})
type GrantedRights = NonNullable<AccessEvent['rights']>

function personIn(request: FastifyRequest): Who {
  const who = whoOf(request)
  mustBePerson(who)
  return who
}

/** Named tokens, and the code that gives a new device its token. */
export async function tokenRoutes(
  app: App,
  { security, tokens, pairing, pairingLinks, accessLog, clients }: RouteParts,
): Promise<void> {
  const note = (
    request: FastifyRequest,
    what: AccessEvent['what'],
    token: string | null = null,
    rights: AccessEvent['rights'] = null,
  ) =>
    accessLog.note({
      what,
      token,
      by: request.who?.name ?? null,
      from: addressOf(request),
      rights,
    })
  /** Lets the reply to the end of the caller's own token arrive, before its connection is closed. */
  const closeAfterReply = (request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply) => {
    if (request.params.name !== whoOf(request).name) return
    reply.header('connection', 'close')
    clients.spare(request.raw.socket)
  }
  const listSchema = {
    summary: 'List named tokens, without their secrets',
    operationId: 'listTokens',
    tags,
    response: {
      200: Type.Object(
        { tokens: Type.Array(Token, { description: 'All named tokens' }) },
        { description: 'The named tokens with their rights; the owner’s token is not one of them' },
      ),
      ...errorResponses(401, PEOPLE_ONLY),
    },
  }
  app.get('/tokens', { schema: listSchema }, async (request) => {
    mustBePerson(whoOf(request))
    return { tokens: tokens.list() }
  })

  const createSchema = {
    summary: 'Create a token with at most the rights of its creator; its secret is returned only once',
    operationId: 'createToken',
    tags,
    body: TokenInput,
    response: {
      201: NewToken,
      ...errorResponses(400, 401, MORE_RIGHTS, { 409: 'the name is taken, or there are already 256 tokens' }),
    },
  }
  app.post('/tokens', { schema: createSchema }, async (request, reply) => {
    const token = tokens.create(request.body, personIn(request))
    note(request, 'token_created', token.name, rightsOf(token))
    return reply.code(201).send(token)
  })

  const rotateSchema = {
    summary: 'Replace the secret of a token; the old secret stops working immediately',
    operationId: 'rotateToken',
    tags,
    params: Name,
    response: {
      200: NewToken,
      ...errorResponses(401, MORE_RIGHTS, NO_TOKEN, { 409: "SHELLPHONE_TOKEN sets the owner's token" }),
    },
  }
  app.post('/tokens/:name/rotate', { schema: rotateSchema }, async (request, reply) => {
    closeAfterReply(request, reply)
    const token = tokens.rotate(request.params.name, personIn(request))
    note(request, 'token_rotated', token.name)
    return token
  })

  const revokeSchema = {
    summary: 'Revoke a token and close its connections; its runs continue, except foreground runs without a key',
    operationId: 'revokeToken',
    tags,
    params: Name,
    response: {
      204: { type: 'null', description: 'The token is revoked' },
      ...errorResponses(401, PEOPLE_ONLY, NO_TOKEN),
    },
  }
  app.delete('/tokens/:name', { schema: revokeSchema }, async (request, reply) => {
    mustBePerson(whoOf(request))
    closeAfterReply(request, reply)
    tokens.revoke(request.params.name)
    note(request, 'token_revoked', request.params.name)
    return reply.code(204).send()
  })

  const offerSchema = {
    summary: 'Create a pairing code, which replaces the previous one',
    operationId: 'createPairingCode',
    tags,
    body: PairingInput,
    response: { 201: PairingOffer, ...errorResponses(400, 401, MORE_RIGHTS) },
  }
  app.post('/pairing', { schema: offerSchema }, async (request, reply) => {
    const who = personIn(request)
    const offer = pairing.open(request.body, who)
    note(request, 'code_created', null, rightsOf({ ...DEFAULT_RIGHTS, ...tokens.bound(request.body, who) }))
    return reply.code(201).send({ ...offer, links: await pairingLinks(offer.code) })
  })

  const redeemSchema = {
    summary: 'Exchange a pairing code for a token, once; the code is the only credential',
    operationId: 'pair',
    tags,
    security: [],
    body: RedeemInput,
    response: {
      201: NewToken,
      ...errorResponses(400, 413, 429, {
        401: 'the code is wrong, used or expired; create another one',
        409: 'a token with this name already exists, or there are already 256 tokens',
      }),
    },
  }
  app.post('/pair', { schema: redeemSchema, ...forUnauthenticated }, async (request, reply) => {
    try {
      const token = pairing.redeem(request.body.code, request.body.name)
      note(request, 'paired', token.name, rightsOf(token))
      request.log.info({ token: token.name, address: request.ip }, 'paired')
      return reply.code(201).send(token)
    } catch (error) {
      if (error instanceof ShellphoneError && error.code === 'UNAUTHORIZED') {
        return security.refuse(request, error, 'wrong_code')
      }
      throw error
    }
  })
}
