/**
 * parser: the frame of the command line. A subcommand is one row of client-subcommands.ts or own-subcommands.ts; its options, its help (help.ts), what is read
 * of argv (read-command-line.ts) and what a Tab completes (completion.ts) follow from it.
 */
export { completionScript } from './completion.ts'
export { helpText } from './help.ts'
export { readCommandLine, subcommandIn } from './read-command-line.ts'
export type { Invocation, Option, Subcommand, Subcommands } from './subcommand.ts'
