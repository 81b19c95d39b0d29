/** The result of parsing a script: every simple command that it can run, and every reason to doubt that the list is complete. */

/** One word of a command, as far as it can be determined without running anything. */
export interface Word {
  source: string // as written
  literal: string | null // the text after quote removal; null if the word contains an expansion
  /** all possible values, one list of fields for each; null: unknown */
  fields: readonly (readonly string[])[] | null
  prefix: string // the known text at the start, even if the rest is unknown
  glob: boolean // it contains an unquoted * ? or [, so the shell replaces it with file names
  splits: boolean // it contains an unquoted expansion, so it can expand to no word or several
}

export interface Assignment {
  name: string
  word: Word
}

/** `text`: the content of a here-document or here-string; null: unknown. */
export interface Redirection {
  operator: string
  descriptor: number // the file descriptor: 0 is standard input, 1 standard output …
  target: Word | null
  text: string | null
}

/** The standard input of a command, as far as the parser knows it. */
export interface CommandInput {
  from: 'request' | 'person' | 'pipe' | 'file' | 'here'
  text: string | null // null: unknown
}

/** Code in another language that a command carries in its arguments or reads from its input; `text` null: unknown. */
export interface InlineCode {
  language: string
  text: string | null
}

export interface SimpleCommand {
  source: string // as written, at most 500 characters
  /** the word in command position without its quotes; '' if there are only assignments or redirections; null: unknown */
  path: string | null
  name: string // the last component of `path`
  words: readonly Word[] // all words, starting with the name
  args: readonly string[] // every known value of every word after the name, in order
  unknownArgs: boolean // an argument is unknown, or comes from standard input
  assignments: readonly Assignment[]
  redirections: readonly Redirection[]
  wrappers: readonly string[] // the commands that run this one, outermost first: `sudo`, `xargs`, `sh` …
  fed: boolean // further arguments come from a list that is not in the script: `xargs`
  background: boolean
  pipedFrom: SimpleCommand | null // the command that feeds its standard input through a pipe
  /** the directories in which it can run, after every earlier `cd`: absolute or relative to the start directory; null: unknown */
  directories: string[] | null
  code: InlineCode | null
  input: CommandInput | null // null: no input
  suspects: readonly SimpleCommand[] | null // commands in the strings of its code, or in arguments that it may run; null: not searched yet
  valuesOf: (variable: string) => readonly string[] | null // returns all values that a variable has anywhere in the script or in the environment; null: unknown
  callsItself: boolean // it calls a function from inside that function's own body
  /** its position in a script file; null: it is in the request itself. `certain`: doubts about it do not count */
  file: { path: string; line: number; certain: boolean } | null
}

/** The reasons why the parser cannot determine what runs. */
export type Opaque =
  | 'unreadable' // the parser may misread it
  | 'syntax-error' // the shell will reject it, too
  | 'bashism' // shells read it differently
  | 'too-large' // it exceeds a limit
  | 'dynamic-name' // the name of a command is unknown before it runs
  | 'dynamic-code'
  | 'stdin-code' // a pipe into an interpreter
  | 'inline-code' // code that starts programs

/** Shell syntax beyond one command with words. 'control': pipes, lists, compound commands, redirections and similar syntax. */
export type Syntax =
  | 'control'
  | 'function'
  | 'here-document'
  | 'command-substitution'
  | 'parameter-expansion'
  | 'assignment'

/** The kind of shell. Shells read some constructs differently, and reject others. */
export type Flavour = 'dash' | 'mksh' | 'busybox' | 'bash'

export interface Script {
  source: string
  commands: readonly SimpleCommand[]
  opaque: readonly Opaque[] // without duplicates
  syntax: ReadonlySet<Syntax>
  files: readonly string[] // absolute paths of the script files that it runs and that were read
  /** returns the commands of code that is not certain to run, parsed with the same environment */
  parseSeparately: (code: string) => readonly SimpleCommand[]
}

/** Creates a word with one literal value and its source text. */
export function writtenWord(text: string, source: string): Word {
  return { source: source.slice(0, 500), literal: text, fields: [[text]], prefix: text, glob: false, splits: false }
}

/** Creates a word with one literal value. */
export const literalWord = (text: string): Word => writtenWord(text, text)

/** Creates a word with unknown text. */
export const unknownWord = (source: string): Word => ({ ...literalWord(''), source, literal: null, fields: null })

/** Stands for words that a program appends to code; always the last word. */
export const addedWords: Word = unknownWord('')

/** Returns a word with each of its texts changed. */
export const changedWord = (word: Word, change: (text: string) => string): Word => ({
  ...word,
  literal: word.literal === null ? null : change(word.literal),
  fields: choicesOf(word)?.map((text) => [change(text)]) ?? null,
  prefix: change(word.prefix),
})

/** Returns a word without its first characters, such as the value that is attached to an option. */
export const cutWord = (word: Word, length: number): Word => ({
  ...changedWord(word, (text) => text.slice(length)),
  splits: false,
})

/** Returns whether a word is unknown and can expand to any number of words. */
export const isAnything = ({ splits, fields }: Word): boolean => splits && fields === null

/** Returns every possible field of a word in one list; null: unknown. */
export const valuesOf = ({ fields }: Word): readonly string[] | null => fields?.flat() ?? null

/** Returns every possible value of a word, each as one text; null: unknown. */
export const choicesOf = ({ fields }: Word): readonly string[] | null => fields?.map((one) => one.join(' ')) ?? null

/** Returns the only possible value of a word; null if it is unknown or has several. */
export function soleOf(word: Word): string | null {
  const values = valuesOf(word)
  return values?.length === 1 ? values[0]! : null
}
