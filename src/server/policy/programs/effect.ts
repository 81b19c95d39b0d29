/** The effects of a command, independent of the program. Rows of programs create effects, and guards judge them. */
import type { Word } from '../script/script.ts'

/** A word that names a file. */
export interface PathWord extends Word {
  values: readonly string[] | null // all possible values; null: unknown
  certain: boolean // true: the word always names a file; false: only if it looks like a path
}

/** The target of a signal: pids, names, patterns, a service, an app, all processes, or pids that another command prints. */
export interface SignalTarget {
  by: 'pid' | 'name' | 'pattern' | 'line' | 'service' | 'app' | 'all' | 'found'
  texts: readonly string[]
}

/** A deletion. `narrow`: only files that match the filter `below`; `forced`: without confirmation; `fed`: the name comes from a list. */
export interface DeleteEffect {
  does: 'deletes'
  path: PathWord
  recursive?: boolean
  narrow?: boolean
  forced?: boolean
  fed?: true
  below?: FileFilter
  how?: 'moves' | 'hands' | 'code'
}

/** Shell patterns that select files below a directory; without patterns, all files. */
export interface FileFilter {
  only?: readonly string[] // names, or whole paths if the pattern contains a slash
  except?: readonly string[] // names or paths that are skipped, with everything below them
  depth?: number // the number of levels below the directory; absent: all
}

export type Effect =
  | { does: 'reads'; path: PathWord; recursive?: boolean; below?: FileFilter; program?: true; names?: true }
  | { does: 'writes'; path: PathWord; redirect?: true; code?: true }
  | DeleteEffect
  | { does: 'permits'; path: PathWord; recursive: boolean; closing: boolean } // `closing`: removes the owner's own permissions
  | { does: 'formats'; path: PathWord | null } // null: a device that the program names in its own notation
  | { does: 'images' } // copies raw blocks
  | { does: 'erases' } // a DOS-style forced deletion: del /f
  // prints file names of a directory; `narrow`: only those that match a filter; `below`: at any depth
  | { does: 'lists'; path: PathWord; narrow: boolean; below?: FileFilter }
  | { does: 'forks' } // starts processes in an endless loop
  // runs other programs: words or code that the parser analyses; 'hidden': programs that it cannot determine
  | { does: 'runs'; what: 'words' | 'code' | 'input' | 'hidden'; transparent?: boolean; shell?: boolean }
  // runs code in another language; `data`: a language for text processing, such as awk; `hidden`: the code can start programs
  | { does: 'runs'; what: 'source'; data: boolean; hidden?: boolean }
  | { does: 'evaluates' | 'sources' | 'privilege' | 'power' | 'contains' }
  | { does: 'network'; shell?: boolean }
  | { does: 'kills'; target: SignalTarget; hard: boolean }
  | { does: 'finds'; target: SignalTarget } // searches for processes, whose pids may then be signalled
  | { does: 'installs'; wide: 'user' | 'system'; vital?: boolean } // `vital`: removes packages that the service depends on
  | { does: 'publishes'; force: boolean }
  | { does: 'discards' } // destroys data that no path in the command shows
  | { does: 'harms'; what: 'apps' | 'settings' }
  | { does: 'reveals'; what: 'private' | 'screen' } // reads private data on the phone, or what its screen shows
  | { does: 'reaches' } // contacts other people by message or call
  | { does: 'changes' } // changes files, packages or state that no path in the command shows
  | { does: 'answers' } // answers approval requests
  | { does: 'grants' } // manages the tokens of the service, or changes its settings
  | { does: 'steers' } // sets a variable that decides which programs run
  | { does: 'administers' } // changes system settings, users, mounts or firewalls
  | { does: 'unknown'; what: 'files' | 'names' } // uses files that the parser cannot determine, or whose names the command reads from stdin
  // prints names of files below the start directory, the lines that it reads, changed lines, or names of disks
  | { does: 'prints'; what: 'names' | 'same' | 'changed' | 'devices' }

/** Changes files, packages or state that no path in the command shows. */
export const changes: Effect = { does: 'changes' }
/** Starts other programs that the parser cannot determine. */
export const hidden: Effect = { does: 'runs', what: 'hidden' }
/** Uses files that the parser cannot determine. */
export const unknownFiles: Effect = { does: 'unknown', what: 'files' }
export const network: Effect = { does: 'network' }
export const administers: Effect = { does: 'administers' }
export const power: Effect = { does: 'power' }
/** Reads private data on the phone. */
export const reveals: Effect = { does: 'reveals', what: 'private' }
export const harms = (what: 'apps' | 'settings'): Effect => ({ does: 'harms', what })

/** Sends a signal. `hard`: a process cannot catch it. */
export const signals = (by: SignalTarget['by'], texts: readonly string[], hard = false): Effect => ({
  does: 'kills',
  target: { by, texts },
  hard,
})
/** Searches for processes. */
export const finds = (by: SignalTarget['by'], texts: readonly string[]): Effect => ({
  does: 'finds',
  target: { by, texts },
})

/** Returns the effects if the condition holds, otherwise none. */
export const when = (so: boolean, ...effects: readonly Effect[]): readonly Effect[] => (so ? effects : [])
