import { createHash } from 'node:crypto'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Artifact } from '../../shared/schema/index.ts'
import { READ_FLAGS } from './open-file.ts'

/** The files that a request wants reported. */
interface ArtifactRequest {
  paths: string[]
  /** the directory for relative paths */
  cwd: string
  /** whether the file at this real path (no links in it) may be reported */
  allowed(realPath: string): boolean
  /** limit on all files together; a file beyond it becomes an entry with an error */
  maxBytes: number
}

/** Reports the requested files, in the order of the request, once the command has ended. Never throws: a missing, unreadable or forbidden file becomes an entry with an error. */
export async function artifacts(request: ArtifactRequest): Promise<Artifact[]> {
  const entries: Artifact[] = []
  let left = request.maxBytes
  for (const path of request.paths) {
    const entry: Artifact = { path, ...(await report(path, request, left).catch(toError)) }
    left -= entry.bytes ?? 0
    entries.push(entry)
  }
  return entries
}

const notRegular = { error: 'not a regular file' }

/** The size and sha256 (hex) of a file, or an error. */
async function report(
  path: string,
  { cwd, allowed }: ArtifactRequest,
  maxBytes: number,
): Promise<Omit<Artifact, 'path'>> {
  if (path === '' || path.includes('\0')) return { error: 'not a path' }
  const real = await realpath(resolve(cwd, path))
  if (!allowed(real)) return { error: 'outside the allowed directories' }
  if (!(await lstat(real)).isFile()) return notRegular // opening a device may have side effects
  const handle = await open(real, READ_FLAGS)
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return notRegular
    const digest = stat.size > maxBytes ? null : await digestOf(handle, maxBytes)
    return digest ?? { error: `larger than the ${maxBytes} bytes that remain for artifacts` }
  } finally {
    await handle.close()
  }
}

/** Hashes everything that can be read, because files in /proc have no size. null: more than `maxBytes`. */
async function digestOf(handle: FileHandle, maxBytes: number): Promise<{ bytes: number; sha256: string } | null> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of handle.createReadStream({ start: 0, end: maxBytes, autoClose: false })) {
    bytes += piece.length
    hash.update(piece)
  }
  return bytes > maxBytes ? null : { bytes, sha256: hash.digest('hex') }
}

/** The system's message, without paths. */
const toError = ({ code, message }: NodeJS.ErrnoException) => ({
  error: code === 'ENOENT' ? 'no such file' : message.split(', ')[0]!,
})
