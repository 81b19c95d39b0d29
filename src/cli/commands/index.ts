/**
 * commands: the service's own command line as its client: `shellphone approvals`, `check`, `metrics`, `mcp` … It talks to a running service
 * through the SDK (connect-service.ts), as any program could, and knows nothing of its rooms but the words of the wire. To add a subcommand,
 * write it as a file of its own, name it here, and add its row in client-subcommands.ts.
 */
export { approvals } from './approvals-command.ts'
export { check } from './check-command.ts'
export { connect, findService, type ServiceLocation as Place } from './connect-service.ts'
export { cp } from './cp.ts'
export {
  fleetApprovals,
  fleetExec,
  fleetInvite,
  fleetJob,
  fleetPhones,
  fleetToken,
  retirePhone,
} from './fleet-command.ts'
export { fleetStatus } from './fleet-status.ts'
export { logs } from './logs.ts'
export { mcp, type Service } from './mcp-command.ts'
export { metrics } from './metrics-command.ts'
export { open } from './open.ts'
export { pair } from './pair-command.ts'
export { remote, remoteOf } from './remotes.ts'
export { run } from './run-command.ts'
export { cancel, history, ps } from './runs-command.ts'
export { shell } from './shell.ts'
export { token } from './token-command.ts'
