/** What a walk through a script gathers, and what surrounds each part of it. */
import type { Flow, Places } from './places.ts'
import type { Flavour, Input, Opaque, SimpleCommand, Syntax } from './script.ts'
import type { Command, SyntaxNode } from './syntax.ts'
import type { Scope } from './words.ts'

/** What one parse gathers. `seen` lets a loop walk its body again to learn about places without finding its commands twice. */
export interface Walk {
  source: string
  scope: Scope
  commands: SimpleCommand[]
  opaque: Opaque[]
  syntax: Set<Syntax>
  functions: Map<string, SyntaxNode>
  seen: Map<Command, SimpleCommand[]>
  written: Map<string, string | null> // files that the script has written, with what it wrote; null: unknown
  assigned: Set<string> // variables that the script has set by now
  aliases: Set<string> // names that the script gives to other commands
  level: number // nesting of sh -c, eval and the like
  wrappers: readonly string[]
  errexit: boolean
  file: string | null // the script file that is read now
  flavour: Flavour | null // which shell reads it, and which `sh` would be; null: not known
  shFlavour: Flavour | null
  steps: Steps
  /** words that may still be judged, in this parse and all within it */
  budget: { words: number }
}

/** What the parts of the walk ask of each other. */
export interface Steps {
  /** takes new source text (sh -c …) through the whole parse, as part of this one */
  nested: (code: string, walk: Walk, context: Context) => Flow
  /** the text of a script file, by its absolute path; null: none that can be read */
  readFile: (path: string) => string | null
  /** walks the scripts of every substitution inside a node */
  substitutions: (node: SyntaxNode, walk: Walk, context: Context) => void
  /** where a call of a function leads */
  callFunction: (name: string, walk: Walk, context: Context) => Flow
}

/** What surrounds a node. */
export interface Context {
  places: Places
  background: boolean
  pipedFrom: SimpleCommand | null
  inFunctions: readonly string[]
  compound: boolean
  input: Input | null // what stands on standard input where nothing redirects it
}
