import { constants, linkSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ShellphoneError } from '../../shared/schema/index.ts'
import type { OldContent } from './content.ts'
import { tooLarge, withFileErrors } from './file-errors.ts'
import { type Folder, openFolder } from './folder.ts'
import type { Upload, Uploads } from './uploads.ts'
import { modeOf, refuseMode, replaceable, replaceableMode, writeAll } from './write.ts'

/** A file with its content before and after a change. */
export interface ContentChange {
  path: string
  /** null: the file is new */
  before: OldContent | null
  /** null: the file is removed */
  after: Buffer | null
  /** permissions; null: those of the replaced file, or those that the umask allows */
  mode: number | null
}

interface ChangeOptions {
  /** a larger file throws TOO_LARGE; null: no limit */
  maxBytes: number | null
  canceled: AbortSignal
}

/** A change whose new content is on disk under a temporary name. */
interface StagedChange extends ContentChange {
  folder: Folder
  name: string
  /** the new content; null: the file is removed */
  upload: Upload | null
  /** a second name for the old content, from which it can be restored; null: it needs none */
  backup: Upload | null
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants

/**
 * Makes all changes or none. Writes each new content under a temporary name and flushes it. Then, in one turn of the event loop, checks that
 * no file has changed since it was read, and renames all of them; if a rename fails, restores the files before it. Throws
 * PRECONDITION_FAILED if a file has changed.
 */
export async function changeFiles(changes: ContentChange[], uploads: Uploads, options: ChangeOptions): Promise<void> {
  const staged: StagedChange[] = []
  try {
    for (const change of changes) staged.push(await stage(change, uploads, options))
    if (changes.length > 1) for (const one of staged) one.backup = await reserveBackup(one, uploads)
    if (options.canceled.aborted) throw new Error('canceled before the files were complete')
    const failure = commit(staged)
    if (failure) await withFileErrors(failure.path, () => Promise.reject(failure.error))
    for (const { folder } of staged) await folder.flush()
  } finally {
    for (const { upload, backup, folder } of staged) {
      if (upload) uploads.end(upload)
      if (backup) uploads.end(backup)
      folder.close()
    }
  }
}

async function stage(change: ContentChange, uploads: Uploads, options: ChangeOptions): Promise<StagedChange> {
  const { path, after } = change
  const directory = dirname(path)
  const folder = await withFileErrors(directory, () => openFolder(directory))
  try {
    const upload =
      after && (await withFileErrors(path, () => writeTemporary(folder, { ...change, after }, uploads, options)))
    return { ...change, folder, name: basename(path), upload, backup: null }
  } catch (error) {
    folder.close()
    throw error
  }
}

async function writeTemporary(
  folder: Folder,
  { path, after, mode: wanted }: ContentChange & { after: Buffer },
  uploads: Uploads,
  { maxBytes }: ChangeOptions,
): Promise<Upload> {
  if (maxBytes !== null && after.length > maxBytes) throw tooLarge(maxBytes)
  const upload = await uploads.begin(null, folder.path, () => {})
  let handle: FileHandle | null = null
  try {
    handle = await open(folder.at(basename(upload.temporary)), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    await writeAll(handle, after, 0)
    const mode = wanted ?? replaceableMode(folder, path)
    if (mode !== null) await handle.chmod(mode).catch((error) => refuseMode(error, wanted))
    await handle.sync()
    return upload
  } catch (error) {
    uploads.end(upload)
    throw error
  } finally {
    await handle?.close()
  }
}

/** Reserves a second name for the old content of a file; null: the file is new. */
const reserveBackup = async ({ before, folder }: ContentChange & { folder: Folder }, uploads: Uploads) =>
  before && (await uploads.begin(null, folder.path, () => {}))

/** Gives the old content its second name, or writes it there if the file system has no hard links. */
function backUp({ before, folder, name, backup }: StagedChange): void {
  if (before === null || backup === null) return
  const at = folder.at(basename(backup.temporary))
  try {
    linkSync(folder.at(name), at)
  } catch {
    writeFileSync(at, before.bytes!, { flag: 'wx', mode: modeOf(before.facts) })
  }
}

/** Checks and renames all files; returns the failure, after restoring the files that were already changed, or null. */
function commit(staged: StagedChange[]): { path: string; error: unknown } | null {
  const done: StagedChange[] = []
  let path = ''
  try {
    for (const step of [checkUnchanged, backUp, replace]) {
      for (const one of staged) {
        path = one.path
        step(one)
        if (step === replace) done.push(one)
      }
    }
    return null
  } catch (error) {
    for (const one of done.reverse()) restore(one)
    return { path, error }
  }
}

function replace({ folder, name, upload }: StagedChange): void {
  if (upload) renameSync(folder.at(basename(upload.temporary)), folder.at(name))
  else unlinkSync(folder.at(name))
}

function restore({ folder, name, backup }: StagedChange): void {
  try {
    if (backup) renameSync(folder.at(basename(backup.temporary)), folder.at(name))
    else unlinkSync(folder.at(name))
  } catch {
    // the disk refuses; the error of the change reports the reason
  }
}

/** Throws PRECONDITION_FAILED unless the file is still the one that was read. */
function checkUnchanged({ folder, path, before }: StagedChange): void {
  const now = replaceable(folder, path)
  if (now?.etag === before?.facts.etag) return
  throw new ShellphoneError('PRECONDITION_FAILED', `path: changed during the request; read it again: ${path}`, {
    field: 'path',
  })
}
