import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The wanted content and mode of a file. */
export interface WantedFile {
  path: string
  text: string
  mode: number
}

/** The content of a file, or null if it cannot be read. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Replaces a file atomically, because another process may be reading it. Creates its parent directories. */
export function writeWhole({ path, text, mode }: WantedFile): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, text, { mode })
  chmodSync(`${path}.new`, mode)
  renameSync(`${path}.new`, path)
}
