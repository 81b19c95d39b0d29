import { readFileSync } from 'node:fs'
import { SettingError } from '../../shared/schema/index.ts'

/**
 * The format of the files in the home directory: history, output, tokens, saved approvals, config.yaml. Increase it when an older version would
 * misread a file that this version writes, and upgrade the files of older formats in `openHome`. Homes of 0.1 may have no number; they have format 1.
 */
const HOME_FORMAT = 1

/** Returns whether the home still needs its number in the file `path`. Throws SettingError if a newer version wrote the home. */
export function needsFormat(path: string): boolean {
  const text = readOrNull(path)
  if (text === null || text === '') return true
  const format = /^\d{1,6}\n?$/.test(text) ? Number(text) : 0
  if (format === HOME_FORMAT) return false
  if (format > HOME_FORMAT) {
    throw new SettingError(
      `${path}: expected format ${HOME_FORMAT}, got ${format}, so a newer version has used this home; install that version again, or set SHELLPHONE_HOME to another directory`,
    )
  }
  throw new SettingError(
    `${path}: expected the number ${HOME_FORMAT}, got ${JSON.stringify(text.slice(0, 40))}; restore the file, or delete it`,
  )
}

export const FORMAT_TEXT = `${HOME_FORMAT}\n`

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // a new home, or one of 0.1
  }
}
