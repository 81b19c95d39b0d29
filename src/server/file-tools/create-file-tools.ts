import type { Caller } from '../exec/index.ts'
import type {
  FileEditRequest,
  FileEditResult,
  FilePatchRequest,
  FilePatchResult,
  FileReadRequest,
  FileReadResult,
  FileSearchRequest,
  FileSearchResult,
  FileWriteResult,
} from '../../shared/schema/index.ts'
import { editFile, writeContent, type WriteInput } from './change-tools.ts'
import { checkFilesRight, type FileRun } from './file-run.ts'
import { patchFiles } from './patch-tool.ts'
import { readFile } from './read-tool.ts'
import { searchIn, type SearchParts } from './search-tool.ts'

/** The file tools. Each throws ShellphoneError if the call does not become a run; a run that fails rejects with the error. */
export interface FileTools {
  read(request: FileReadRequest, caller: Caller): Promise<FileRun<FileReadResult>>
  write(request: WriteInput, caller: Caller): Promise<FileRun<FileWriteResult>>
  edit(request: FileEditRequest, caller: Caller): Promise<FileRun<FileEditResult>>
  search(request: FileSearchRequest, caller: Caller): Promise<FileRun<FileSearchResult>>
  patch(request: FilePatchRequest, caller: Caller): Promise<FileRun<FilePatchResult>>
}

/** Creates the file tools, which check the right `files` of the caller's token first. */
export function createFileTools(parts: SearchParts): FileTools {
  const checked =
    <Request, Result>(
      tool: (request: Request, caller: Caller, parts: SearchParts) => Promise<Result>,
      right: 'read' | 'write',
    ) =>
    async (request: Request, caller: Caller): Promise<Result> => {
      checkFilesRight(caller.who, right)
      return tool(request, caller, parts)
    }
  return {
    read: checked(readFile, 'read'),
    write: checked(writeContent, 'write'),
    edit: checked(editFile, 'write'),
    search: checked(searchIn, 'read'),
    patch: checked(patchFiles, 'write'),
  }
}
