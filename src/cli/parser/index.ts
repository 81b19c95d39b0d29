/**
 * parser: the framework of the command line. A subcommand is one row of client-subcommands.ts or own-subcommands.ts. From the rows,
 * read-command-line.ts and operands.ts parse argv, help.ts generates the help, man-page.ts the manual pages, and completion.ts the completion
 * scripts.
 */
export { completionScript } from './completion.ts'
export { helpText } from './help.ts'
export { manPage, manPages } from './man-page.ts'
export { readCommandLine, subcommandIn } from './read-command-line.ts'
export type { Invocation, Option, Options, Subcommand, Subcommands, Verb } from './subcommand.ts'
