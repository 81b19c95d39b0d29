/**
 * subcommands: the rows of the command line, loaded at each start. A row has a name, operands, options, help and the function to run.
 * To add a subcommand, add a row to own-subcommands.ts (if it works in this process) or client-subcommands.ts (if it sends requests to a
 * service). To add a verb of `shellphone fleet`, add a row to phone-verbs.ts or plane-verbs.ts.
 */
export { clientSubcommands } from './client-subcommands.ts'
export { fleetSubcommand } from './fleet-subcommand.ts'
export { ownSubcommands } from './own-subcommands.ts'
export { settingRows } from './locate-service.ts'
