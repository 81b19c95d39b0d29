/**
 * subcommands: the rows of the command line, loaded at each start. A row has a name, operands, options, help and the function to run.
 * To add one, add a row to own-subcommands.ts (it works in this process), client-subcommands.ts (it sends requests to a service), or, for
 * `shellphone fleet`, to phone-verbs.ts or plane-verbs.ts.
 */
export { clientSubcommands } from './client-subcommands.ts'
export { fleetSubcommand } from './fleet-subcommand.ts'
export { ownSubcommands } from './own-subcommands.ts'
export { settingRows } from './locate-service.ts'
