/** What the parser makes of a script: every simple command that it can run, and every reason to doubt that this is all. */

/** One word of a command, as far as it can be known without running anything. */
export interface Word {
  source: string // as written
  literal: string | null // after quote removal; null when an expansion takes part in it
  /** everything it can be, one list of fields for each possibility; null: cannot be known */
  fields: readonly (readonly string[])[] | null
  prefix: string // the beginning that is known even where the rest is not
  glob: boolean // an unquoted * ? or [ takes part: the shell puts file names in its place
  splits: boolean // an unquoted expansion takes part: it can become no word, or several
}

export interface Assignment {
  name: string
  word: Word
}

/** `text`: what a here-document or here-string holds, null where it cannot be known. */
export interface Redirection {
  operator: string
  descriptor: number // which of the command's files it is: 0 its input, 1 its output …
  target: Word | null
  text: string | null
}

/** What a command reads on its standard input, as far as that is known. */
export interface CommandInput {
  from: 'request' | 'person' | 'pipe' | 'file' | 'here'
  text: string | null // null: cannot be known
}

/** Code in another language that a command carries in its arguments or reads from its input; `text` null: unknown. */
export interface InlineCode {
  language: string
  text: string | null
}

export interface SimpleCommand {
  source: string // as written, at most 500 characters
  /** the word in command position as written without its quotes; '' where only assignments or redirections are; null: unknown */
  path: string | null
  name: string // the last component of `path`
  words: readonly Word[] // all its words, the name first
  args: readonly string[] // every known value of every word after the name, in order
  unknownArgs: boolean // some argument cannot be known, or comes from standard input
  assignments: readonly Assignment[]
  redirections: readonly Redirection[]
  wrappers: readonly string[] // the commands that run this one, outermost first: `sudo`, `xargs`, `sh` …
  fed: boolean // its arguments come from a list that is not in the script: `xargs`
  background: boolean
  pipedFrom: SimpleCommand | null // the command that feeds its standard input through a pipe
  /** where it can run, relative to the script's own directory or absolute, after every `cd` before it; null: unknown */
  places: string[] | null
  code: InlineCode | null
  input: CommandInput | null // null: nothing, or what nobody has given
  suspects: readonly SimpleCommand[] | null // commands in the strings of its code, or in arguments that it may run, once looked for
  valuesOf: (variable: string) => readonly string[] | null // all that it has anywhere in the script, or from outside; null: unknown
  callsItself: boolean // a call of a function inside that function's own body
  file: { path: string; line: number } | null // where in a script file it stands; null: in what was asked for
}

/** Why it cannot be known what runs. */
export type Opaque =
  | 'unreadable' // no parser should trust itself here
  | 'syntax-error' // the shell will stop there, too
  | 'bashism' // the shells disagree
  | 'too-large' // over a bound
  | 'dynamic-name' // what runs is only known when it runs
  | 'dynamic-code'
  | 'stdin-code' // a pipe into an interpreter
  | 'inline-code' // code that starts programs

/** Shell syntax beyond one command with words; 'control': pipes, lists, compounds, redirections and the like. */
export type Syntax =
  | 'control'
  | 'function'
  | 'here-document'
  | 'command-substitution'
  | 'parameter-expansion'
  | 'assignment'

/** Which shell `sh` is: they read some constructs differently, and refuse others. */
export type Flavour = 'dash' | 'mksh' | 'busybox' | 'bash'

export interface Script {
  source: string
  commands: readonly SimpleCommand[]
  opaque: readonly Opaque[] // each once
  syntax: ReadonlySet<Syntax>
  files: readonly string[] // script files that it runs and that were read, absolute
  /** the commands of a script that is not certain to run, read in the same environment */
  apart: (code: string) => readonly SimpleCommand[]
}

/** A word that stands for one plain string, and how that is written. */
export function writtenWord(text: string, source: string): Word {
  return { source: source.slice(0, 500), literal: text, fields: [[text]], prefix: text, glob: false, splits: false }
}

/** A word that stands for one plain string. */
export const literalWord = (text: string): Word => writtenWord(text, text)

/** A word of which nothing is known. */
export const unknownWord = (source: string): Word => ({ ...literalWord(''), source, literal: null, fields: null })

/** Words that a program adds to code: the last of them, where it does. */
export const furtherWords: Word = unknownWord('')

/** A word with each of its texts changed. */
export const changedWord = (word: Word, change: (text: string) => string): Word => ({
  ...word,
  literal: word.literal === null ? null : change(word.literal),
  fields: choicesOf(word)?.map((text) => [change(text)]) ?? null,
  prefix: change(word.prefix),
})

/** A word without its first characters: the value that is glued to an option. */
export const cutWord = (word: Word, length: number): Word => ({
  ...changedWord(word, (text) => text.slice(length)),
  splits: false,
})

/** Whether nothing tells what a word becomes: no word, or several. */
export const isAnything = ({ splits, fields }: Word): boolean => splits && fields === null

/** Everything a word can be, fields of all possibilities in one list; null: unknown. */
export const valuesOf = ({ fields }: Word): readonly string[] | null => fields?.flat() ?? null

/** Everything a word can be, each possibility as one text; null: unknown. */
export const choicesOf = ({ fields }: Word): readonly string[] | null => fields?.map((one) => one.join(' ')) ?? null

/** The one thing that a word can be; null: it is unknown, or one of several. */
export function soleOf(word: Word): string | null {
  const values = valuesOf(word)
  return values?.length === 1 ? values[0]! : null
}
