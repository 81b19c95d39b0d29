import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import type { ScriptFile } from '../schema/index.ts'

/** A longer script is not read; the guards say then that they do not know it. */
const MAX_SCRIPT_BYTES = 262_144

/** Reads the script files of one command for the guards, and remembers what it read, for an approval to be bound to. */
export interface ScriptFiles {
  /** null: none, no regular file, too long, or not to be read */
  read(path: string): string | null
  /** what was read, by path */
  seen(): ScriptFile[]
}

export function createScriptFiles(): ScriptFiles {
  const seen = new Map<string, string>()
  return {
    read(path) {
      const content = contentOf(path)
      if (content !== null) seen.set(path, sha256(content))
      return content === null ? null : content.toString()
    },
    seen: () => [...seen].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

/** Is the file no longer what it was? */
export function isChanged({ path, sha256: before }: ScriptFile): boolean {
  const content = contentOf(path)
  return content === null || sha256(content) !== before
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** Opening a pipe must not wait for its writer. */
function contentOf(path: string): Buffer | null {
  let descriptor: number | null = null
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    return stat.isFile() && stat.size <= MAX_SCRIPT_BYTES ? readFileSync(descriptor) : null
  } catch {
    return null // whatever the reason, nothing can be said of it
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}
