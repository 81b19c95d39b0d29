/**
 * routes: the only room that knows HTTP and WebSocket. Each file is one route (or one concern of all routes); to add a
 * route, write its file and name it in `routes` below, then run `npm run docs`.
 */
import type {} from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Desk } from '../exec/index.ts'
import { approvalRoutes } from './approvals.ts'
import { contractRoute } from './contract.ts'
import { dialectRoutes } from './dialects.ts'
import { execRoute } from './exec.ts'
import { healthRoute } from './health.ts'
import { metricsRoute } from './metrics.ts'
import { policyRoute } from './policy.ts'
import { runOutputRoutes } from './run-output.ts'
import { runRoutes } from './runs.ts'
import type { Security } from './security.ts'
import { wsRoute } from './ws.ts'

export { jsonBodies } from './bodies.ts'
export { openSockets } from './clients.ts'
export { badUrl, errorReplies, toClientError } from './error-replies.ts'
export { type Security, type SecuritySettings, security } from './security.ts'

/** What routes are given. */
export interface RouteParts {
  desk: Desk
  security: Security
  bodyLimitBytes: number
  version: string
  /** where openapi.yaml lies */
  contract: URL
  poolLimits: { max_running: number; max_queued: number }
  /** what /health tells beside the pool: spawner, sandbox, warnings */
  facts(): Record<string, unknown>
}

/** Every route, each in a file of its own. */
export const routes: ((app: FastifyInstance, parts: RouteParts) => Promise<void>)[] = [
  execRoute,
  wsRoute,
  runRoutes,
  runOutputRoutes,
  healthRoute,
  dialectRoutes,
  policyRoute,
  approvalRoutes,
  metricsRoute,
  contractRoute,
]
