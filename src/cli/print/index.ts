/**
 * print: how subcommands print on a terminal and elsewhere. style.ts adds colours and wraps lines; text-table.ts prints columns with headers (text-width.ts measures them);
 * write-errors.ts ends a subcommand whose output cannot be written; lost-terminal.ts lets it exit without its terminal. To add a colour, add it to the codes in style.ts.
 */
export { tolerateLostTerminal } from './lost-terminal.ts'
export { styleOf, type Style, wrap } from './style.ts'
export { type Column, commandCell, textTable } from './text-table.ts'
export { cut } from './text-width.ts'
export { endOnWriteError, isClosedOutput, OUTPUT_CLOSED } from './write-errors.ts'
