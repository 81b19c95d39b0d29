import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import type { FileFacts, FileType } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { checkPlace } from './folder.ts'
import { conflict, telling } from './file-errors.ts'

const BLOCK_BYTES = 262_144
/** Should a pipe or a link come in its place, opening it neither waits nor leads elsewhere. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/** A regular file that is held open: it stays the same file, whatever comes under its name. */
export interface OpenedFile {
  facts: FileFacts
  /** Its bytes from `start` up to `end`, block by block; throws CONFLICT where it becomes shorter meanwhile. */
  pieces(start: number, end: number, hash?: Hash): AsyncGenerator<Buffer>
  /** sha256 in hex; what was read once is remembered until the file changes. Throws where it is canceled before it has read all. */
  digest(canceled?: AbortSignal): Promise<string>
  /** The same, where `hash` has seen all of it. */
  digestOf(hash: Hash): Promise<string>
  close(): Promise<void>
}

/** What stands at a path, links not followed. Throws NOT_FOUND and the like. */
export const factsAt = (path: string): Promise<FileFacts> =>
  telling(path, async () => factsOf(await lstat(path, { bigint: true })))

/** Opens the regular file at `path`, which has no link on its way. Throws CONFLICT where it is none, NOT_FOUND, FORBIDDEN. */
export function openFile(path: string): Promise<OpenedFile> {
  return telling(path, async () => {
    mustBe('file', (await factsAt(path)).type, path) // to open a device may do something
    const handle = await open(path, READ_FLAGS)
    try {
      checkPlace(handle.fd, path)
      const facts = factsOf(await handle.stat({ bigint: true }))
      mustBe('file', facts.type, path)
      return opened(handle, facts, path)
    } catch (error) {
      await handle.close()
      throw error
    }
  })
}

/** Throws CONFLICT that says what is there instead. */
export function mustBe(wanted: FileType, type: FileType, path: string): void {
  if (type !== wanted) throw conflict(`expected a ${wanted}, got a ${type}: ${path}`)
}

function opened(handle: FileHandle, facts: FileFacts, path: string): OpenedFile {
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

/** Of the first `bytes` of a file. Throws where it is canceled before it has read all. */
export async function hashOf(handle: FileHandle, bytes: number, path: string, canceled?: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256')
  const all = piecesOf(handle, 0, bytes, path, hash)
  while (!(await all.next()).done) {
    if (canceled?.aborted) throw new Error('canceled before it was read')
  }
  return hash
}

/** The bytes of a file from `start` up to `end`, block by block; throws CONFLICT where it becomes shorter meanwhile. */
export async function* piecesOf(handle: FileHandle, start: number, end: number, path: string, hash?: Hash) {
  for (let at = start; at < end;) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, end - at))
    const { bytesRead } = await handle.read(block, 0, block.length, at)
    if (bytesRead === 0) throw conflict(`expected ${end} bytes, got ${at}: it became shorter meanwhile: ${path}`)
    const piece = block.subarray(0, bytesRead)
    hash?.update(piece)
    at += bytesRead
    yield piece
  }
}

/** Digests of the last files that were read whole. */
const MAX_DIGESTS = 256
/** A file that was changed just now may change again without another time. */
const SETTLED_MS = 2_000
const digests = new Map<string, string>()

function remember({ etag, modified_at }: FileFacts, sha256: string): void {
  if (Date.now() - Date.parse(modified_at) < SETTLED_MS) return
  digests.set(etag, sha256)
  if (digests.size > MAX_DIGESTS) digests.delete(digests.keys().next().value!)
}
