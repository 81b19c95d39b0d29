import { type Static, Type } from '@sinclair/typebox'
import { LinkStatus } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import type { App, RouteParts } from './route-parts.ts'

const Pool = Type.Object({
  running: Type.Integer(),
  max_running: Type.Integer(),
  queued: Type.Integer(),
  max_queued: Type.Integer(),
})

/** Without a token, only `status` and `version`. */
const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('stopping')]),
    version: Type.String(),
    name: Type.Optional(
      Type.String({ description: 'Name of the machine: the model of a phone, otherwise the host name' }),
    ),
    platform: Type.Optional(Type.String()),
    node: Type.Optional(Type.String()),
    uptime_seconds: Type.Optional(Type.Integer()),
    slept_seconds: Type.Optional(
      Type.Integer({ description: 'How long the machine has been suspended since the service started' }),
    ),
    memory_bytes: Type.Optional(Type.Integer({ description: 'Resident set size' })),
    pool: Type.Optional(Pool),
    pending_approvals: Type.Optional(
      Type.Integer({ description: 'How many approval requests wait for a person; their commands hold no slot' }),
    ),
    spawner: Type.Optional(Type.Object({ name: Type.String(), reason: Type.String() })),
    sandbox: Type.Optional(
      Type.Object({ available: Type.Array(Type.String()), reason: Type.Union([Type.String(), Type.Null()]) }),
    ),
    terminal: Type.Optional(
      Type.Object({
        available: Type.Boolean(),
        reason: Type.Union([Type.String(), Type.Null()]),
        shell: Type.String({ description: "The owner's shell, for interactive use" }),
      }),
    ),
    fleet: Type.Optional(LinkStatus),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'Health' },
)

/** GET /health: the status, without a token, for watchdogs; with a token, also what is running and what to fix. */
export async function healthRoute(app: App, { executor, version, poolLimits, name, facts }: RouteParts): Promise<void> {
  const schema = {
    summary: 'Health of the service',
    operationId: 'getHealth',
    tags: ['operation'],
    security: [],
    response: { 200: Health, ...errorResponses(401, 429) },
  }
  app.get('/health', { schema, config: { public: true } }, async (request) => {
    const { pool, isStopping } = executor.stats()
    const status: Static<typeof Health>['status'] = isStopping ? 'stopping' : 'ok'
    if (!request.who) return { status, version }
    return {
      status,
      version,
      name: await name(),
      platform: process.platform,
      node: process.version,
      uptime_seconds: Math.floor(process.uptime()),
      memory_bytes: process.memoryUsage.rss(),
      pool: { running: pool.running, queued: pool.queued, ...poolLimits },
      pending_approvals: executor.approvals.pending().length,
      ...facts(),
    }
  })
}
