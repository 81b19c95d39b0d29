import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { Timestamp } from './timestamp.ts'

/** The types of directory entries, in the terms of POSIX. */
export const FileType = oneWordOf(
  ['file', 'directory', 'symlink', 'fifo', 'socket', 'block_device', 'character_device'],
  { $id: 'FileType', description: 'The type of an entry; a link is a symlink, whatever it points to' },
)
export type FileType = Static<typeof FileType>

/** The metadata of a file. */
export const FileFacts = Type.Object(
  {
    type: FileType,
    bytes: Type.Integer({ description: 'Size in bytes' }),
    mode: Type.String({ description: 'Permissions, octal: 0644' }),
    modified_at: Timestamp('When its content last changed'),
    etag: Type.String({ description: 'Changes when the file changes or is replaced' }),
  },
  { $id: 'FileFacts', description: 'The metadata of a file' },
)
export type FileFacts = Static<typeof FileFacts>

/** One entry of a directory. */
export const FileEntry = Type.Composite(
  [
    Type.Object({ name: Type.String({ description: 'Its name in the directory' }) }),
    FileFacts,
    Type.Object({ target: Type.Optional(Type.String({ description: 'The target of a symlink, as written in it' })) }),
  ],
  { $id: 'FileEntry', description: 'One entry of a directory' },
)
export type FileEntry = Static<typeof FileEntry>

/** A page of a directory, sorted by name. */
export const FileList = Type.Object(
  {
    path: Type.String({ description: 'The path with its links resolved' }),
    entries: Type.Array(FileEntry, { description: 'The entries, by name' }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `after` to get the next page; null: this was the last page',
    }),
  },
  { $id: 'FileList', description: 'A page of a directory' },
)
export type FileList = Static<typeof FileList>
