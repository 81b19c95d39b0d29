import { Type } from '@sinclair/typebox'
import { EnrolRequest, oneWordOf } from '../../../shared/schema/index.ts'
import type { App } from '../../../http/index.ts'
import { callerOf } from './configure-http.ts'
import { planeRoles } from '../plane-types.ts'
import type { PlaneParts } from './plane-parts.ts'
import { mustBe } from '../keys/roles.ts'

const Name = Type.Object({ name: Type.String() })
const InviteInput = Type.Object(
  { name: Type.String(), labels: Type.Optional(Type.Array(Type.String(), { maxItems: 32 })) },
  { additionalProperties: false },
)
const TokenInput = Type.Object(
  {
    name: Type.String(),
    role: oneWordOf(planeRoles),
    select: Type.Optional(Type.String({ maxLength: 4096, description: 'The phones that it may reach (default: all)' })),
  },
  { additionalProperties: false },
)

/** The maximum size of an enrolment request; small, because the route is open to anyone. */
const MAX_ENROL_BYTES = 4_096

/** The routes that admit phones by invitation, and agents and people by token. */
export async function adminRoutes(app: App, { gate, invites, roles }: PlaneParts): Promise<void> {
  app.post('/invites', { schema: { body: InviteInput } }, async (request) => {
    mustBe('admin', callerOf(request))
    const { name, labels = [] } = request.body
    return invites.open(name, labels)
  })
  const enrol = { schema: { body: EnrolRequest }, config: { public: true }, bodyLimit: MAX_ENROL_BYTES }
  app.post('/enrol', enrol, (request) =>
    invites.redeem(request.body).catch((error) => {
      throw gate.counted(request, error)
    }),
  )
  app.get('/tokens', async (request) => {
    mustBe('admin', callerOf(request))
    return { tokens: roles.list() }
  })
  app.post('/tokens', { schema: { body: TokenInput } }, async (request) => {
    mustBe('admin', callerOf(request))
    return roles.create({ select: '*', ...request.body })
  })
  app.delete('/tokens/:name', { schema: { params: Name } }, async (request, reply) => {
    mustBe('admin', callerOf(request))
    await roles.revoke(request.params.name)
    return reply.code(204).send()
  })
}
