import { Type } from '@sinclair/typebox'
import { IF_HASH, SandboxName } from '../../shared/schema/index.ts'
import { RecordOrError } from './exec-route.ts'

export const TAR = 'application/x-tar'
export const MAX_LIST = 1000

const target = {
  path: Type.String({
    minLength: 1,
    description: 'An absolute path without .., or ~/x for one in the home directory',
  }),
  sandbox: Type.Optional(SandboxName),
}
const only = { additionalProperties: false }
export const TargetQuery = Type.Object(target, only)
export const GetQuery = Type.Object(
  {
    ...target,
    after: Type.Optional(
      Type.String({ maxLength: 4096, description: 'For a directory: only names after this one (default: all)' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIST,
        description: 'For a directory: at most this many names (default: 1000)',
      }),
    ),
    lines: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,8}(-([1-9][0-9]{0,8})?)?$',
        description:
          'FIRST-LAST, FIRST- or one number: these lines of a text file as JSON, with its hash; at most 10 000 lines',
      }),
    ),
  },
  only,
)
export const PutQuery = Type.Object(
  {
    ...target,
    mode: Type.Optional(
      Type.String({
        pattern: '^0?[0-7]{3}$',
        description: 'Permissions, octal (default: those of the replaced file; for a new one, what the umask allows)',
      }),
    ),
    if_hash: Type.Optional(
      Type.String({
        pattern: IF_HASH,
        description:
          'Write only if the file has this hash; none: only if there is no file. The body, at most 5 MiB, is read before the decision, so that an approval shows a diff (default: write in any case)',
      }),
    ),
  },
  only,
)

const optional = (description: string) => Type.Optional(Type.String({ description }))
export const matches = {
  'if-match': optional('Only if the file has one of these ETags'),
  'if-none-match': optional('Only if the file has none of these ETags; *: only if there is no file'),
}
export const GetHeaders = Type.Object({
  ...matches,
  range: optional('bytes=FIRST-LAST: only these bytes'),
  'if-range': optional('Apply Range only if the file has this ETag'),
  accept: optional(`${TAR}: a directory as an archive`),
})
export const PutHeaders = Type.Object({
  ...matches,
  'content-range': optional('bytes FIRST-LAST/TOTAL: resume an upload; bytes */TOTAL: ask how many bytes have arrived'),
  'upload-key': optional('A name for the upload, so that it can be resumed; 1 to 128 visible ASCII characters'),
})

export const tags = ['files']
const text = { type: 'string' }
export const said = (description: string) => ({ ...text, description })
export const runId = said('The id of the run that records the transfer')
export const fileHeaders = {
  'Run-Id': runId,
  ETag: said('Changes when the file changes or is replaced'),
  'Last-Modified': said('When its content last changed'),
  'File-Mode': said('Permissions, octal'),
}
export const archive = { schema: Type.Any({ description: 'A tar archive' }) }
export const bytes = { 'application/octet-stream': { schema: Type.Any({ description: 'The bytes of the file' }) } }
const deniedContent = { 'application/json': { schema: RecordOrError } }
export const denied = {
  description: 'The policy or the file system denied the request, or the token, Origin or Host is not allowed',
  content: deniedContent,
}
export const NO_FILE = { 404: 'there is no file or directory at the path' }
export const CHANGED = { 412: 'the file has changed: If-Match, If-None-Match or a hash does not hold' }
export const BUSY = { 503: 'pool_full: too many transfers or open files; sandbox_unavailable: this system has none' }
export const FULL = { 507: 'the disk is full; the previous file is unchanged' }
export const empty = (description: string, headers: Record<string, object> = {}) => ({
  type: 'null',
  description,
  headers,
})
export const writtenHeaders = {
  ...fileHeaders,
  'Repr-Digest': said('sha-256=:BASE64: of the whole file'),
  'File-Hash': said('With if_hash: the hash of the new content'),
}
