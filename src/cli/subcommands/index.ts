/**
 * subcommands: the rows of the command line, loaded at each start: what a subcommand is called, takes, means, and what it loads to do its work.
 * To add one, add a row to own-subcommands.ts (it works in this process), client-subcommands.ts (it asks a service), or, of
 * `shellphone fleet`, to phone-verbs.ts or plane-verbs.ts.
 */
export { clientSubcommands as askingSubcommands } from './client-subcommands.ts'
export { fleetSubcommand } from './fleet-subcommand.ts'
export { ownSubcommands } from './own-subcommands.ts'
export { settingRows } from './locate-service.ts'
