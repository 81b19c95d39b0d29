/** Types: the row that describes what a program does with its arguments, and a call, whose words are read according to the row. */
import { literalWord, type SimpleCommand, valuesOf, type Word } from '../script/script.ts'
import type { Effect } from './effect.ts'

/**
 * How a program uses the value of an option, or an operand:
 *
 * - 'read', 'write', 'delete': a file that the program reads, writes or deletes
 * - 'name': a file whose contents the program does not open, as with `stat`
 * - 'maybe': a file if the value looks like a path
 * - 'text': never a file
 * - 'dir': the directory in which the program works
 * - 'list': a file that contains file names
 * - 'code': shell code, or the name of a program
 * - 'source': code in the program's own language
 * - 'script': a file that contains such source code
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

/** A program's row. A string that lists several names separates them with spaces. table.ts explains how to write a row. */
export interface Program {
  options: Options
  operands?: ValueKind | `${ValueKind} ${ValueKind}` // the kind of each operand in order (default: 'maybe'); the last kind also applies to all further operands
  last?: ValueKind // the kind of the last operand, if there are several
  unless?: string // with any of these options, the first kind in `operands` does not apply
  ordered?: true // options end at the first operand
  dashed?: true // long options start with one dash: -name, -isystem
  bare?: true // the first word is a cluster of options even without a dash: tar xzf
  verbs?: Readonly<Record<string, Options>> // the first operand is a verb; the options that follow each verb, '*' for all other verbs
  remote?: true // host:path names a file on another machine
  steering?: true // it only changes the state of the shell: cd, set, export
  declares?: true // arguments of the form NAME=value set variables
  sources?: true // its first operand is a script that the current shell runs: `.`, `source`
  shell?: true // it is a POSIX-like shell
  scripted?: true // it is a shell script, so `sh PATH` also runs it
  unquoted?: string // options whose values it passes on unquoted, so spaces split them; 'operands' stands for the operands

  runs?: true // its arguments contain a command, which it runs
  skip?: number // the number of words between the options and that command
  noSkipWith?: string // with any of these options, `skip` does not apply
  joined?: true // it joins the remaining words and passes them to a shell
  assignments?: true // NAME=value may precede the command
  idle?: string // with any of these options, it runs nothing
  transparent?: true // it does nothing except run the command, so only that command is judged
  after?: string // the command follows one of these verbs
  doubtful?: true | 'in-bin' // it is always unclear what it runs; 'in-bin': only if the program is in a bin directory
  addsInput?: true // it appends what it reads on stdin to the command: xargs
  unclear?: string // with these verbs or options, its arguments do not show what it runs
  orShell?: true // without a command, it starts a shell
  spans?: (words: readonly Word[]) => readonly WordRange[] // finds commands among the words: find's -exec
  placeholders?: (call: Call) => readonly string[] | null // returns the values that replace {} in the commands found by `spans`; null: names that match a filter
  appendsPlaceholder?: true // a command found by `spans` that has no {} gets one as its last word

  language?: string // the language of the code that it runs; options of the kind 'source' contain code
  codeAt?: number // the index of the operand that contains code (0: the first), unless an option does
  codeAfter?: string // the verb after which an operand contains code
  stdin?: true // without code or a script file, it reads code from stdin
  timed?: true // each line of its code starts with the time at which it runs: crontab
  interactive?: true // it reads code from stdin, regardless of its operands
  codeModules?: RegExp // if the value of -m matches, its operands are code
  readsInputModules?: RegExp // if the value of -m matches, it reads code from stdin
  readsInputWith?: string // with any of these options, it reads code from stdin, regardless of what else it runs

  readOnlyVerbs?: string // verbs that change nothing; every other verb changes something
  changingVerbs?: string // verbs that change something; every other verb changes nothing
  knownVerbs?: string // all built-in verbs; any other verb is a plug-in or an alias
  startsOthers?: RegExp | null // arguments, besides the 'code' options, that make it start other programs; null: no argument can
  stream?: 'names' | 'same' | 'changed' | 'devices' // it prints names of files below its start directory, the lines that it reads, changed lines, or names of disks
  copies?: true // it copies or moves its first operand to its second: cp, mv
  passesInput?: 'alone' | 'always' // it prints its stdin; 'alone': only without operands
  tier?: 'deletion' | 'disk' | 'image' | 'permission' | 'repository' | 'download' // the program's risk class in agent-world's tool
  printsExactly?: true // `prints` returns its exact output, not an example
  prints?: (
    words: readonly Word[],
    known: { name: string; TMPDIR?: string | undefined; PWD?: string | undefined },
  ) => readonly string[] | null // returns its output if the words determine it; null: unknown
  does?: readonly Effect[] // the effects of every call, regardless of its arguments
  effects?: (call: Call, rowOf: RowOf) => readonly Effect[] // returns further effects, which the kinds of the arguments do not express
  addsWords?: string // options to whose code the program appends unknown words before it runs the code
  codes?: (call: Call) => readonly Word[] // finds shell code inside the arguments: `--checkpoint-action=exec=CODE`
}

/** Looks up the row of a program by name; null if it has no row. */
export type RowOf = (name: string) => Program | null

/** Returns whether a word names a program that deletes its operands. */
export const deletes = (word: string, rowOf: RowOf): boolean => rowOf(word.replace(/^.*\//s, ''))?.operands === 'delete'

/** A program's row with its names; a `*` at the end of a name matches any version: python3.12. */
export interface NamedProgram {
  names: readonly string[]
  unmistakable: readonly string[] // names that mean the program anywhere in a command line, because they are not also English words or verbs
  program: () => Program
}

/** The range of a command among words: from its first word up to, but not including, `to`. */
export interface WordRange {
  from: number
  to: number
}

/** One option of a call. */
export interface Option {
  name: string // without dashes; an abbreviated long option is written in full if the row contains it
  value: Word | null
  long?: true // written with two dashes
  cluster?: true // all letters of a cluster as one name, because some programs read `-name` as a long option
}

/** A value or an operand, with its kind. */
export interface Argument {
  word: Word
  kind: ValueKind
  option: string | null // the option that this is the value of; null: an operand
  guess?: string | undefined // the option that this may be the value of, if the program has no row
}

/** A command whose words were read according to its program's row. */
export interface Call {
  command: SimpleCommand
  program: Program | null
  options: readonly Option[]
  arguments: readonly Argument[]
  operands: readonly Word[]
  verb: string | null // the first operand if the program has verbs; '': no verb; null: unknown
  leading: number // the number of options before the first operand
  words: readonly Word[] // all words except the name; values like that of `env -S` are already split
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

/**
 * Returns whether a call has one of these options. `names`: letters and long names, separated by spaces. GNU abbreviations also match: of any
 * length after two dashes, otherwise of at least three letters.
 */
export const has = ({ options }: Pick<Call, 'options'>, names: string): boolean =>
  options.some(({ name, long }) => isOn(names, name) || ((long || name.length > 2) && beginsOne(name, names)))
const beginsOne = (name: string, names: string) =>
  names.split(' ').some((one) => one.length > name.length && one.startsWith(name))

/** Returns whether a call has an option other than these. `names`: as for `has`. */
export const hasOther = ({ options }: Pick<Call, 'options'>, names: string): boolean =>
  options.some(({ name, cluster }) => !cluster && !isOn(names, name) && !(name.length > 2 && beginsOne(name, names)))

/** Returns whether a call only requests the version or help text. */
export const wantsHelp = ({ words }: Call): boolean =>
  words.length > 0 && words.every(({ literal }) => /^--?(?:version|help)$/.test(literal ?? ''))

/** Returns the known values of these options. */
export const valuesOfOption = (call: Call, names: string): string[] =>
  call.options.flatMap(({ name, value }) => (value && isOn(names, name) ? (valuesOf(value) ?? []) : []))

/** Returns the commands among texts that name either a file or, marked by a sign, a command: `|CODE`, `CODE|`. */
export const piped = (texts: readonly string[], sign = /^[|!](.*)|^(.*)\|$/s): Word[] =>
  texts.flatMap((text) => {
    const match = sign.exec(text)
    return match ? [literalWord((match[1] ?? match[2])!)] : []
  })

/** Returns the known values of the operands, in order. */
export const textsOf = (call: Call): string[] => call.operands.flatMap((word) => valuesOf(word) ?? [])

/** Returns the values that contain several words and that the program passes to another program unquoted, split into words. */
export const splitValues = ({ program, arguments: given }: Call): string[][] =>
  given
    .filter(({ option }) => program?.unquoted !== undefined && isOn(program.unquoted, option ?? 'operands'))
    .flatMap(({ word }) => valuesOf(word) ?? [])
    .map((value) => value.split(/\s+/))
    .filter((words) => words.length > 1)

/** Returns the first known operand, often a verb; '' if no operand is known. */
export const firstOf = (call: Call): string => textsOf(call)[0] ?? ''

/** Returns whether one of the texts matches. */
export const anyLike = (texts: readonly string[], pattern: RegExp): boolean => texts.some((text) => pattern.test(text))

/** Returns whether an operand matches. */
export const anyOperandLike = (call: Call, pattern: RegExp): boolean => anyLike(textsOf(call), pattern)
