/** What a walk through a script gathers, and what surrounds each part of it. */
import type { Flow, Places } from './places.ts'
import type { Input, Opaque, SimpleCommand, Syntax } from './script.ts'
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
  /** files that the script has written, with what it wrote; null: unknown */
  written: Map<string, string | null>
  /** names that the script gives to other commands */
  aliases: Set<string>
  /** nesting of sh -c, eval and the like */
  level: number
  wrappers: readonly string[]
  errexit: boolean
  /** the script file that is read now */
  file: string | null
  steps: Steps
  /** words that may still be judged, in this parse and all within it */
  budget: { words: number }
}

/** What the parts of the walk ask of each other. */
export interface Steps {
  /** takes new source text (sh -c …) through the whole parse, as part of this one; `shell`: who reads it */
  nested: (code: string, walk: Walk, context: Context, shell: string) => Flow
  /** the commands of a script that is not certain to run */
  apart: (code: string) => readonly SimpleCommand[]
  /** the text of a script file, by its absolute path; null: none that can be read */
  readFile: (path: string) => string | null
  /** walks the scripts of every substitution inside a node */
  substitutions: (node: SyntaxNode, walk: Walk, context: Context) => void
  /** where a call of a function leads */
  callFunction: (name: string, walk: Walk, context: Context) => Flow
}

/** More words than this, of all commands together, are not judged: the script is opaque. */
const MAX_WORDS = 5_000

export function createWalk(source: string, scope: Scope, opaque: Opaque[], steps: Steps): Walk {
  const nothing = {
    commands: [],
    syntax: new Set<Syntax>(),
    functions: new Map(),
    seen: new Map(),
    written: new Map(),
    aliases: new Set<string>(),
  }
  const budget = { words: MAX_WORDS }
  return { source, scope, opaque, steps, budget, ...nothing, level: 0, wrappers: [], errexit: false, file: null }
}

/** What surrounds a node. */
export interface Context {
  places: Places
  background: boolean
  pipedFrom: SimpleCommand | null
  inFunctions: readonly string[]
  compound: boolean
  /** what stands on standard input where nothing redirects it */
  input: Input | null
}
