import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { Artifact } from '../schema/index.ts'
import { isMissing, reasonOf } from './folder.ts'

const BLOCK_BYTES = 1_048_576
/** Should the file turn into a pipe meanwhile, opening it must not wait. */
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW

interface ArtifactRequest {
  paths: string[]
  /** where relative paths begin */
  cwd: string
  /** may the file at this real path (no links in it) be reported? */
  allowed(realPath: string): boolean
  /** paths beyond `maxCount`, and what does not fit into `maxBytes` of all files together, are entries with an error */
  limits: { maxCount: number; maxBytes: number }
}

/** Size and sha256 (hex), block by block; a file that grows is read to `maxBytes` at most. */
async function digestFile(handle: FileHandle, maxBytes: number) {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  for (let bytes = 0; ;) {
    const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    bytes += bytesRead
    if (bytes > maxBytes) return null
    hash.update(block.subarray(0, bytesRead))
  }
}

async function report(file: string, request: ArtifactRequest, maxBytes: number): Promise<Artifact> {
  const realPath = await realpath(path.resolve(request.cwd, file))
  if (!request.allowed(realPath)) return { path: file, error: 'outside of the allowed folders' }
  if (!(await lstat(realPath)).isFile()) return { path: file, error: 'not a regular file' }
  const handle = await open(realPath, FLAGS)
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return { path: file, error: 'not a regular file' }
    const digest = stat.size > maxBytes ? null : await digestFile(handle, maxBytes)
    return { path: file, ...(digest ?? { error: `larger than the ${maxBytes} bytes that are left for artifacts` }) }
  } finally {
    await handle.close()
  }
}

async function reportOrError(file: string, request: ArtifactRequest, maxBytes: number): Promise<Artifact> {
  if (file === '' || file.includes('\0')) return { path: file, error: 'not a path' }
  try {
    return await report(file, request, maxBytes)
  } catch (error) {
    return { path: file, error: isMissing(error) ? 'no such file' : reasonOf(error) }
  }
}

/** The files that a request asked for, in its order, when the command has ended. Never throws: what is missing, unreadable or out of scope is an entry with an error. */
export async function artifacts(request: ArtifactRequest): Promise<Artifact[]> {
  const { paths, limits } = request
  const entries: Artifact[] = []
  let left = limits.maxBytes
  for (const [index, file] of paths.entries()) {
    const entry =
      index < limits.maxCount
        ? await reportOrError(file, request, left)
        : { path: file, error: `more than ${limits.maxCount} artifacts were asked for` }
    left -= entry.bytes ?? 0
    entries.push(entry)
  }
  return entries
}
