import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { FileFacts } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { openFolder } from './folder.ts'
import { withFileErrors } from './file-errors.ts'

/** Removes a file, a link (not its target) or an empty directory. `checkFacts` throws if it is not the file that the caller meant. */
export function removeFile(path: string, checkFacts: (facts: FileFacts) => void): Promise<void> {
  return withFileErrors(path, async () => {
    const folder = openFolder(dirname(path))
    try {
      // synchronous, so that no other request can run between the check and the removal
      const target = folder.at(basename(path))
      const facts = factsOf(lstatSync(target, { bigint: true }))
      checkFacts(facts)
      if (facts.type === 'directory') rmdirSync(target)
      else unlinkSync(target)
      await folder.flush()
    } finally {
      folder.close()
    }
  })
}
