import { Type } from '@sinclair/typebox'
import { EnrolReply, EnrolRequest, oneWordOf } from '../../../shared/schema/index.ts'
import { type App, errorResponses } from '../../../http/index.ts'
import { callerOf } from './configure-http.ts'
import { planeRoles } from '../plane-types.ts'
import type { PlaneParts } from './plane-parts.ts'
import { FleetTokens, InviteReply, NewFleetToken, TokenName } from './plane-replies.ts'
import { mustBe } from '../keys/roles.ts'

const InviteInput = Type.Object(
  {
    name: Type.String({ description: 'The name of the new phone: 1 to 40 lower-case letters, digits and hyphens' }),
    labels: Type.Optional(Type.Array(Type.String(), { maxItems: 32, description: 'Its labels, KEY=VALUE or KEY' })),
  },
  { additionalProperties: false },
)
const TokenInput = Type.Object(
  {
    name: Type.String({ description: 'The name of the new token: 1 to 40 lower-case letters, digits and hyphens' }),
    role: oneWordOf(planeRoles, { description: 'What the token may do' }),
    select: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'The phones that it may reach; not with the role admin (default: all)',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The maximum size of an enrolment request; small, because the route is open to anyone. */
const MAX_ENROL_BYTES = 4_096

const tags = ['access']
const inviteSchema = {
  summary: 'Create an invitation for one phone',
  operationId: 'createInvite',
  tags,
  body: InviteInput,
  response: { 200: InviteReply, ...errorResponses({ 409: 'a phone with this name is already in the fleet' }) },
}
const enrolSchema = {
  summary: 'Redeem an invitation; shellphone fleet join does this on the phone',
  operationId: 'enrol',
  tags,
  security: [],
  body: EnrolRequest,
  response: {
    200: { ...EnrolReply, description: 'The phone is in the fleet' },
    ...errorResponses(429, { 401: 'the invitation is invalid, used or expired; create another one' }),
  },
}
const listSchema = {
  summary: 'List the tokens',
  operationId: 'listTokens',
  tags,
  response: { 200: FleetTokens },
}
const tokenSchema = {
  summary: 'Create a token',
  operationId: 'createToken',
  tags,
  body: TokenInput,
  response: { 200: NewFleetToken, ...errorResponses({ 409: 'the name is taken, or there are too many tokens' }) },
}
const revokeSchema = {
  summary: 'Revoke a token; its connections are closed at once',
  operationId: 'revokeToken',
  tags,
  params: TokenName,
  response: {
    204: { type: 'null', description: 'The token is revoked' },
    ...errorResponses({ 404: 'no token has this name' }),
  },
}

/** The routes that admit phones by invitation, and agents and people by token. */
export async function adminRoutes(app: App, { gate, invites, roles }: PlaneParts): Promise<void> {
  app.post('/invites', { schema: inviteSchema }, async (request) => {
    mustBe('admin', callerOf(request))
    const { name, labels = [] } = request.body
    return invites.open(name, labels)
  })
  const enrol = { schema: enrolSchema, config: { public: true }, bodyLimit: MAX_ENROL_BYTES }
  app.post('/enrol', enrol, (request) =>
    invites.redeem(request.body).catch((error) => {
      throw gate.counted(request, error)
    }),
  )
  app.get('/tokens', { schema: listSchema }, async (request) => {
    mustBe('admin', callerOf(request))
    return { tokens: roles.list() }
  })
  app.post('/tokens', { schema: tokenSchema }, async (request) => {
    mustBe('admin', callerOf(request))
    return roles.create({ select: '*', ...request.body })
  })
  app.delete('/tokens/:name', { schema: revokeSchema }, async (request, reply) => {
    mustBe('admin', callerOf(request))
    await roles.revoke(request.params.name)
    return reply.code(204).send()
  })
}
