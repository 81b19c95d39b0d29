/**
 * file-tools: reads, writes, edits and searches text files for agents, the same over HTTP and MCP. Each call is a run: the executor judges the
 * equivalent command, requests approval with a diff, and records it; its stdout is the text of the result. The bytes are in the module files.
 *
 *     file-run.ts     begins the run of a call               change-tools.ts   write and edit: plan, show, check, change
 *     read-tool.ts    numbered lines, or names               search-tool.ts    matching lines, or paths
 *     patch-tool.ts   several files, or none                 file-step.ts      a step of a dialect's tool
 *     preselect-files.ts   ripgrep selects files to search   weaker-pattern.ts   the pattern for it
 *
 * To add a tool, add its schemas to file-tools.ts of the module schema, a function here, and the row of a route and of an MCP tool.
 */
export { createFileTools, type FileTools } from './create-file-tools.ts'
export { beginFileStep } from './file-step.ts'
export { findRipgrep } from './preselect-files.ts'
export { checkFilesRight, type FileRun, mayUseFiles } from './file-run.ts'
