/**
 * parser: the framework of the command line. A subcommand is one row of client-subcommands.ts or own-subcommands.ts. From the rows,
 * read-command-line.ts parses argv, help.ts generates the help, and completion.ts generates the completion scripts.
 */
export { completionScript } from './completion.ts'
export { helpText } from './help.ts'
export { readCommandLine, subcommandIn } from './read-command-line.ts'
export type { Invocation, Option, Subcommand, Subcommands } from './subcommand.ts'
