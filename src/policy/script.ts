/** What the parser makes of a script: every simple command that it can run, and every reason to doubt that this is all. */

/** One word of a command, as far as it can be known without running anything. */
export interface Word {
  /** as written */
  source: string
  /** after quote removal; null when an expansion takes part in it */
  literal: string | null
  /** everything it can be, one list of fields for each possibility; null: cannot be known */
  fields: readonly (readonly string[])[] | null
  /** the beginning that is known even where the rest is not */
  prefix: string
  /** an unquoted * ? or [ takes part: the shell puts file names in its place */
  glob: boolean
  /** an unquoted expansion takes part: it can become no word, or several */
  splits: boolean
}

export interface Assignment {
  name: string
  word: Word
}

/** `text`: the body of a here-document, null where it cannot be known. */
export interface Redirection {
  operator: string
  target: Word | null
  text: string | null
}

/** Code in another language that a command carries in its arguments or reads from its input; `text` null: unknown. */
export interface InlineCode {
  language: string
  text: string | null
}

export interface SimpleCommand {
  /** as written, at most 500 characters */
  source: string
  /** the word in command position as written without its quotes; '' where only assignments or redirections are; null: unknown */
  path: string | null
  /** the last component of `path` */
  name: string
  /** all its words, the name first */
  words: readonly Word[]
  /** every known value of every word after the name, in order */
  args: readonly string[]
  /** some argument cannot be known, or comes from standard input */
  unknownArgs: boolean
  assignments: readonly Assignment[]
  redirections: readonly Redirection[]
  /** the commands that run this one, outermost first: `sudo`, `xargs`, `sh` … */
  wrappers: readonly string[]
  background: boolean
  /** the command that feeds its standard input through a pipe */
  pipedFrom: SimpleCommand | null
  /** where it can run, relative to the script's own directory or absolute, after every `cd` before it; null: unknown */
  places: string[] | null
  code: InlineCode | null
  /** names of the functions in whose bodies it stands */
  inFunctions: readonly string[]
}

/**
 * unreadable: no parser should trust itself here. syntax-error: the shell will stop there, too; what stands before it is seen. bashism: the shells disagree. too-large: over a bound. dynamic-name,
 * dynamic-code: what runs is only known when it runs. stdin-code: a pipe into an interpreter. inline-code: code that starts programs.
 */
export type OpaqueKind =
  | 'unreadable'
  | 'syntax-error'
  | 'bashism'
  | 'too-large'
  | 'dynamic-name'
  | 'dynamic-code'
  | 'stdin-code'
  | 'inline-code'

export interface Opaque {
  kind: OpaqueKind
  reason: string
  source: string
}

/** Every kind of shell syntax beyond one command with words. */
export type Syntax =
  | 'and-or'
  | 'pipe'
  | 'sequence'
  | 'background'
  | 'negation'
  | 'compound'
  | 'function'
  | 'subshell'
  | 'redirection'
  | 'here-document'
  | 'command-substitution'
  | 'parameter-expansion'
  | 'assignment'

export interface Script {
  source: string
  commands: readonly SimpleCommand[]
  opaque: readonly Opaque[]
  syntax: ReadonlySet<Syntax>
}

/** Everything a word can be, fields of all possibilities in one list; null: unknown. */
export function valuesOf(word: Word): readonly string[] | null {
  return word.fields === null ? null : word.fields.flat()
}
