/**
 * client: the service's own command line as its client: `shellphone approvals`, `check`, `metrics`, `mcp` … It
 * talks to a running service over HTTP and WebSocket, as any agent could, and knows nothing of its rooms but the words of the wire. To
 * add a subcommand, write it as a file of its own, name it here, and add its row in asking-subcommands.ts.
 */
export { approvals } from './approvals.ts'
export { check } from './check.ts'
export { connect, findService, type Place } from './connect.ts'
export type { Target } from '../transport/index.ts'
export { cp } from './cp.ts'
export { fleetApprovals, fleetExec, fleetInvite, fleetJob, fleetPhones, fleetToken, retirePhone } from './fleet.ts'
export { fleetStatus } from './fleet-status.ts'
export { logs } from './logs.ts'
export { mcp, type Service } from './mcp.ts'
export { metrics } from './metrics.ts'
export { open } from './open.ts'
export { pair } from './pair.ts'
export { remote, remoteOf } from './remotes.ts'
export { run } from './run.ts'
export { cancel, history, ps } from './runs.ts'
export { shell } from './shell.ts'
export { token } from './tokens.ts'
