/** The row that tells what one program does with its arguments, and a call as it was read by its row. */
import { literalWord, type SimpleCommand, valuesOf, type Word } from '../script/script.ts'
import type { Effect } from './effect.ts'

/**
 * What a value or an operand is. 'read', 'write', 'delete': a file for certain; 'name': one of which only the name is looked at;
 * 'maybe': a file if it looks like one; 'text': never opened; 'dir': where it works; 'list': a file with names of files; 'code': shell
 * code, or the name of a program; 'source': code in the program's own language; 'script': a file of such code; 'words': words of the
 * command itself, which stand in its place.
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

/** Options that take a value, without their dashes, and what the value is; `O?`: its value is glued to it, or it has none. */
export type Options = ReadonlyMap<string, ValueKind>

/** What a program does with its arguments; names in one text stand with spaces between them. How rows are written: table.ts. */
export interface Program {
  options: Options
  operands?: ValueKind | `${ValueKind} ${ValueKind}` // what they are, the last kind for all that follow; default 'maybe'
  last?: ValueKind // what the last of several operands is
  unless?: string // with one of these options the first kind of `operands` is skipped
  ordered?: true // options end where the first operand stands
  dashed?: true // one dash begins a long option: -name, -isystem
  bare?: true // the first word is a cluster of options even without a dash: tar xzf
  verbs?: Readonly<Record<string, Options>> // the first operand is a verb; the options after each, '*' for any other
  remote?: true // host:path stands for a file elsewhere
  steering?: true // it only steers the shell
  declares?: true // its words set variables: NAME=value
  sources?: true // its first operand is a script that the shell itself runs
  shell?: true // it is a shell that reads sh
  scripted?: true // it is a shell script: `sh FILE` runs it by its path, too
  unquoted?: string // options whose values it splits at blanks into words of another program; 'operands': these too

  runs?: true // a command stands in its arguments
  skip?: number // words between the options and that command
  whole?: string // with one of these options no word is skipped
  joined?: true // the remaining words are joined and read by a shell
  assignments?: true // NAME=value may stand before the command
  idle?: string // with these options it runs nothing
  transparent?: true // it adds nothing of its own: only what it runs matters
  after?: string // one of these words must stand before the command
  doubtful?: true | 'in-bin' // with a command that is not known from here; 'in-bin': only where it lies in a folder of programs
  fed?: true // its arguments go on with what it reads
  unclear?: string // with these verbs or options what it runs is not told by its words
  orShell?: true // without a command it starts a shell
  spans?: (words: readonly Word[]) => readonly WordRange[] // where whole commands stand among the words: find's -exec
  hands?: (call: Call) => readonly string[] | null // what {} in its spans stands for; null: what a filter names
  appends?: true // a command in its spans that has no {} gets one behind its last word

  language?: string // that of its own code, which stands in its 'source' options
  codeAt?: number // or in that operand, unless an option gave it
  codeAfter?: string // or in the operand after that verb
  stdin?: true // without code or file it reads code there
  timed?: true // each line of its code begins with when it runs: crontab's
  interactive?: true // it does whatever its operands are
  codeModules?: RegExp // with a -m like this its operands are code
  askingModules?: RegExp // with a -m like this it reads code on its input
  asksWith?: string // with these options it reads code on its input, whatever else it runs

  looks?: string // verbs that only look: any other changes something
  alters?: string // or those that change something: no other does
  known?: string // its verbs: any other is a plug-in of that name, or an alias
  others?: RegExp | null // arguments like this make it run others, beside its 'code' options; null: none can
  stream?: 'names' | 'same' | 'changed' // it prints names of files below where it starts, the lines that it reads, or those changed
  copies?: true // its second operand becomes its first
  passes?: 'alone' | 'always' // it prints what it reads, without operands or always
  tier?: 'deletion' | 'disk' | 'image' | 'permission' | 'repository' | 'download' // what agent-world classes it as
  says?: true // what it prints is what its words say, not an example
  prints?: (
    words: readonly Word[],
    known: { name: string; TMPDIR?: string | undefined; PWD?: string | undefined },
  ) => readonly string[] | null // where that is known without running it
  does?: readonly Effect[] // whatever its arguments are
  effects?: (call: Call, rowOf: RowOf) => readonly Effect[] // what the kinds of its arguments do not tell
  goesOn?: string // the code of these options goes on with words that nothing tells
  codes?: (call: Call) => readonly Word[] // shell code that stands in the middle of its arguments
}

/** The row of a program by its name. */
export type RowOf = (name: string) => Program | null

/** Whether a word names a program that deletes its operands. */
export const deletes = (word: string, rowOf: RowOf): boolean => rowOf(word.replace(/^.*\//s, ''))?.operands === 'delete'

/** A program's row, and its names: `*` at the end of one stands for any version. */
export interface NamedProgram {
  names: readonly string[]
  unmistakable: readonly string[] // those that mean the program wherever they stand: nobody uses them as a verb
  program: Program
}

/** From the first word of a command to the one behind its last. */
export interface WordRange {
  from: number
  to: number
}

/** One option as given. */
export interface Option {
  name: string // without dashes; a shortened long name in full where the row knows it
  value: Word | null
}

/** A value or operand with what it is. */
export interface Argument {
  word: Word
  kind: ValueKind
  option: string | null // whose value it is
  guess?: string | undefined // whose value it may be
}

/** A command whose words have been read by its program's row. */
export interface Call {
  command: SimpleCommand
  program: Program | null
  options: readonly Option[]
  arguments: readonly Argument[]
  operands: readonly Word[]
  verb: string | null // the first operand where the program has verbs; '' where there is none, null: unknown
  leading: number // how many of the options stand before the verb
  words: readonly Word[] // all but the name, as they were read
  start: number // where the first operand stands among them
  doubtful: boolean // a word that may be options, or several, stands among the options
  commands: readonly (readonly Word[])[] // those in its spans
}

const sets = new Map<string, ReadonlySet<string>>()

/** Whether a word stands on a list; rows ask with the same ones again and again. */
export function isOn(names: string, word: string): boolean {
  const known = sets.get(names) ?? new Set(names.split(' '))
  sets.set(names, known)
  return known.has(word)
}

/** Whether one of these options was given: letters and long names, separated by spaces; long ones may be shortened, as GNU allows. */
export const has = ({ options }: Pick<Call, 'options'>, names: string): boolean =>
  options.some(({ name }) => isOn(names, name) || (name.length > 2 && beginsOne(name, names)))
const beginsOne = (name: string, names: string) =>
  names.split(' ').some((one) => one.length > name.length && one.startsWith(name))

/** Whether a call only asks for the version or for help. */
export const asks = ({ words }: Call): boolean =>
  words.length > 0 && words.every(({ literal }) => /^--?(?:version|help)$/.test(literal ?? ''))

/** The values of an option, as far as they are known. */
export const valuesOfOption = (call: Call, names: string): string[] =>
  call.options.flatMap(({ name, value }) => (value && isOn(names, name) ? (valuesOf(value) ?? []) : []))

/** The commands in texts that stand for a file, unless a sign makes them one that is run: `|CODE`, `CODE|`. */
export const piped = (texts: readonly string[], sign = /^[|!](.*)|^(.*)\|$/s): Word[] =>
  texts.flatMap((text) => {
    const match = sign.exec(text)
    return match ? [literalWord((match[1] ?? match[2])!)] : []
  })

/** The known texts of the operands, in order. */
export const textsOf = (call: Call): string[] => call.operands.flatMap((word) => valuesOf(word) ?? [])

/** The values that the program splits into words of another one, where there are several. */
export const splitValues = ({ program, arguments: given }: Call): string[][] =>
  given
    .filter(({ option }) => program?.unquoted !== undefined && isOn(program.unquoted, option ?? 'operands'))
    .flatMap(({ word }) => valuesOf(word) ?? [])
    .map((value) => value.split(/\s+/))
    .filter((words) => words.length > 1)

/** The first operand, often a verb; '' where there is none. */
export const firstOf = (call: Call): string => textsOf(call)[0] ?? ''

/** Whether one of these texts is like this. */
export const anyLike = (texts: readonly string[], pattern: RegExp): boolean => texts.some((text) => pattern.test(text))

/** Whether some operand is like this. */
export const says = (call: Call, pattern: RegExp): boolean => anyLike(textsOf(call), pattern)
