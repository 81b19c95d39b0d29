import { type TObject, Type } from '@sinclair/typebox'
import type { Caller } from '../exec/index.ts'
import type { FileRun, FileTools } from '../file-tools/index.ts'
import {
  FileEditRequest,
  FileEditResult,
  FileReadRequest,
  FileReadResult,
  FileSearchRequest,
  FileSearchResult,
  FileWriteRequest,
  FileWriteResult,
} from '../../shared/schema/index.ts'
import { runFor } from './join-run.ts'
import type { McpToolCall } from './mcp-parts.ts'
import { readOnly, type Tool, tool } from './mcp-tool.ts'
import { recordResult, RunResult, toResult } from './result.ts'

const changing = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }
const reading = { ...readOnly, idempotentHint: true }

/** The structured content of a tool: its result, or why it has no result. */
const outcome = (result: TObject) =>
  Type.Object({
    ...Type.Partial(result).properties,
    ...Type.Pick(RunResult, ['id', 'status', 'error_type', 'note']).properties,
  })

const fileRead = tool({
  name: 'file_read',
  title: 'Read a text file',
  description: 'Read numbered lines of a text file and its hash, or list the names in a directory.',
  inputSchema: FileReadRequest,
  outputSchema: outcome(FileReadResult),
  annotations: reading,
  files: 'read',
  run: (request, call) => runFileTool(call, 'file_read', (tools, caller) => tools.read(request, caller)),
})

const fileWrite = tool({
  name: 'file_write',
  title: 'Write a text file',
  description: 'Create or replace a whole file, in one step. To change a part, use file_edit.',
  inputSchema: FileWriteRequest,
  outputSchema: outcome(FileWriteResult),
  annotations: { ...changing, idempotentHint: true },
  files: 'write',
  run: (request, call) => runFileTool(call, 'file_write', (tools, caller) => tools.write(request, caller)),
})

const { path, edits, if_hash } = FileEditRequest.properties
const fileEdit = tool({
  name: 'file_edit',
  title: 'Edit a text file',
  description: 'Replace text in a file. Each old text must match exactly and once; all edits apply, or none.',
  inputSchema: Type.Object(
    { path, edits, if_hash: Type.Optional({ ...if_hash, description: 'As in file_write' }) },
    { additionalProperties: false },
  ),
  outputSchema: outcome(FileEditResult),
  annotations: { ...changing, idempotentHint: false },
  files: 'write',
  run: (request, call) => runFileTool(call, 'file_edit', (tools, caller) => tools.edit(request, caller)),
})

const { sandbox: _sandbox, ...searchFields } = FileSearchRequest.properties
const fileSearch = tool({
  name: 'file_search',
  title: 'Search files',
  description: 'Search a file, or the files below a directory, for lines that match a pattern, or list these files.',
  inputSchema: Type.Object(searchFields, { additionalProperties: false }),
  outputSchema: outcome(FileSearchResult),
  annotations: reading,
  files: 'read',
  run: (request, call) => runFileTool(call, 'file_search', (tools, caller) => tools.search(request, caller)),
})

/** The tools for files. */
export const fileTools: Tool[] = [fileRead, fileWrite, fileEdit, fileSearch]

function runFileTool(
  call: McpToolCall,
  name: string,
  begin: (tools: FileTools, caller: Caller) => Promise<FileRun<object>>,
) {
  const { state, who } = call
  return runFor(call, async (lease) => {
    const { run, answer } = await begin(state.fileTools, { gone: lease.signal, who, via: `MCP ${name}` })
    const result = async () => {
      const record = await run.finished
      const done = answer()
      return done === null ? recordResult(record) : toResult(done.text, { ...done.result })
    }
    return { run, lease, patienceMs: state.patienceMs, result }
  })
}
