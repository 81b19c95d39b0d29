import { Type } from '@sinclair/typebox'
import type { App } from '../../../http/index.ts'
import type { PlaneParts } from './plane-parts.ts'
import { PlaneHealth } from './plane-replies.ts'

const tags = ['operation']
const healthSchema = {
  summary: 'Check whether the control plane works',
  operationId: 'getHealth',
  tags,
  security: [],
  response: {
    200: PlaneHealth,
    503: { ...PlaneHealth, description: 'The connection to the broker is lost' },
  },
}
const metricsSchema = {
  summary: 'Get metrics for Prometheus',
  operationId: 'getMetrics',
  tags,
  response: {
    200: { description: 'All gauges in Prometheus text format', content: { 'text/plain': { schema: Type.String() } } },
  },
}

/** GET /health (open to anyone) and GET /metrics. */
export async function healthRoutes(app: App, parts: PlaneParts): Promise<void> {
  const { version, link } = parts
  app.get('/health', { schema: healthSchema, config: { public: true } }, async (_request, reply) => {
    const status = link.isUp() ? 'ok' : 'no_broker'
    return reply.code(link.isUp() ? 200 : 503).send({ status, version })
  })
  app.get('/metrics', { schema: metricsSchema }, async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8')
    return reply.send(metricsText(parts))
  })
}

/** One row for each metric: its name without the prefix `shellphone_plane_`, its help text, and its values by label. */
const rows: [name: string, help: string, read: (parts: PlaneParts) => [labels: string, value: number][]][] = [
  ['connected', 'Whether the plane is connected to the broker', ({ link }) => [['', Number(link.isUp())]]],
  [
    'phones',
    'Phones of the fleet',
    ({ phones }) => {
      const all = phones.list([])
      const online = all.filter((phone) => phone.online).length
      return [
        ['{state="online"}', online],
        ['{state="offline"}', all.length - online],
        ['{state="conflict"}', all.filter((phone) => phone.conflict_since !== null).length],
      ]
    },
  ],
  [
    'jobs_pairs',
    'Commands of jobs by state; unsettled commands wait for their phone or run on it',
    ({ index, dispatch }) => [
      ['{state="unsettled"}', index.pairs()],
      ...Object.entries(dispatch.counts()).map(([state, count]): [string, number] => [`{state="${state}"}`, count]),
    ],
  ],
  [
    'dispatch_lag_seconds',
    'How long the oldest job of an online phone has waited',
    ({ dispatch }) => [['', dispatch.lagSeconds()]],
  ],
  [
    'questions_open',
    'Requests that wait for a response from a phone',
    ({ phoneRequests }) => [['', phoneRequests.open()]],
  ],
  ['memory_bytes', 'Resident set size', () => [['', process.memoryUsage.rss()]]],
]

function metricsText(parts: PlaneParts): string {
  const lines = rows.flatMap(([name, help, read]) => [
    `# HELP shellphone_plane_${name} ${help}`,
    `# TYPE shellphone_plane_${name} gauge`,
    ...read(parts).map(([labels, value]) => `shellphone_plane_${name}${labels} ${value}`),
  ])
  return `${lines.join('\n')}\n`
}
