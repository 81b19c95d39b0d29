/**
 * subcommands: the rows of the command line, loaded at each start. A row has a name, operands, options, help and the function to run.
 * ../README.md says how to add one. To add a verb of `shellphone fleet`, add a row to phone-verbs.ts or plane-verbs.ts.
 */
export { runCommandLine, subcommands } from './all-subcommands.ts'
