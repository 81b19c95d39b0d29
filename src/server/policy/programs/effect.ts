/** What one command does, in words that no program owns: programs tell them, guards judge them. */
import type { Word } from '../script/script.ts'

/** A word that stands for a file. */
export interface PathWord extends Word {
  values: readonly string[] | null // everything that it can be; null: unknown
  certain: boolean // a file whatever it looks like; else only if it looks like one
}

/** Who gets a signal: pids, names or patterns in words; an app, a service, everybody, or pids that come from another command. */
export interface SignalTarget {
  by: 'pid' | 'name' | 'pattern' | 'line' | 'service' | 'app' | 'all' | 'found'
  texts: readonly string[]
}

/** A file that is removed. `narrow`: only what a filter names; `forced`: without asking; `fed`: its name comes from a list. */
export interface Deletes {
  does: 'deletes'
  path: PathWord
  recursive?: boolean
  narrow?: boolean
  forced?: boolean
  fed?: true
  how?: 'moves' | 'hands' | 'code'
}

/** Which of the files below a directory are meant, by shell patterns; left out: all of them. */
export interface Below {
  only?: readonly string[] // their names, or their whole paths where the pattern holds a slash
  except?: readonly string[] // what is skipped, with all that lies below: names or paths
}

export type Effect =
  | { does: 'reads'; path: PathWord; recursive?: boolean; below?: Below; program?: true; names?: true }
  | { does: 'writes'; path: PathWord; redirect?: true; code?: true }
  | Deletes
  | { does: 'permits'; path: PathWord; recursive: boolean; closing: boolean } // `closing`: it takes the owner's own rights away
  | { does: 'formats'; path: PathWord | null } // null: a device that it names in its own way
  | { does: 'images' } // copies raw blocks
  | { does: 'erases' } // a deletion in the manner of DOS
  // prints names of files, those of a whole folder or of those that a filter names; `below`: at any depth
  | { does: 'lists'; path: PathWord; narrow: boolean; below?: Below }
  | { does: 'forks' } // starts processes without end
  // other programs: words or code that the parser follows; 'hidden': it cannot
  | { does: 'runs'; what: 'words' | 'code' | 'input' | 'hidden'; transparent?: boolean; shell?: boolean }
  // code in another language; `data`: one that works on text, like awk's; `hidden`: it can start programs
  | { does: 'runs'; what: 'source'; data: boolean; hidden?: boolean }
  | { does: 'evaluates' | 'sources' | 'privilege' | 'power' | 'contains' }
  | { does: 'network'; shell?: boolean }
  | { does: 'kills'; target: SignalTarget; hard: boolean }
  | { does: 'finds'; target: SignalTarget } // looks for processes: what it prints may be signalled
  | { does: 'installs'; wide: 'user' | 'system'; vital?: boolean } // `vital`: what the service stands on goes
  | { does: 'publishes'; force: boolean }
  | { does: 'discards' } // what cannot be brought back, but is no file that the words name
  | { does: 'harms'; what: 'apps' | 'settings' }
  | { does: 'reveals'; what: 'private' | 'screen' } // what the phone knows of its people, or what its screen shows
  | { does: 'reaches' } // other people: a message, a call
  | { does: 'changes' } // files, packages or state in a way that no path tells
  | { does: 'answers' } // what a person was asked
  | { does: 'steers' } // sets a variable that decides which programs run
  | { does: 'administers' } // system settings, users, mounts, firewalls
  | { does: 'unknown'; what: 'files' | 'names' } // files that nothing tells, or whose names it reads on its input
  | { does: 'prints'; what: 'names' | 'same' | 'changed' } // names of files below where it starts, the lines that it reads, or those changed

/** Files, packages or state in a way that no path tells. */
export const changes: Effect = { does: 'changes' }
/** It starts other programs, which nobody can follow. */
export const hidden: Effect = { does: 'runs', what: 'hidden' }
/** Files that nothing tells. */
export const unknownFiles: Effect = { does: 'unknown', what: 'files' }
export const network: Effect = { does: 'network' }
export const administers: Effect = { does: 'administers' }
export const power: Effect = { does: 'power' }
/** What the phone knows of its people. */
export const reveals: Effect = { does: 'reveals', what: 'private' }
export const harms = (what: 'apps' | 'settings'): Effect => ({ does: 'harms', what })

/** A signal to these; `hard`: which nothing can catch. */
export const signals = (by: SignalTarget['by'], texts: readonly string[], hard = false): Effect => ({
  does: 'kills',
  target: { by, texts },
  hard,
})
/** Looks for these. */
export const finds = (by: SignalTarget['by'], texts: readonly string[]): Effect => ({
  does: 'finds',
  target: { by, texts },
})

/** These effects where it is so, else none. */
export const when = (so: boolean, ...effects: readonly Effect[]): readonly Effect[] => (so ? effects : [])
