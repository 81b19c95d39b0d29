/**
 * cli: the command line. Rows are in subcommands/, what reads argv by them in parser/, what asks a service in commands/, what works on this
 * machine in local/, setup/, serve/ and fleet/.
 */
export { readCommandLine, subcommandIn, type Subcommands } from './parser/index.ts'
export { askingSubcommands, fleetSubcommand, ownSubcommands, settingRows } from './subcommands/index.ts'
