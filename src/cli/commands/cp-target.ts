import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { lstat, realpath, rename, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { temporaryIn } from '../../server/files/index.ts'
import { ClientError } from './connect-service.ts'

/** What a downloaded file is written to. */
interface CopyTarget {
  /** where the bytes wait until all have come */
  folder: string
  /** Gives the target what `temporary` holds. */
  fill(temporary: string): Promise<void>
}

/** A regular file is replaced in one step, also the one that a link points to; a device or a FIFO is written to. Throws ClientError. */
export async function copyTarget(to: string): Promise<CopyTarget> {
  const found = await stat(to).catch(() => null)
  if (found && !found.isFile()) {
    return { folder: tmpdir(), fill: (temporary) => pipeline(createReadStream(temporary), createWriteStream(to)) }
  }
  const isDangling = !found && (await lstat(to).catch(() => null)) !== null
  if (isDangling) throw new ClientError(`${to}: expected a file or a free name, got a link that points nowhere`)
  const file = found ? await realpath(to) : to
  return { folder: dirname(file), fill: (temporary) => rename(temporary, file) }
}

/** Lends a name for what is not whole yet; nothing has it any more once `work` is over, or the process exits. */
export async function withTemporary<T>(folder: string, work: (temporary: string) => Promise<T>): Promise<T> {
  const temporary = temporaryIn(folder)
  const remove = () => rmSync(temporary, { force: true })
  process.once('exit', remove)
  try {
    return await work(temporary)
  } finally {
    process.off('exit', remove)
    remove()
  }
}
