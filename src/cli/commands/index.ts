/**
 * commands: the subcommands that are clients of a running service: `shellphone approvals`, `check`, `metrics`, `mcp` … They use the SDK
 * (connect-service.ts) and the wire schemas. ../README.md says how to add a subcommand.
 */
export { approvals } from './approvals-command.ts'
export { check } from './check-command.ts'
export { completionNames } from './completion-names.ts'
export { type Client, ClientError, connect, findService, type Role, type ServiceLocation } from './connect-service.ts'
export { cp } from './cp.ts'
export { edit } from './edit.ts'
export { fleetApprovals, fleetExec, fleetInvite, fleetPhones, fleetToken, retirePhone } from './fleet-command.ts'
export { fleetJob, fleetJobs } from './fleet-jobs.ts'
export { fleetStatus } from './fleet-status.ts'
export { logs } from './logs.ts'
export { mcp, type Service } from './mcp-command.ts'
export { metrics } from './metrics-command.ts'
export { open } from './open.ts'
export { pair } from './pair-command.ts'
export { remote, remoteOf } from './remotes.ts'
export { run } from './run-command.ts'
export { cancel, history, ps } from './runs-command.ts'
export { sessions } from './sessions-command.ts'
export { shell } from './shell.ts'
export { token } from './token-command.ts'
