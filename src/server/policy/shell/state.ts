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
  changed: Set<string> // the roots that change their arguments, or that define functions
  changing: Map<string, boolean> // for each code, whether its text shows that it may change its arguments
  pipes: { used: boolean } // whether a process substitution passes on a command's output as a file
  opened: { input: CommandInput | null } // the standard input that `exec` opened for the script
  budget: { words: number } // the number of words that may still be read

  // describes the script or nested code that is being read
  source: string
  root: string // the code whose arguments apply: of `eval` and `.`, the code that contains them
  scope: Scope
  syntax: Set<Syntax>
  seen: Map<Command, SimpleCommand[]> // lets a loop walk its body again to add directories without recording its commands twice
  level: number // nesting depth of sh -c, eval and similar commands
  wrappers: readonly string[]
  file: string | null // the script file that is being read; null: no file
  certain: boolean // whether only what is certain counts: in a script file, unless the script passes arguments to it that the parser cannot follow
  line: number | null // the line of that file that contains the current code; null: the code is the file itself
  flavour: Flavour | null // the shell that reads the code; null: unknown
  shFlavour: Flavour | null // the shell behind `sh`; null: unknown

  // describes the context of a node
  here: ScriptPoint
  background: boolean
  pipedFrom: SimpleCommand | null
  inFunctions: readonly string[]
  returned: { here: ScriptPoint } | null // where the function that is walked has returned by now; null: in no function
  compound: boolean
  input: CommandInput | null // standard input, unless it is redirected

  /** parses and walks new source text (sh -c …) as part of this parse */
  nested: (code: string, walk: Walk) => void
  /** returns the text of the script file at an absolute path; null if it cannot be read */
  readFile: (path: string) => string | null
}
