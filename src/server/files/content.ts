import { createHash } from 'node:crypto'
import { type FileFacts, invalid, MAX_CONTENT_BYTES, ShellphoneError, shortHash } from '../../shared/schema/index.ts'
import { factsIfThere, type OpenedFile, openFile } from './open-file.ts'

/** A NUL character in the first bytes of a file shows that it contains no text, as for Git. */
export const BINARY_BYTES = 8192

/** The content of an existing file before a change. */
export interface OldContent {
  facts: FileFacts
  /** see `contentHash` */
  hash: string
  /** null: the file is larger than MAX_CONTENT_BYTES, and only its hash was read */
  bytes: Buffer | null
}

/** A file's content as text, in the form in which people and models see it. */
export interface Text {
  /** without a BOM; in a file whose lines all end with CR LF, the lines end with LF */
  text: string
  hasBom: boolean
  isCrlf: boolean
}

export const contentHash = (bytes: Buffer): string => shortHash(createHash('sha256').update(bytes).digest('hex'))

/** Reads the file at `path`; null: no such file. Throws VALIDATION_ERROR if something else has the name. */
export async function readOld(path: string, canceled: AbortSignal): Promise<OldContent | null> {
  const known = await factsIfThere(path)
  if (known === null) return null
  checkRegular(known, path)
  const file = await openFile(path)
  try {
    const { facts } = file
    if (facts.bytes > MAX_CONTENT_BYTES) return { facts, hash: shortHash(await file.digest(canceled)), bytes: null }
    const bytes = await bytesOf(file)
    return { facts, hash: contentHash(bytes), bytes }
  } finally {
    await file.close()
  }
}

/** Reads a whole file, up to the size that it had when it was opened. */
export async function bytesOf({ facts, pieces }: OpenedFile): Promise<Buffer> {
  const found: Buffer[] = []
  for await (const piece of pieces(0, facts.bytes)) found.push(piece)
  return Buffer.concat(found)
}

/** Throws VALIDATION_ERROR unless it is a regular file: reading a pipe or a device may block or have side effects. */
export function checkRegular({ type }: FileFacts, path: string): void {
  if (type !== 'file') throw invalid(`path: expected a file, got a ${type}: ${path}`, 'path')
}

/** Throws UNSUPPORTED_MEDIA_TYPE if the first bytes of a file contain a NUL character. */
export function checkNotBinary(start: Buffer, path: string): void {
  const at = start.subarray(0, BINARY_BYTES).indexOf(0)
  if (at >= 0) throw noText(`expected text, got a NUL character at byte ${at}: ${path}`)
}

export const noText = (message: string) =>
  new ShellphoneError('UNSUPPORTED_MEDIA_TYPE', `path: ${message}`, { field: 'path' })

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const BOM = '\ufeff'

/** Converts bytes to text. Throws UNSUPPORTED_MEDIA_TYPE if they contain a NUL character near the start or are not UTF-8. */
export function toText(bytes: Buffer, path: string): Text {
  checkNotBinary(bytes, path)
  const whole = decode(bytes, path)
  const hasBom = whole.startsWith(BOM)
  const text = hasBom ? whole.slice(1) : whole
  const isCrlf = eolOf(text) === 'crlf'
  return { text: isCrlf ? text.replaceAll('\r\n', '\n') : text, hasBom, isCrlf }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw noText(`expected UTF-8 text: ${path}`)
  }
}

/** Converts text back to bytes, with the line endings and the BOM of the file. */
export function toBytes({ text, hasBom, isCrlf }: Text): Buffer {
  return Buffer.from((hasBom ? BOM : '') + (isCrlf ? text.replaceAll('\n', '\r\n') : text))
}

/** How the lines of a text end; null: no line has an end. A text in which both occur is mixed. */
export function eolOf(text: string): 'lf' | 'crlf' | 'mixed' | null {
  const all = text.split('\n').length - 1
  const crlf = text.split('\r\n').length - 1
  return eolFrom(all, crlf)
}

/** The same from the number of line feeds, and of those after a carriage return. */
export function eolFrom(lineFeeds: number, afterReturns: number): ReturnType<typeof eolOf> {
  if (lineFeeds === 0) return null
  if (afterReturns === 0) return 'lf'
  return afterReturns === lineFeeds ? 'crlf' : 'mixed'
}
