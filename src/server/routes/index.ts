/**
 * routes: the only room that knows HTTP and WebSocket. Each file is one route (or one concern of all routes); to add a
 * route, write its file and name it in `routes` below, then run `npm run docs`.
 */
import type {} from '@fastify/swagger'
import { approvalRoutes } from './approvals.ts'
import { connectionsRoute } from './connections.ts'
import { contractRoutes } from './contract.ts'
import { deviceRoutes } from './device.ts'
import { dialectRoutes } from './dialects.ts'
import { doctorRoute } from './doctor.ts'
import { execRoute } from './exec.ts'
import { fileRoutes } from './files.ts'
import { healthRoute } from './health.ts'
import { mcpRoutes } from './mcp.ts'
import { metricsRoute } from './metrics.ts'
import { pageRoutes } from './page.ts'
import { policyRoute } from './policy.ts'
import { runOutputRoutes } from './run-output.ts'
import { runRoutes } from './runs.ts'
import type { Route } from './parts.ts'
import { stdinRoutes } from './stdin.ts'
import { tokenRoutes } from './tokens.ts'
import { wsRoute } from './ws.ts'

export { jsonBodies } from './bodies.ts'
export { type Bounds, boundMemory } from './bounds.ts'
export { boundClients, type Clients } from './clients.ts'
export { badUrl, errorReplies, errorResponses, toClientError } from './errors.ts'
export { pageRoutes } from './page.ts'
export type { App, Device, Route, RouteParts } from './parts.ts'
export { type Security, type SecuritySettings, security } from './security.ts'
export { takeTurns } from './turns.ts'
export { AuthMessage } from './ws-gate.ts'
export { acceptUpgrades } from './ws.ts'
export { messageRows } from './ws-messages.ts'
export { toldRows } from './ws-told.ts'

/** Every route, each in a file of its own. */
export const routes: Route[] = [
  execRoute,
  wsRoute,
  runRoutes,
  stdinRoutes,
  runOutputRoutes,
  fileRoutes,
  healthRoute,
  doctorRoute,
  deviceRoutes,
  dialectRoutes,
  mcpRoutes,
  policyRoute,
  approvalRoutes,
  tokenRoutes,
  connectionsRoute,
  metricsRoute,
  contractRoutes,
  pageRoutes,
]
