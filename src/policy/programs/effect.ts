/** What one command does, in words that no program owns: programs tell them, guards judge them. */

/** A word that stands for a file, with everything that it can be. */
export interface PathWord {
  /** null: unknown */
  values: readonly string[] | null
  /** its known beginning */
  prefix: string
  glob: boolean
  /** it can become no word, or several */
  splits: boolean
  source: string
  /** a file whatever it looks like; else only if it looks like one */
  certain: boolean
}

/** Who gets a signal: pids, names or patterns in words; an app, a service, everybody, or pids that come from another command. */
export interface Target {
  by: 'pid' | 'name' | 'pattern' | 'line' | 'filter' | 'service' | 'app' | 'all' | 'found'
  texts: readonly string[]
}

export type Effect =
  | { does: 'reads'; path: PathWord; recursive?: boolean; program?: true; names?: true }
  | { does: 'writes'; path: PathWord; redirect?: true; code?: true }
  /** `narrow`: only what a filter names; `forced`: without asking */
  | {
      does: 'deletes'
      path: PathWord
      recursive?: boolean
      narrow?: boolean
      forced?: boolean
      fed?: true
      how?: 'moves' | 'hands' | 'code'
    }
  /** owner or permissions; `closing`: it takes the owner's own away */
  | { does: 'permits'; path: PathWord; recursive: boolean; closing: boolean }
  /** a file system or partition table; null: a device that it names in its own way */
  | { does: 'formats'; path: PathWord | null }
  /** copies raw blocks */
  | { does: 'images' }
  /** a deletion in the manner of DOS */
  | { does: 'erases' }
  /** prints names of files, those of a whole folder or of those that a filter names */
  | { does: 'lists'; path: PathWord; narrow: boolean }
  /** starts processes without end */
  | { does: 'forks' }
  /** other programs: words or code that the parser follows; 'hidden': it cannot */
  | { does: 'runs'; what: 'words' | 'code' | 'input' | 'hidden'; transparent?: boolean; shell?: boolean }
  /** code in another language; `data`: one that works on text, like awk's; `hidden`: it can start programs */
  | { does: 'runs'; what: 'source'; data: boolean; hidden?: boolean }
  | { does: 'evaluates' }
  | { does: 'sources' }
  | { does: 'network'; shell?: boolean }
  | { does: 'privilege' }
  | { does: 'power' }
  | { does: 'kills'; target: Target; hard: boolean }
  /** looks for processes: what it prints may be signalled */
  | { does: 'finds'; target: Target }
  /** packages or modules; `wide`: for the user or the whole system; `vital`: what the service stands on goes */
  | { does: 'installs'; wide: 'user' | 'system'; vital?: boolean }
  | { does: 'publishes'; force: boolean }
  /** what cannot be brought back, but is no file that the words name */
  | { does: 'discards' }
  | { does: 'contains' }
  | { does: 'harms'; what: 'apps' | 'settings' }
  /** files, packages or state in a way that no path tells */
  | { does: 'changes' }
  /** answers what a person was asked */
  | { does: 'answers' }
  /** sets a variable that decides which programs run */
  | { does: 'steers' }
  /** system settings, users, mounts, firewalls */
  | { does: 'administers' }
  /** files that nothing tells, or whose names it reads on its input */
  | { does: 'unknown'; what: 'files' | 'names' }
  /** its output: names of files below where it starts, the lines that it reads, or those lines changed */
  | { does: 'prints'; what: 'names' | 'same' | 'changed' }

/** Files, packages or state in a way that no path tells. */
export const changes: Effect = { does: 'changes' }
/** It starts other programs, which nobody can follow. */
export const hidden: Effect = { does: 'runs', what: 'hidden' }
/** Files that nothing tells. */
export const unknownFiles: Effect = { does: 'unknown', what: 'files' }
export const network: Effect = { does: 'network' }
export const privilege: Effect = { does: 'privilege' }
export const administers: Effect = { does: 'administers' }
export const power: Effect = { does: 'power' }
export const harms = (what: 'apps' | 'settings'): Effect => ({ does: 'harms', what })

/** These effects where it is so, else none. */
export const when = (so: boolean, ...effects: readonly Effect[]): readonly Effect[] => (so ? effects : [])
