/**
 * print: how subcommands print on a terminal and elsewhere. style.ts adds colours and wraps lines; text-table.ts prints columns with headers. To add
 * a colour, add it to the codes in style.ts.
 */
export { styleOf, type Style, wrap } from './style.ts'
export { type Column, commandCell, textTable } from './text-table.ts'
