/**
 * routes: the HTTP and WebSocket routes of this service. A file named *-route.ts or *-routes.ts holds one route or a few that belong together;
 * the other files are what they share. To add a route, see README.md.
 */
import type {} from '@fastify/swagger'
import { accessLogRoute } from './access-log-route.ts'
import { approvalRoutes } from './approval-routes.ts'
import { connectionsRoute } from './connections-route.ts'
import { contractRoutes } from './contract-routes.ts'
import { deviceRoutes } from './device-routes.ts'
import { dialectRoutes } from './dialect-routes.ts'
import { doctorRoute } from './doctor-route.ts'
import { execRoute } from './exec-route.ts'
import { fileRoutes } from './file-routes.ts'
import { fileToolRoutes } from './file-tool-routes.ts'
import { healthRoute } from './health-route.ts'
import { mcpRoutes } from './mcp-routes.ts'
import { metricsRoute } from './metrics-route.ts'
import { pageRoutes } from './page-routes.ts'
import { policyRoute } from './policy-route.ts'
import { positionRoute } from './position-route.ts'
import { runOutputRoutes } from './run-output-routes.ts'
import { runRoutes } from './run-routes.ts'
import type { Route } from './route-parts.ts'
import { searchRoute } from './search-route.ts'
import { sessionRoutes } from './session-routes.ts'
import { stdinRoutes } from './stdin-routes.ts'
import { tokenRoutes } from './token-routes.ts'
import { wakeEventsRoute } from './wake-events-route.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { wsRoute } from './ws-route.ts'

export { type Bounds, boundMemory } from './bounds.ts'
export { boundClients, type Clients } from './clients.ts'
export { Deliveries } from './deliveries.ts'
export { docsRoute } from './contract-routes.ts'
export { pageRoutes } from './page-routes.ts'
export type { Device, Route, RouteParts } from './route-parts.ts'
export { type Security, type SecuritySettings, installSecurity } from './security.ts'
export { messageRows } from './ws-messages.ts'
export { serverMessageRows } from './server-messages.ts'

/** All files of routes. */
export const routes: Route[] = [
  execRoute,
  wsRoute,
  runRoutes,
  stdinRoutes,
  runOutputRoutes,
  searchRoute,
  positionRoute,
  wakeEventsRoute,
  webhookRoutes,
  sessionRoutes,
  fileRoutes,
  fileToolRoutes,
  healthRoute,
  doctorRoute,
  deviceRoutes,
  dialectRoutes,
  mcpRoutes,
  policyRoute,
  approvalRoutes,
  tokenRoutes,
  connectionsRoute,
  accessLogRoute,
  metricsRoute,
  contractRoutes,
  pageRoutes,
]
