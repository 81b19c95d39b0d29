import { chmodSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { NodePhone } from '../../sdk/client-node.ts'
import { writeOut } from './own-streams.ts'
import type { RemotePath } from './remote-path.ts'

/** Whether a path is `-` on this machine: stdin as FROM, stdout as TO. */
export const isStream = ({ remote, path }: RemotePath): boolean => remote === null && path === '-'

/** Stores a stream in a temporary file and copies that, because an upload that resumes reads its data again from any byte. */
export async function withStored<Result>(
  { name, stream, mode }: StreamToStore,
  copy: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-cp-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove) // a signal ends the process
  try {
    const path = join(folder, name)
    await pipeline(stream, createWriteStream(path))
    if (mode !== undefined) chmodSync(path, mode)
    return await copy(path)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

interface StreamToStore {
  /** of the temporary file, which the progress shows */
  name: string
  stream: NodeJS.ReadableStream
  /** its permissions (default: those of a new file) */
  mode?: number
}

/** Writes a file of the phone to stdout. Rejects with PhoneError and OutputError. */
export async function toStdout(files: NodePhone['files'], path: string): Promise<void> {
  for await (const { bytes } of files.get(path)) await writeOut('stdout', bytes)
}
