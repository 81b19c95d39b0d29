import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { type FileFacts, type FileType, ShellphoneError } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { checkOpenedPath } from './folder.ts'
import { conflict, withFileErrors } from './file-errors.ts'

const BLOCK_BYTES = 262_144
/** If a pipe or a link replaces the file, opening it neither blocks nor leads elsewhere. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** A regular file that is held open: it stays the same file even if another file gets its name. */
export interface OpenedFile {
  facts: FileFacts
  /** Yields the bytes from `start` up to (not including) `end` in blocks. Throws CONFLICT if the file becomes shorter. */
  pieces(start: number, end: number, hash?: Hash): AsyncGenerator<Buffer>
  /** sha256 in hex, cached until the file changes. Throws if canceled before it has read everything. */
  digest(canceled?: AbortSignal): Promise<string>
  /** The same digest, from a `hash` that has seen the whole file. */
  digestOf(hash: Hash): Promise<string>
  close(): Promise<void>
}

/** Facts about a path, without following links. Throws NOT_FOUND and the other errors of file-errors.ts. */
export const factsAt = (path: string): Promise<FileFacts> =>
  withFileErrors(path, async () => factsOf(await lstat(path, { bigint: true })))

/** The same facts; null: nothing has this path. */
export async function factsIfThere(path: string): Promise<FileFacts | null> {
  try {
    return await factsAt(path)
  } catch (error) {
    if (error instanceof ShellphoneError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** Opens the regular file at `path`, which must contain no links. Throws CONFLICT if it is not a regular file, NOT_FOUND, FORBIDDEN. */
export function openFile(path: string): Promise<OpenedFile> {
  return withFileErrors(path, async () => {
    requireType('file', (await factsAt(path)).type, path) // opening a device may have side effects
    const handle = await open(path, READ_FLAGS)
    try {
      checkOpenedPath(handle.fd, path)
      const facts = factsOf(await handle.stat({ bigint: true }))
      requireType('file', facts.type, path)
      return toOpenedFile(handle, facts, path)
    } catch (error) {
      await handle.close()
      throw error
    }
  })
}

/** Throws CONFLICT with the type that was found instead. */
export function requireType(wanted: FileType, type: FileType, path: string): void {
  if (type !== wanted) throw conflict(`expected a ${wanted}, got a ${type}: ${path}`)
}

function toOpenedFile(handle: FileHandle, facts: FileFacts, path: string): OpenedFile {
  const pieces = (start: number, end: number, hash?: Hash) => piecesOf(handle, start, end, path, hash)
  const digestOf = async (hash: Hash) => {
    const sha256 = hash.digest('hex')
    const after = factsOf(await handle.stat({ bigint: true }))
    if (after.etag === facts.etag) remember(facts, sha256)
    return sha256
  }
  return {
    facts,
    pieces,
    digestOf,
    async digest(canceled) {
      const known = digests.get(facts.etag)
      if (known !== undefined) return known
      return digestOf(await hashOf(handle, facts.bytes, path, canceled))
    },
    close: () => handle.close(),
  }
}

/** Hashes the first `bytes` of a file. Throws if canceled before it has read them. */
export async function hashOf(handle: FileHandle, bytes: number, path: string, canceled?: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256')
  const all = piecesOf(handle, 0, bytes, path, hash)
  while (!(await all.next()).done) {
    if (canceled?.aborted) throw new Error('canceled before the file was read')
  }
  return hash
}

/** Yields the bytes of a file from `start` up to (not including) `end` in blocks. Throws CONFLICT if the file becomes shorter. */
export async function* piecesOf(handle: FileHandle, start: number, end: number, path: string, hash?: Hash) {
  for (let at = start; at < end;) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, end - at))
    const { bytesRead } = await handle.read(block, 0, block.length, at)
    if (bytesRead === 0)
      throw conflict(`expected ${end} bytes, got ${at}, because the file became shorter during the request: ${path}`)
    const piece = block.subarray(0, bytesRead)
    hash?.update(piece)
    at += bytesRead
    yield piece
  }
}

/** Maximum number of cached digests, of the last files that were read completely. */
const MAX_DIGESTS = 256
/** A file that has just changed may change again within the same timestamp. */
const SETTLED_MS = 2_000
const digests = new Map<string, string>()

function remember({ etag, modified_at }: FileFacts, sha256: string): void {
  if (Date.now() - Date.parse(modified_at) < SETTLED_MS) return
  digests.set(etag, sha256)
  if (digests.size > MAX_DIGESTS) digests.delete(digests.keys().next().value!)
}
