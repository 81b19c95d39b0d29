import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { SandboxName } from './request.ts'

/** Maximum size of a file that a file tool writes or edits. */
export const MAX_CONTENT_BYTES = 5_242_880

const only = { additionalProperties: false }
const path = Type.String({ description: 'Absolute, or ~/x in the home directory' })
const sandbox = Type.Optional(SandboxName)

/** The pattern of the hash that a caller expects; `none`: it expects no file. */
export const IF_HASH = '^(sha256:[0-9a-f]{16}|none)$'
/** The short hash that guards a change: `sha256:` and the first 16 hex digits. */
export const shortHash = (sha256: string): string => `sha256:${sha256.slice(0, 16)}`

/** The hash that guards a change. */
const Hash = Type.String({
  description: 'sha256: and 16 hex digits, from a read or an earlier change',
})
const ifHash = Type.String({
  pattern: IF_HASH,
  description: 'Change only the file with this hash; none: only create a new file',
})

/** The parameters of file_read. */
export const FileReadRequest = Type.Object(
  {
    path,
    offset: Type.Optional(Type.Integer({ minimum: 1, description: 'First line (default: 1)' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Number of lines (default: 2000)' })),
  },
  only,
)
export type FileReadRequest = Static<typeof FileReadRequest>

/** A part of a text file, or the names in a directory. */
export const FileReadResult = Type.Object(
  {
    path: Type.String({ description: 'The path with its links resolved' }),
    text: Type.String({
      description: 'Lines with their numbers, as cat -n prints them; a directory: its names',
    }),
    hash: Type.Union([Hash, Type.Null()], {
      description: 'The hash of the whole file, for if_hash; null: a directory, or a file above 64 MiB',
    }),
    lines: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Number of lines of the file',
    }),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The offset to continue from; null: this was the end',
    }),
    truncated: Type.Boolean({
      description: 'Whether something after these lines, or the end of a long line, is missing',
    }),
    eol: Type.Union([Type.String(), Type.Null()], {
      description: 'lf, crlf or mixed; null: no line ends',
    }),
  },
  { $id: 'FileReadResult', description: 'A part of a text file, or the names in a directory' },
)
export type FileReadResult = Static<typeof FileReadResult>

/** The parameters of file_write. */
export const FileWriteRequest = Type.Object(
  {
    path,
    content: Type.String({
      maxLength: MAX_CONTENT_BYTES,
      description: 'The whole new content, at most 5 MiB',
    }),
    if_hash: Type.Optional(ifHash),
  },
  only,
)
export type FileWriteRequest = Static<typeof FileWriteRequest>

export const FileWriteResult = Type.Object(
  {
    path: Type.String({ description: 'The path with its links resolved' }),
    hash: Hash,
    created: Type.Boolean({ description: 'Whether the file is new' }),
    bytes: Type.Integer({ description: 'The size of the new content' }),
  },
  { $id: 'FileWriteResult', description: 'A written file' },
)
export type FileWriteResult = Static<typeof FileWriteResult>

/** One replacement. */
const FileEdit = Type.Object(
  {
    old: Type.String({ description: 'Text that occurs exactly once' }),
    new: Type.String({ description: 'Its replacement' }),
    replace_all: Type.Optional(Type.Boolean({ description: 'Replace every occurrence' })),
  },
  only,
)

/** The parameters of file_edit. */
export const FileEditRequest = Type.Object(
  {
    path,
    edits: Type.Array(FileEdit, { minItems: 1, maxItems: 50, description: 'Replacements' }),
    if_hash: Type.Optional(ifHash),
    sandbox,
  },
  { ...only, $id: 'FileEditRequest', description: 'Replacements in a text file' },
)
export type FileEditRequest = Static<typeof FileEditRequest>

export const FileEditResult = Type.Object(
  {
    path: Type.String({ description: 'The path with its links resolved' }),
    hash: Hash,
    replaced: Type.Integer({ description: 'Number of replacements' }),
    snippet: Type.String({ description: 'The changed lines with four lines around them' }),
  },
  { $id: 'FileEditResult', description: 'An edited file' },
)
export type FileEditResult = Static<typeof FileEditResult>

/** The parameters of file_search. */
export const FileSearchRequest = Type.Object(
  {
    path,
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Regular expression (RE2), matched line by line; omitted: list the files',
      }),
    ),
    glob: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Only these files, such as *.{ts,js}',
      }),
    ),
    ignore_case: Type.Optional(Type.Boolean({ description: 'Ignore case' })),
    context: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, description: 'Lines around a match (default: 0)' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Number of matches (default: 100)' })),
    sandbox,
  },
  { ...only, $id: 'FileSearchRequest', description: 'A search' },
)
export type FileSearchRequest = Static<typeof FileSearchRequest>

export const FileSearchResult = Type.Object(
  {
    path: Type.String({
      description: 'Where the search started; the paths in text are relative to it',
    }),
    text: Type.String({
      description: 'path:line:text for each match; without a pattern: one path a line',
    }),
    found: Type.Integer({ description: 'Number of matching lines, or of files' }),
    files: Type.Integer({ description: 'Number of files that were searched' }),
    skipped: Type.Integer({
      description: 'Number of files and directories that could not be read or were too large',
    }),
    truncated: Type.Boolean({ description: 'Whether it stopped at a limit: there may be more' }),
  },
  { $id: 'FileSearchResult', description: 'The lines or files that a search found' },
)
export type FileSearchResult = Static<typeof FileSearchResult>

/** The body of POST /files/patch. */
export const FilePatchRequest = Type.Object(
  {
    patch: Type.String({
      minLength: 1,
      maxLength: 1_048_576,
      description: 'A unified diff, or a patch from *** Begin Patch to *** End Patch',
    }),
    directory: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The absolute directory of the relative paths in the patch',
      }),
    ),
    sandbox,
  },
  { ...only, $id: 'FilePatchRequest', description: 'A patch of several files' },
)
export type FilePatchRequest = Static<typeof FilePatchRequest>

export const FilePatchResult = Type.Object(
  {
    status: oneWordOf(['completed'], { description: 'All files have been changed' }),
    files: Type.Array(
      Type.Object({
        path: Type.String({ description: 'The path with its links resolved; of a moved file: the new one' }),
        action: oneWordOf(['added', 'updated', 'deleted', 'moved'], { description: 'What happened to the file' }),
        hash: Type.Union([Hash, Type.Null()], { description: 'The new hash; null: deleted' }),
      }),
      { description: 'The files in the order of the patch' },
    ),
    text: Type.String({ description: 'A line for each file' }),
  },
  { $id: 'FilePatchResult', description: 'The files that a patch has changed' },
)
export type FilePatchResult = Static<typeof FilePatchResult>
