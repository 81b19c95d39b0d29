import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new directory, which is removed at the end of the test. */
export function newFolder(t: { teardown(after: () => void): void }, name: string): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), `shellphone-${name}-`)))
  t.teardown(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** The unfinished uploads in a directory. */
export const partsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.part'))
