/** The state of a walk through a script: what it collects, and its current position. */
import type { ScriptPoint } from '../script/directories.ts'
import type { Flavour, CommandInput, Opaque, SimpleCommand, Syntax } from '../script/script.ts'
import type { Command, SyntaxNode } from './syntax.ts'
import type { Scope } from './resolve-words.ts'

/** The body of a function, and the code that contains it. */
interface FunctionBody extends Pick<Walk, 'source' | 'file' | 'line'> {
  node: SyntaxNode
}

export interface Walk {
  // collected by one parse, and shared by all parts of its walk
  commands: SimpleCommand[]
  opaque: Opaque[]
  functions: Map<string, FunctionBody>
  written: Map<string, string | null> // files that the script wrote, with their content; null: unknown
  aliases: Set<string> // names that the script gives to other commands
  pipes: { used: boolean } // whether a process substitution passes on a command's output as a file
  opened: { input: CommandInput | null } // the standard input that `exec` opened for the script
  budget: { words: number } // how many more words may be judged

  // the script or nested code that is being read: new for each
  source: string
  scope: Scope
  syntax: Set<Syntax>
  seen: Map<Command, SimpleCommand[]> // lets a loop walk its body again to add directories without recording its commands twice
  level: number // nesting depth of sh -c, eval and the like
  wrappers: readonly string[]
  file: string | null // the script file that is being read; null: none
  line: number | null // the line of that file which contains the current code; null: the code is the file itself
  flavour: Flavour | null // which shell reads it, and which shell `sh` is; null: unknown
  shFlavour: Flavour | null

  // the context of a node
  here: ScriptPoint
  background: boolean
  pipedFrom: SimpleCommand | null
  inFunctions: readonly string[]
  compound: boolean
  input: CommandInput | null // standard input, unless it is redirected

  /** parses and walks new source text (sh -c …) as part of this parse */
  nested: (code: string, walk: Walk) => void
  /** the text of a script file, by its absolute path; null: it cannot be read */
  readFile: (path: string) => string | null
}
