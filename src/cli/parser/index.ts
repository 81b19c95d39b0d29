/**
 * parser: the framework of the command line. A subcommand is one row of client-subcommands.ts or own-subcommands.ts. From the rows,
 * read-command-line.ts and operands.ts parse argv, values.ts checks the values of options, help.ts generates the help, man-page.ts the manual
 * pages, and completion.ts the completion scripts.
 */
export { type CompletionShell, completionScript } from './completion.ts'
export { invalid, noAnswer, noAnswerOfFleet, usualCodes } from './exit-codes.ts'
export { helpText } from './help.ts'
export { manPage, manPages } from './man-page.ts'
export { readCommandLine, subcommandIn } from './read-command-line.ts'
export {
  type Invocation,
  type Option,
  type Options,
  serviceNames,
  type Subcommand,
  type Subcommands,
  type Verb,
} from './subcommand.ts'
export { byteOffsets, duration, numberAbove, oneOf, oneOfOrJson, type Values, wholeNumber } from './values.ts'
