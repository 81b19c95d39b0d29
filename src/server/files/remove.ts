import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { FileFacts } from '../../shared/schema/index.ts'
import { factsOf } from './facts.ts'
import { openFolder } from './folder.ts'
import { telling } from './file-errors.ts'

/** Takes a name away: that of a file, a link (not what it leads to), an empty directory. `mayGo` throws where it is not the one that was meant. */
export function removeFile(path: string, mayGo: (facts: FileFacts) => void): Promise<void> {
  return telling(path, async () => {
    const folder = openFolder(dirname(path))
    try {
      // at once: nobody comes between the look and the deed
      const there = folder.at(basename(path))
      const facts = factsOf(lstatSync(there, { bigint: true }))
      mayGo(facts)
      if (facts.type === 'directory') rmdirSync(there)
      else unlinkSync(there)
      await folder.flush()
    } finally {
      folder.close()
    }
  })
}
