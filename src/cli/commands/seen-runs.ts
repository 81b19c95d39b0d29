import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** So many are offered at a Tab. */
const MAX_IDS = 50

/** Notes ids of runs, newest first, where completion scripts find them without asking anybody. */
export function noteRuns(file: string, ids: string[]): void {
  try {
    const known = read(file)
    const all = [...new Set([...ids, ...known])].sort().reverse().slice(0, MAX_IDS)
    if (all.join() === known.join()) return
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${all.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // then nothing is offered
  }
}

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return [] // the first
  }
}
