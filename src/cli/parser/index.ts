/**
 * parser: the framework of the command line. A subcommand is one row of client-subcommands.ts or own-subcommands.ts. Its help (help.ts), the parsing of
 * argv (read-command-line.ts) and its completion (completion.ts) are generated from the row.
 */
export { completionScript } from './completion.ts'
export { helpText } from './help.ts'
export { readCommandLine, subcommandIn } from './read-command-line.ts'
export type { Invocation, Option, Subcommand, Subcommands } from './subcommand.ts'
