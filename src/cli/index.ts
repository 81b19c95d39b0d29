/**
 * cli: the command line. subcommands/ contains the rows, from which parser/ parses argv. commands/ sends requests to a service. local/, setup/,
 * serve/ and fleet/ work on this machine.
 */
export { readCommandLine, subcommandIn, type Subcommands } from './parser/index.ts'
export { clientSubcommands, fleetSubcommand, ownSubcommands, settingRows } from './subcommands/index.ts'
