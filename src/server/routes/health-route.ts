import { type Static, Type } from '@sinclair/typebox'
import { LinkStatus, orNull } from '../../shared/schema/index.ts'
import { errorResponses } from '../../http/index.ts'
import type { App, RouteParts } from './route-parts.ts'

const Pool = Type.Object(
  {
    running: Type.Integer({ description: 'Commands that are running' }),
    max_running: Type.Integer({ description: 'The limit on running commands' }),
    queued: Type.Integer({ description: 'Commands that wait for a slot' }),
    max_queued: Type.Integer({ description: 'The limit on waiting commands' }),
  },
  { description: 'The slots of foreground commands' },
)

/** Without a token, only `status` and `version`. */
const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('stopping')], {
      description: 'stopping: the service accepts no new commands',
    }),
    version: Type.String({ description: 'The version of the service' }),
    name: Type.Optional(
      Type.String({ description: 'Name of the machine: the model of a phone, otherwise the host name' }),
    ),
    platform: Type.Optional(Type.String({ description: 'The platform, as Node calls it: android or linux' })),
    node: Type.Optional(Type.String({ description: 'The version of Node' })),
    uptime_seconds: Type.Optional(Type.Integer({ description: 'How long the service has run, in seconds' })),
    slept_seconds: Type.Optional(
      Type.Integer({ description: 'How long the machine has been suspended since the service started, in seconds' }),
    ),
    memory_bytes: Type.Optional(Type.Integer({ description: 'Resident set size of the service, in bytes' })),
    pool: Type.Optional(Pool),
    pending_approvals: Type.Optional(
      Type.Integer({ description: 'How many approval requests wait for a person; their commands hold no slot' }),
    ),
    spawner: Type.Optional(
      Type.Object(
        {
          name: Type.String({ description: 'Its name: launcher, or the one that replaces it' }),
          reason: Type.String({ description: 'Why this one' }),
        },
        { description: 'What starts the commands' },
      ),
    ),
    sandbox: Type.Optional(
      Type.Object(
        {
          available: Type.Array(Type.String(), { description: 'The sandboxes that this system can enforce' }),
          reason: orNull(Type.String({ description: 'Why others are not available; null: all are' })),
        },
        { description: 'The sandboxes of this system' },
      ),
    ),
    terminal: Type.Optional(
      Type.Object(
        {
          available: Type.Boolean({ description: 'Whether a run can have a terminal' }),
          reason: orNull(Type.String({ description: 'Why not; null: it can' })),
          shell: Type.String({ description: "The owner's shell, for interactive use" }),
        },
        { description: 'The terminals of this system' },
      ),
    ),
    fleet: Type.Optional(
      Type.Object(LinkStatus.properties, { description: 'The connection to the fleet; absent without one' }),
    ),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'What to fix, one sentence each' })),
  },
  { $id: 'Health', description: 'The state of the service; without a token only status and version' },
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
