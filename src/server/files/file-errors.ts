import { type ErrorCode, note, type Note, ShellphoneError } from '../../shared/schema/index.ts'

/** What the system says of a path, in our words. To know one more, add a row. */
const rows: Record<string, [code: ErrorCode, words: string]> = {
  ENOENT: ['NOT_FOUND', 'expected something there, got no such name'],
  ENOTDIR: ['NOT_FOUND', 'expected directories on the way to it, got something else'],
  ENAMETOOLONG: ['VALIDATION_ERROR', 'expected names of at most 255 bytes, and 4095 in all'],
  EINVAL: ['VALIDATION_ERROR', 'expected a name that this file system takes'],
  ELOOP: ['CONFLICT', 'expected what the links led to, got another link'],
  EACCES: ['FORBIDDEN', 'the system does not permit it'],
  EPERM: ['FORBIDDEN', 'the system does not permit it'],
  EROFS: ['FORBIDDEN', 'the file system is read-only'],
  ENOSPC: ['INSUFFICIENT_STORAGE', 'the disk is full; what had that name is as it was'],
  EDQUOT: ['INSUFFICIENT_STORAGE', 'the quota of the disk is used up; what had that name is as it was'],
  EFBIG: ['TOO_LARGE', 'the file system takes no file of this size'],
  EISDIR: ['CONFLICT', 'expected a file, got a directory'],
  ENOTEMPTY: ['CONFLICT', 'expected an empty directory, got one that holds something'],
  EEXIST: ['CONFLICT', 'expected nothing there, got something'],
  EBUSY: ['CONFLICT', 'the system uses it'],
  ETXTBSY: ['CONFLICT', 'the system uses it'],
  EXDEV: ['CONFLICT', 'expected one file system, got another below it'],
  EMFILE: ['POOL_FULL', 'too many files are open'],
  ENFILE: ['POOL_FULL', 'too many files are open'],
}

/** Does it, and tells what the system says about this path as a ShellphoneError. */
export async function telling<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const [code, words] = rows[(error as NodeJS.ErrnoException).code ?? ''] ?? []
    if (code === undefined || error instanceof ShellphoneError) throw error
    throw new ShellphoneError(code, `path: ${words}: ${path}`, { field: 'path' })
  }
}

const MAX_SKIPPED_TOLD = 5

/** Names that were left out: all are counted, the first are told. */
export class LeftOut {
  #count = 0
  readonly #told: string[] = []

  push(name: string): void {
    if (++this.#count <= MAX_SKIPPED_TOLD) this.#told.push(name)
  }

  /** none where nothing was */
  notes(): Note[] {
    return this.#count === 0 ? [] : [note('LEFT_OUT', this.#count, this.#told)]
  }
}

/** A file of more bytes than one may have. */
export const tooLarge = (maxBytes: number) =>
  new ShellphoneError('TOO_LARGE', `body: larger than the setting limit_file_size_bytes, ${maxBytes}`, {
    field: 'body',
  })

export const conflict = (message: string) => new ShellphoneError('CONFLICT', `path: ${message}`, { field: 'path' })
