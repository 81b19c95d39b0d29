/**
 * cli: the command line. subcommands/ has the rows, parser/ reads argv by them, commands/ sends requests to a service; local/, setup/, serve/ and
 * fleet/ work on this machine.
 */
export { readCommandLine, subcommandIn, type Subcommands } from './parser/index.ts'
export { clientSubcommands, fleetSubcommand, ownSubcommands, settingRows } from './subcommands/index.ts'
