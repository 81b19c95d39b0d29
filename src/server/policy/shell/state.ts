/** A walk through a script: what it gathers, and where it stands. */
import type { ScriptPoint } from '../script/places.ts'
import type { Flavour, CommandInput, Opaque, SimpleCommand, Syntax } from '../script/script.ts'
import type { Command, SyntaxNode } from './syntax.ts'
import type { Scope } from './resolve-words.ts'

/** The body of a function, and the code that it stands in. */
interface Body extends Pick<Walk, 'source' | 'file' | 'line'> {
  node: SyntaxNode
}

export interface Walk {
  // what one parse gathers: the same for all parts of its walk
  commands: SimpleCommand[]
  opaque: Opaque[]
  functions: Map<string, Body>
  written: Map<string, string | null> // files that the script has written, with what it wrote; null: unknown
  aliases: Set<string> // names that the script gives to other commands
  pipes: { used: boolean } // whether some process substitution hands on what a command prints, as a file
  opened: { input: CommandInput | null } // what `exec` has put on the script's standard input
  budget: { words: number } // words that may still be judged

  // the script that is read, or the code in it: a new one for each
  source: string
  scope: Scope
  syntax: Set<Syntax>
  seen: Map<Command, SimpleCommand[]> // lets a loop walk its body again to learn about places without finding its commands twice
  level: number // nesting of sh -c, eval and the like
  wrappers: readonly string[]
  file: string | null // the script file that is read now
  line: number | null // where in that file the code stands that is read now; null: it is the file itself
  flavour: Flavour | null // which shell reads it, and which `sh` would be; null: not known
  shFlavour: Flavour | null

  // what surrounds a node
  here: ScriptPoint
  background: boolean
  pipedFrom: SimpleCommand | null
  inFunctions: readonly string[]
  compound: boolean
  input: CommandInput | null // what stands on standard input where nothing redirects it

  /** takes new source text (sh -c …) through the whole parse, as part of this one */
  nested: (code: string, walk: Walk) => void
  /** the text of a script file, by its absolute path; null: none that can be read */
  readFile: (path: string) => string | null
}
