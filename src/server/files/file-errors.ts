import { type ErrorCode, note, type Note, ShellphoneError } from '../../shared/schema/index.ts'

/** The error and message for each system error of a file operation. To support another code, add a row. */
const rows: Record<string, [code: ErrorCode, message: string]> = {
  ENOENT: ['NOT_FOUND', 'no such file or directory'],
  ENOTDIR: ['NOT_FOUND', 'a part of the path is not a directory'],
  ENAMETOOLONG: ['VALIDATION_ERROR', 'name too long (at most 255 bytes for each name, 4095 for the path)'],
  EINVAL: ['VALIDATION_ERROR', 'this file system does not accept the name'],
  ELOOP: ['CONFLICT', 'too many symbolic links'],
  EACCES: ['FORBIDDEN', 'permission denied'],
  EPERM: ['FORBIDDEN', 'permission denied'],
  EROFS: ['FORBIDDEN', 'read-only file system'],
  ENOSPC: ['INSUFFICIENT_STORAGE', 'the disk is full; the existing file is unchanged'],
  EDQUOT: ['INSUFFICIENT_STORAGE', 'the disk quota is used up; the existing file is unchanged'],
  EFBIG: ['TOO_LARGE', 'too large for this file system'],
  EISDIR: ['CONFLICT', 'is a directory, not a file'],
  ENOTEMPTY: ['CONFLICT', 'directory not empty'],
  EEXIST: ['CONFLICT', 'already exists'],
  EBUSY: ['CONFLICT', 'in use by the system'],
  ETXTBSY: ['CONFLICT', 'in use by the system'],
  EXDEV: ['CONFLICT', 'another file system is mounted below it'],
  EMFILE: ['POOL_FULL', 'too many open files'],
  ENFILE: ['POOL_FULL', 'too many open files'],
}

/** Runs `work` and turns a system error about `path` into a ShellphoneError; rethrows every other error. */
export async function withFileErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const [code, message] = rows[(error as NodeJS.ErrnoException).code ?? ''] ?? []
    if (code === undefined || error instanceof ShellphoneError) throw error
    throw new ShellphoneError(code, `path: ${message}: ${path}`, { field: 'path' })
  }
}

const MAX_LISTED = 5

/** The names that were skipped: counts all of them and lists the first few. */
export class SkippedNames {
  #count = 0
  readonly #listed: string[] = []

  push(name: string): void {
    if (++this.#count <= MAX_LISTED) this.#listed.push(name)
  }

  /** empty if nothing was skipped */
  notes(): Note[] {
    return this.#count === 0 ? [] : [note('LEFT_OUT', this.#count, this.#listed)]
  }
}

/** The error for a file that is larger than the limit. */
export const tooLarge = (maxBytes: number) =>
  new ShellphoneError(
    'TOO_LARGE',
    `body: expected at most ${maxBytes} bytes (setting limit_file_size_bytes), got more`,
    {
      field: 'body',
    },
  )

export const conflict = (message: string) => new ShellphoneError('CONFLICT', `path: ${message}`, { field: 'path' })
