import type { IncomingHttpHeaders } from 'node:http'
import { type FileFacts, invalid, ShellphoneError } from '../../shared/schema/index.ts'
import { inBytes, rangeIn } from '../../http/index.ts'

/** A part of a file: the bytes from `start` up to (not including) `end`. */
interface ByteRange {
  start: number
  end: number
}

/** The Content-Range of a PUT. `span`: which bytes of the file the body contains; null: the client only asks how many have arrived. */
interface ContentRange {
  span: ByteRange | null
  total: number
}

/** Checks If-Match and If-None-Match (RFC 9110, 13.1); false: the client already has this version. `etag` null: there is no file. Throws PRECONDITION_FAILED. */
export function isWanted(headers: IncomingHttpHeaders, etag: string | null): boolean {
  const { 'if-match': match, 'if-none-match': none } = headers
  if (match !== undefined && !names(match, etag)) throw failed('If-Match', match, etag)
  return none === undefined || !names(none, etag)
}

/** Checks the same headers for a request that changes a file. */
export function mustMatch(headers: IncomingHttpHeaders, etag: string | null): void {
  if (!isWanted(headers, etag)) throw failed('If-None-Match', headers['if-none-match']!, etag)
}

function names(header: string, etag: string | null): boolean {
  if (etag === null) return false
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}

function failed(field: string, wanted: string, etag: string | null): ShellphoneError {
  const found = etag === null ? 'no file' : `a file with ETag ${etag}`
  return new ShellphoneError(
    'PRECONDITION_FAILED',
    `${field}: ${wanted.slice(0, 200)} does not match: there is ${found}`,
    {
      field,
    },
  )
}

/** The requested part of a file; null: all of it. Ignores anything except a single byte range. Throws OUT_OF_RANGE. */
export function rangeOf(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  { bytes, etag }: FileFacts,
): ByteRange | null {
  const wanted = rangeIn(range)
  if (wanted === null || (ifRange !== undefined && ifRange !== etag)) return null
  const { from, to } = inBytes(wanted, bytes)
  return { start: from, end: to }
}

/** The Content-Range of a PUT; null: the body is the whole file. Throws VALIDATION_ERROR. */
export function contentRangeOf(headers: IncomingHttpHeaders): ContentRange | null {
  const text = headers['content-range']
  if (text === undefined) return null
  const [, first, last, whole] = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/.exec(text) ?? []
  const total = Number(whole)
  const span = first === undefined ? null : { start: Number(first), end: Number(last) + 1 }
  if (whole === undefined || (span !== null && (span.start >= span.end || span.end > total))) {
    const forms = 'bytes FIRST-LAST/TOTAL, or bytes */TOTAL to ask how many have arrived'
    throw invalid(`Content-Range: expected ${forms}, got ${text.slice(0, 100)}`, 'Content-Range')
  }
  const length = lengthOf(headers)
  const wanted = span === null ? 0 : span.end - span.start
  if (length !== null && length !== wanted) {
    throw invalid(`Content-Length: expected ${wanted}, the length of Content-Range, got ${length}`, 'Content-Length')
  }
  return { span, total }
}

/** The length of the body in bytes; null: it arrives in chunks. */
export function lengthOf({
  'content-length': length,
  'transfer-encoding': encoding,
}: IncomingHttpHeaders): number | null {
  return encoding === undefined ? Number(length ?? 0) : null
}

/** The key that resumes an upload after a dropped connection; null: the upload cannot be resumed. Throws VALIDATION_ERROR. */
export function uploadKeyOf({ 'upload-key': key }: IncomingHttpHeaders): string | null {
  if (key === undefined) return null
  if (typeof key === 'string' && /^[\x21-\x7e]{1,128}$/.test(key)) return key
  throw invalid('Upload-Key: expected 1 to 128 visible ASCII characters', 'Upload-Key')
}

/** The value of Repr-Digest (RFC 9530) for a sha256 in hex. */
export const reprDigest = (sha256: string): string => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`
