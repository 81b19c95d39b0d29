import { lstat, opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry, FileList } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { openFolder, type Folder } from './folder.ts'
import { withFileErrors } from './file-errors.ts'

export interface Page {
  /** the maximum number of names in the page */
  limit: number
  /** only names that sort after this one */
  after: string
}

/** Returns a page of a directory, sorted by name, using bounded memory even if it has many names. `hides`: whether to omit a path. */
export function listFolder(path: string, { limit, after }: Page, hides: (path: string) => boolean): Promise<FileList> {
  return withFileErrors(path, async () => {
    const folder = openFolder(path)
    try {
      const isShown = (name: string) => name > after && !hides(join(path, name))
      const names = await firstNames(folder, limit + 1, isShown)
      const shown = names.slice(0, limit)
      const entries = (await Promise.all(shown.map((name) => entryOf(folder, name)))).filter((entry) => entry !== null)
      return { path, entries, next: names.length > limit ? shown.at(-1)! : null }
    } finally {
      folder.close()
    }
  })
}

/** The first `count` names in order. */
async function firstNames(folder: Folder, count: number, isShown: (name: string) => boolean): Promise<string[]> {
  let names: string[] = []
  for await (const { name } of await opendir(folder.at('.'))) {
    if (!isShown(name)) continue
    names.push(name)
    if (names.length > count * 2) names = names.sort().slice(0, count)
  }
  return names.sort().slice(0, count)
}

/** The entry for a name; null: it has been removed, or its name is not UTF-8. */
async function entryOf(folder: Folder, name: string): Promise<FileEntry | null> {
  try {
    const facts = factsOf(await lstat(folder.at(name), { bigint: true }))
    return facts.type === 'symlink' ? { name, ...facts, target: await readlink(folder.at(name)) } : { name, ...facts }
  } catch {
    return null
  }
}
