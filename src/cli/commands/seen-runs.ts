import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { visible } from '../../shared/schema/index.ts'

/** The maximum number of ids that completion offers. */
const MAX_IDS = 50
/** The number of characters of a command that completion shows beside its id. */
const MAX_CHARACTERS = 60

interface SeenRun {
  id: string
  command: string
}

/** Stores run ids with the start of their commands, newest first, in the file that completion scripts read: `ID<tab>COMMAND`. Never throws. */
export function noteRuns(file: string, runs: SeenRun[]): void {
  try {
    const known = read(file)
    const lines = new Map([...known.map((line) => [line.split('\t')[0]!, line] as const), ...runs.map(lineOf)])
    const all = [...lines.values()].sort().reverse().slice(0, MAX_IDS)
    if (all.join() === known.join()) return
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${all.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // completion offers no new ids
  }
}

const lineOf = ({ id, command }: SeenRun) =>
  [id, `${id}\t${[...visible(command.replaceAll(/\s+/g, ' '))].slice(0, MAX_CHARACTERS).join('')}`] as const

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return [] // no file yet
  }
}
