import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A file as it should be. */
export interface WantedFile {
  path: string
  text: string
  mode: number
}

/** Its text; null: it is not there. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** A whole file or none, with the folders above it: somebody may be reading the one that is there. */
export function writeWhole({ path, text, mode }: WantedFile): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, text, { mode })
  chmodSync(`${path}.new`, mode)
  renameSync(`${path}.new`, path)
}
