/**
 * cli: the command line. subcommands/ contains the rows, from which parser/ parses argv. commands/ sends requests to a service. local/, setup/,
 * serve/ and fleet/ work on this machine.
 */
export { endOnWriteError, tolerateLostTerminal } from './print/index.ts'
export { subcommandIn } from './parser/index.ts'
export { runCommandLine, subcommands } from './subcommands/index.ts'
