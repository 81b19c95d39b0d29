/** The row that describes what one program does with its arguments, and a call whose words were read according to its row. */
import { literalWord, type SimpleCommand, valuesOf, type Word } from '../script/script.ts'
import type { Effect } from './effect.ts'

/**
 * How a program uses the value of an option, or an operand:
 *
 * - 'read', 'write', 'delete': it is always a file, which the program reads, writes or deletes
 * - 'name': a file whose contents the program does not open, as with `stat`
 * - 'maybe': a file if it looks like a path
 * - 'text': never a file
 * - 'dir': the directory in which the program works
 * - 'list': a file that contains file names
 * - 'code': shell code, or the name of a program
 * - 'source': code in the program's own language
 * - 'script': a file that contains such code
 * - 'words': text that the program splits into words of its own command line, as `env -S` does
 */
export type ValueKind =
  | 'name'
  | 'read'
  | 'write'
  | 'delete'
  | 'maybe'
  | 'text'
  | 'dir'
  | 'list'
  | 'code'
  | 'source'
  | 'script'
  | 'words'

/** Options that take a value: names without dashes, and the kind of the value. `O?`: the value is optional and must be attached. */
export type Options = ReadonlyMap<string, ValueKind>

/** A program's row. A string with several names separates them with spaces. How to write a row: table.ts. */
export interface Program {
  options: Options
  operands?: ValueKind | `${ValueKind} ${ValueKind}` // the kind of each operand in order; the last kind also applies to all that follow; default: 'maybe'
  last?: ValueKind // the kind of the last operand, if there are several
  unless?: string // with any of these options, the first kind in `operands` does not apply
  ordered?: true // options end at the first operand
  dashed?: true // long options start with one dash: -name, -isystem
  bare?: true // the first word is a cluster of options even without a dash: tar xzf
  verbs?: Readonly<Record<string, Options>> // the first operand is a verb; the options that follow each verb, '*' for all other verbs
  remote?: true // host:path names a file on another machine
  steering?: true // it only changes the state of the shell: cd, set, export
  declares?: true // its arguments set variables: NAME=value
  sources?: true // its first operand is a script that the current shell runs: `.`, `source`
  shell?: true // it is a POSIX-like shell
  scripted?: true // it is a shell script, so `sh FILE` with its path runs it, too
  unquoted?: string // options whose values it passes to another program unquoted, so blanks split them; 'operands': the operands, too

  runs?: true // its arguments contain a command, which it runs
  skip?: number // how many words come between the options and that command
  noSkipWith?: string // with any of these options, `skip` does not apply
  joined?: true // it joins the remaining words and passes them to a shell
  assignments?: true // NAME=value may precede the command
  idle?: string // with any of these options it runs nothing
  transparent?: true // it does nothing except run the command, so only that command is judged
  after?: string // the command follows one of these verbs
  doubtful?: true | 'in-bin' // what it runs is always in doubt; 'in-bin': only if the program lies in a directory of programs
  addsInput?: true // it appends what it reads on stdin to the command: xargs
  unclear?: string // with these verbs or options, its arguments do not show what it runs
  orShell?: true // without a command it starts a shell
  spans?: (words: readonly Word[]) => readonly WordRange[] // finds commands among the words: find's -exec
  placeholders?: (call: Call) => readonly string[] | null // the values that replace {} in the commands found by `spans`; null: only names that match a filter
  appendsPlaceholder?: true // a command found by `spans` that has no {} gets one as its last word

  language?: string // the language of its own code, which is in its 'source' options
  codeAt?: number // or in the operand with this index (0: the first), unless an option contains the code
  codeAfter?: string // or in the operand after this verb
  stdin?: true // without code or a script file, it reads code from stdin
  timed?: true // each line of its code starts with the time at which it runs: crontab
  interactive?: true // it reads code from stdin whatever its operands are
  codeModules?: RegExp // if the value of -m matches, its operands are code
  readsInputModules?: RegExp // if the value of -m matches, it reads code from stdin
  readsInputWith?: string // with any of these options it reads code from stdin, whatever else it runs

  readOnlyVerbs?: string // verbs that change nothing; every other verb does
  changingVerbs?: string // verbs that change something; no other verb does
  knownVerbs?: string // all verbs of its own; any other verb is a plug-in or an alias
  startsOthers?: RegExp | null // arguments that match make it start other programs, besides its 'code' options; null: none can
  stream?: 'names' | 'same' | 'changed' // it prints names of files below its start directory, the lines it reads unchanged, or changed lines
  copies?: true // it copies or moves its first operand to its second: cp, mv
  passesInput?: 'alone' | 'always' // it prints its stdin; 'alone': only without operands
  tier?: 'deletion' | 'disk' | 'image' | 'permission' | 'repository' | 'download' // the class of agent-world's tool to which it belongs
  printsExactly?: true // `prints` returns its exact output, not an example
  prints?: (
    words: readonly Word[],
    known: { name: string; TMPDIR?: string | undefined; PWD?: string | undefined },
  ) => readonly string[] | null // what it prints, if its words determine that; null: unknown
  does?: readonly Effect[] // the effects of every call, whatever its arguments
  effects?: (call: Call, rowOf: RowOf) => readonly Effect[] // further effects of a call, which the kinds of its arguments do not express
  addsWords?: string // options whose code gets further, unknown words appended before it runs
  codes?: (call: Call) => readonly Word[] // shell code inside its arguments: `--checkpoint-action=exec=CODE`
}

/** Looks up the row of a program by name; null: there is none. */
export type RowOf = (name: string) => Program | null

/** Returns whether a word names a program that deletes its operands. */
export const deletes = (word: string, rowOf: RowOf): boolean => rowOf(word.replace(/^.*\//s, ''))?.operands === 'delete'

/** A program's row with its names; a `*` at the end of a name matches any version: python3.12. */
export interface NamedProgram {
  names: readonly string[]
  unmistakable: readonly string[] // names that mean the program anywhere in a command line, because they are not also English words or verbs
  program: Program
}

/** The range of a command among words: from its first word up to, but not including, `to`. */
export interface WordRange {
  from: number
  to: number
}

/** One option of a call. */
export interface Option {
  name: string // without dashes; an abbreviated long option in full if the row contains it
  value: Word | null
}

/** A value or an operand, with its kind. */
export interface Argument {
  word: Word
  kind: ValueKind
  option: string | null // the option that it is the value of; null: an operand
  guess?: string | undefined // the option that it may be the value of, if the program has no row
}

/** A command whose words were read according to its program's row. */
export interface Call {
  command: SimpleCommand
  program: Program | null
  options: readonly Option[]
  arguments: readonly Argument[]
  operands: readonly Word[]
  verb: string | null // the first operand if the program has verbs; '': it has none; null: unknown
  leading: number // how many options precede the verb
  words: readonly Word[] // all words except the name, after `env -S` and the like were split
  start: number // the index of the first operand in `words`
  doubtful: boolean // the options include a word that may be an option or expand to several words
  commands: readonly (readonly Word[])[] // the commands found by `spans`
}

const sets = new Map<string, ReadonlySet<string>>()

/** Returns whether a list contains a word. The sets are cached because rows test the same lists again and again. */
export function isOn(names: string, word: string): boolean {
  const known = sets.get(names) ?? new Set(names.split(' '))
  sets.set(names, known)
  return known.has(word)
}

/** Returns whether a call has one of these options. `names`: letters and long names, separated by spaces; GNU abbreviations match, too. */
export const has = ({ options }: Pick<Call, 'options'>, names: string): boolean =>
  options.some(({ name }) => isOn(names, name) || (name.length > 2 && beginsOne(name, names)))
const beginsOne = (name: string, names: string) =>
  names.split(' ').some((one) => one.length > name.length && one.startsWith(name))

/** Returns whether a call only requests the version or the help. */
export const wantsHelp = ({ words }: Call): boolean =>
  words.length > 0 && words.every(({ literal }) => /^--?(?:version|help)$/.test(literal ?? ''))

/** The values of these options that are known. */
export const valuesOfOption = (call: Call, names: string): string[] =>
  call.options.flatMap(({ name, value }) => (value && isOn(names, name) ? (valuesOf(value) ?? []) : []))

/** The commands in texts that name either a file or, marked by a sign, a command to run: `|CODE`, `CODE|`. */
export const piped = (texts: readonly string[], sign = /^[|!](.*)|^(.*)\|$/s): Word[] =>
  texts.flatMap((text) => {
    const match = sign.exec(text)
    return match ? [literalWord((match[1] ?? match[2])!)] : []
  })

/** The known values of the operands, in order. */
export const textsOf = (call: Call): string[] => call.operands.flatMap((word) => valuesOf(word) ?? [])

/** The values that the program splits into words of another one, if they contain several words. */
export const splitValues = ({ program, arguments: given }: Call): string[][] =>
  given
    .filter(({ option }) => program?.unquoted !== undefined && isOn(program.unquoted, option ?? 'operands'))
    .flatMap(({ word }) => valuesOf(word) ?? [])
    .map((value) => value.split(/\s+/))
    .filter((words) => words.length > 1)

/** The first known operand, often a verb; '' if there is none. */
export const firstOf = (call: Call): string => textsOf(call)[0] ?? ''

/** Returns whether one of the texts matches. */
export const anyLike = (texts: readonly string[], pattern: RegExp): boolean => texts.some((text) => pattern.test(text))

/** Returns whether an operand matches. */
export const anyOperandLike = (call: Call, pattern: RegExp): boolean => anyLike(textsOf(call), pattern)
