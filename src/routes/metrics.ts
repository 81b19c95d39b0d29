import type { Executor } from '../exec/index.ts'
import { loadLate } from './late.ts'
import type { App, RouteParts } from './parts.ts'

const NEVER_MS = 2 ** 31 - 1
const delayStatistics = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']

/** GET /metrics: Prometheus text. The library is loaded at the first call; the counts are kept from the start. */
export async function metricsRoute(app: App, { executor }: RouteParts): Promise<void> {
  let text: (() => Promise<string>) | null = null
  const schema = {
    summary: 'Prometheus metrics',
    tags: ['operation'],
    response: { 200: { description: 'Prometheus text', content: { 'text/plain': { schema: { type: 'string' } } } } },
  }
  app.get('/metrics', { schema }, async (_request, reply) => {
    text ??= await createMetrics(executor)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await text())
  })
}

async function createMetrics(executor: Executor): Promise<() => Promise<string>> {
  const { default: prometheus } = await loadLate(() => import('@platformatic/prom-client'))
  const { collectDefaultMetrics, Counter, Gauge, Registry } = prometheus
  const registry = new Registry()
  // a histogram of the event loop's delays would be fed 100 times a second from now on
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS })
  for (const statistic of delayStatistics) registry.removeSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`)
  const gauge = (name: string, help: string, read: () => number) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  }
  gauge('shellphone_commands_running', 'Commands that run now', () => executor.stats().pool.running)
  gauge('shellphone_commands_queued', 'Commands that wait for a slot', () => executor.stats().pool.queued)
  new Counter({
    name: 'shellphone_commands_total',
    help: 'Commands by how they ended',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [status, count] of Object.entries(executor.stats().endings)) this.inc({ status }, count)
    },
  })
  new Counter({
    name: 'shellphone_output_bytes_total',
    help: 'Bytes that commands wrote',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(executor.stats().outputBytes)
    },
  })
  return () => registry.metrics()
}
