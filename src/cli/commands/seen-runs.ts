import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The maximum number of ids that completion offers. */
const MAX_IDS = 50

/** Stores run ids, newest first, in the file that completion scripts read. Never throws. */
export function noteRuns(file: string, ids: string[]): void {
  try {
    const known = read(file)
    const all = [...new Set([...ids, ...known])].sort().reverse().slice(0, MAX_IDS)
    if (all.join() === known.join()) return
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${all.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // completion offers no new ids
  }
}

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return [] // no file yet
  }
}
