import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '../../server/host/index.ts'
import { UsageError } from '../../shared/schema/index.ts'

/** `shellphone man --directory PATH`: writes the manual pages. Throws UsageError if they cannot be written. */
export function writeManual(directory: string, pages: Record<string, string>): void {
  try {
    makeDirectory(directory)
    for (const [file, text] of Object.entries(pages)) writeFileSync(join(directory, file), text)
  } catch (error) {
    throw new UsageError(`man: cannot write to ${directory}: ${(error as Error).message}; choose another --directory`)
  }
}
