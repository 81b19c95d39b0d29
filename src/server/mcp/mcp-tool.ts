import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Static, TObject } from '@sinclair/typebox'
import { check } from '../../shared/schema/index.ts'
import type { McpToolCall } from './mcp-parts.ts'
import type { McpToolResult } from './join-run.ts'

/** One tool of the list. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: TObject
  outputSchema?: TObject
  annotations: ToolAnnotations
  /** the access to files that it needs; absent: none */
  files?: 'read' | 'write'
  /** `args` are unchecked; throws ShellphoneError if the request is refused */
  run(args: unknown, call: McpToolCall): Promise<McpToolResult>
}

/** Creates a tool that checks its arguments against its schema first. Null counts as omitted, because models write null for it. */
export const tool = <Schema extends TObject>(
  row: Omit<Tool, 'run' | 'inputSchema'> & {
    inputSchema: Schema
    run(args: Static<Schema>, call: McpToolCall): Promise<McpToolResult>
  },
): Tool => ({ ...row, run: (args, call) => row.run(check(row.inputSchema, withoutNulls(args)), call) })

const withoutNulls = (args: unknown) =>
  Object.fromEntries(Object.entries(args ?? {}).filter(([, value]) => value !== null))

/** The hints of a tool that may change anything. */
export const mutating = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
/** The hints of a tool that changes nothing. */
export const readOnly = { readOnlyHint: true, openWorldHint: false }
