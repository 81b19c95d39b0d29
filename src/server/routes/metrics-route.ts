import { setTimeout as pause } from 'node:timers/promises'
import { DURATION_BUCKETS, type Tally } from '../exec/index.ts'
import { loadLate } from '../../http/index.ts'
import type { App, RouteParts } from './route-parts.ts'

const NEVER_MS = 2 ** 31 - 1
const delayStatistics = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']
/** The delay of a timer of this length shows how long the event loop is blocked; the timer runs once per scrape. */
const PROBE_MS = 10
const USED_WITHIN_MS = 86_400_000

/** GET /metrics: Prometheus text. The first call loads the library; the service counts from its start. */
export async function metricsRoute(app: App, parts: RouteParts): Promise<void> {
  let text: (() => Promise<string>) | null = null
  const schema = {
    summary: 'Prometheus metrics',
    operationId: 'getMetrics',
    tags: ['operation'],
    response: {
      200: {
        description: 'All counters and gauges in Prometheus text format',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
  }
  app.get('/metrics', { schema }, async (_request, reply) => {
    text ??= await createMetrics(parts)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await text())
  })
}

type Stats = ReturnType<RouteParts['executor']['stats']>

/** One row per metric: its name without `shellphone_`, its help text, and how to read its value. */
type MetricRow = readonly [
  name: string,
  help: string,
  read: (stats: Stats, parts: RouteParts) => number | Promise<number>,
]
const gauges: MetricRow[] = [
  ['commands_running', 'Commands that are running', ({ pool }) => pool.running],
  ['commands_queued', 'Commands that wait for a slot', ({ pool }) => pool.queued],
  ['background_running', 'Background commands that are running', ({ background }) => background.running],
  ['background_queued', 'Background commands that wait for a slot', ({ background }) => background.queued],
  ['terminals_open', 'Terminals that are open', ({ terminals }) => terminals.running],
  [
    'approvals_waiting',
    'Approval requests that wait for an answer',
    (_stats, { executor }) => executor.approvals.pending().length,
  ],
  ['spool_bytes', 'Bytes of output stored on disk', ({ spoolBytes }) => spoolBytes],
  ['event_loop_lag_seconds', 'How late a timer fired at this scrape', () => lagSeconds()],
  ['connections', 'Open connections', (_stats, { clients }) => clients.size()],
  ['mcp_sessions', 'Open MCP sessions (protocol versions up to 2025)', (_stats, { mcpSessions }) => mcpSessions()],
  [
    'fleet_connected',
    'Whether the service is connected to its fleet',
    (_stats, { fleet }) => Number(fleet()?.connected ?? false),
  ],
  ['fleet_requests_open', 'Requests from the fleet in progress', (_stats, { fleet }) => fleet()?.open ?? 0],
  ['tokens', 'Named tokens', (_stats, { tokens }) => tokens.list().length],
  [
    'tokens_used',
    'Named tokens that were used in the last 24 hours',
    (_stats, { tokens }) => tokens.list().filter(isUsed).length,
  ],
]
const counters: MetricRow[] = [
  ['output_bytes_total', 'Bytes that commands wrote', ({ tally }) => tally.outputBytes],
  ['survivors_total', 'Processes that could not be killed', ({ tally }) => tally.survivors],
  [
    'unhandled_rejections_total',
    'Errors inside the service that nothing handled',
    (_stats, { unhandledRejections }) => unhandledRejections(),
  ],
  ['fleet_requests_total', 'Requests from the fleet', (_stats, { fleet }) => fleet()?.requests ?? 0],
  ['fleet_refused_total', 'Requests from the fleet that were refused', (_stats, { fleet }) => fleet()?.refused ?? 0],
  ['fleet_parts_total', 'Parts of responses to the fleet', (_stats, { fleet }) => fleet()?.parts ?? 0],
  [
    'fleet_reconnects_total',
    'Connections to the fleet after the first',
    (_stats, { fleet }) => fleet()?.reconnects ?? 0,
  ],
  [
    'commands_refused_total',
    'Foreground commands that found no slot, and foreground and background commands that could not be started',
    ({ pool, background }) => pool.refused + background.refused,
  ],
]
const labelled: [name: string, help: string, label: string, counts: (tally: Tally) => Map<string, number>][] = [
  [
    'commands_total',
    'Commands by final status, without those that ended with an error response',
    'status',
    (tally) => tally.endings,
  ],
  ['kills_total', 'Commands whose processes were killed, by cause', 'cause', (tally) => tally.kills],
  ['denials_total', 'Commands that were denied, by rule', 'rule', (tally) => tally.denials],
  ['approvals_total', 'Approval requests by outcome', 'outcome', (tally) => tally.approvals],
]

/** CPU time since the process started, by the usual names; the library's own begin at 0 with the first scrape. */
const cpuTimes: MetricRow[] = [
  ['process_cpu_user_seconds_total', 'User CPU time of the service', () => cpuSeconds('user')],
  ['process_cpu_system_seconds_total', 'System CPU time of the service', () => cpuSeconds('system')],
  ['process_cpu_seconds_total', 'User and system CPU time of the service', () => cpuSeconds('user', 'system')],
]

function cpuSeconds(...kinds: (keyof NodeJS.CpuUsage)[]): number {
  const usage = process.cpuUsage()
  return kinds.reduce((sum, kind) => sum + usage[kind], 0) / 1e6
}

const isUsed = ({ last_used_at: at }: { last_used_at: string | null }) =>
  at !== null && Date.now() - Date.parse(at) < USED_WITHIN_MS

async function lagSeconds(): Promise<number> {
  const startedAt = performance.now()
  await pause(PROBE_MS)
  return Math.max(0, performance.now() - startedAt - PROBE_MS) / 1000
}

async function createMetrics(parts: RouteParts): Promise<() => Promise<string>> {
  const { default: prometheus } = await loadLate(() => import('@platformatic/prom-client'))
  const { collectDefaultMetrics, Counter, Gauge, Registry } = prometheus
  const registry = new Registry()
  const registers = [registry]
  const stats = () => parts.executor.stats()
  // otherwise a histogram of event loop delays would take 100 samples per second from now on
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  for (const statistic of delayStatistics) registry.removeSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`)
  for (const [name] of cpuTimes) registry.removeSingleMetric(name)
  for (const [name, help, read] of gauges) {
    new Gauge({
      name: `shellphone_${name}`,
      help,
      registers,
      async collect() {
        this.set(await read(stats(), parts))
      },
    })
  }
  const named = counters.map(([name, ...row]): MetricRow => [`shellphone_${name}`, ...row])
  for (const [name, help, read] of [...named, ...cpuTimes]) {
    new Counter({
      name,
      help,
      registers,
      async collect() {
        this.reset()
        this.inc(await read(stats(), parts))
      },
    })
  }
  for (const [name, help, label, counts] of labelled) {
    new Counter({
      name: `shellphone_${name}`,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [value, count] of counts(stats().tally)) this.inc({ [label]: value }, count)
      },
    })
  }
  return async () => `${await registry.metrics()}\n${durations(stats().tally)}`
}

/** A histogram of the counts since the service started, which the library cannot import. */
function durations({ durations, durationSeconds }: Tally): string {
  const name = 'shellphone_command_duration_seconds'
  let sum = 0
  const lines = durations.map((count, index) => {
    sum += count
    return `${name}_bucket{le="${DURATION_BUCKETS[index] ?? '+Inf'}"} ${sum}`
  })
  return [
    `# HELP ${name} How long commands ran`,
    `# TYPE ${name} histogram`,
    ...lines,
    `${name}_sum ${durationSeconds}`,
    `${name}_count ${sum}`,
    '',
  ].join('\n')
}
