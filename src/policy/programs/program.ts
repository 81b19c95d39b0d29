/** The row that tells what one program does with its arguments, and a call as it was read by its row. */
import { type SimpleCommand, valuesOf, type Word } from '../shell/script.ts'
import type { Effect } from './effect.ts'

/**
 * What a value or an operand is. 'read', 'write', 'delete': a file for certain; 'name': one of which only the name is looked at;
 * 'maybe': a file if it looks like one; 'text': never opened; 'dir': where it works; 'list': a file with names of files; 'code': shell code, or the name of a program; 'source': code in
 * the program's own language; 'script': a file of such code.
 */
export type Kind =
  'name' | 'read' | 'write' | 'delete' | 'maybe' | 'text' | 'dir' | 'list' | 'code' | 'source' | 'script'

/** Options that take a value, by what the value is: letters and long names without their dashes, separated by spaces. */
export type Options = Partial<Record<Kind, string>>

/** How a program runs the command that stands in its arguments. */
export interface Runs {
  /** words between the options and the command */
  skip?: number
  /** the remaining words are joined and read by a shell */
  joined?: true
  /** NAME=value may stand before the command */
  assignments?: true
  /** with these options it runs nothing */
  idle?: string
  /** it adds nothing of its own: only what it runs matters */
  transparent?: true
  /** one of these words must stand first */
  after?: string
  /** with a command that is not known from here; 'in-bin': only where it lies in a folder of programs, as many have one of that name */
  doubtful?: true | 'in-bin'
  /** its arguments go on with what it reads */
  fed?: true
  /** with these verbs or options what it runs is not told by its words */
  unclear?: string
  /** without a command it starts a shell */
  shell?: true
}

export interface Program {
  /** separated by spaces; `*` at the end stands for any version */
  names: string
  options?: Options
  /** what the operands are, the last kind for all that follow; default 'maybe' */
  operands?: string
  /** what the last of several operands is */
  last?: Kind
  /** with one of these options the first kind of `operands` is skipped */
  unless?: string
  /** options end where the first operand stands */
  ordered?: true
  /** one dash begins a long option: -name, -isystem */
  dashed?: true
  /** the first word is a cluster of options even without a dash: tar xzf */
  bare?: true
  /** the first operand is a verb; the options after each, '*' for any other */
  verbs?: Readonly<Record<string, Options>>
  runs?: Runs
  /** host:path stands for a file elsewhere */
  remote?: true
  /** it only steers the shell */
  steering?: true
  /** its words set variables: NAME=value */
  declares?: true
  /** its first operand is a script that the shell itself runs */
  sources?: true
  /** it is a shell that reads sh */
  shell?: true
  /** the language of its 'source' options; `operand`: that operand is code unless an option gave it; `verb`: the operand after that verb is; `stdin`: without code or file it reads code there; `interactive`: whatever its operands are */
  code?: { language: string; operand?: number; verb?: string; stdin?: true; interactive?: true }
  /** where whole commands stand among the words: find's -exec */
  spans?: (words: readonly Word[]) => readonly Span[]
  /** its verbs: any other is a plug-in of that name, or an alias */
  known?: string
  /** arguments like this make it run others, beside its 'code' options; null: none can */
  others?: RegExp | null
  /** its output: names of files below where it starts, the lines that it reads, or those lines changed */
  stream?: 'names' | 'same' | 'changed'
  /** its second operand becomes its first */
  copies?: true
  /** it prints what it reads, without operands or always */
  passes?: 'alone' | 'always'
  /** what it prints is what its words say, not an example */
  says?: true
  /** what it prints, where that is known without running it */
  prints?: (words: readonly Word[], environment: Readonly<Record<string, string>>) => readonly string[] | null
  /** what the kinds of its arguments do not tell */
  effects?: readonly Effect[] | ((call: Call) => readonly Effect[])
}

/** From the first word of a command to the one behind its last. */
export interface Span {
  from: number
  to: number
}

/** One option as given. */
export interface Option {
  /** without dashes; a shortened long name in full where the row knows it */
  name: string
  value: Word | null
}

/** A value or operand with what it is. */
export interface Argument {
  word: Word
  kind: Kind
  /** the option whose value it is */
  option: string | null
  /** the option whose value it may be */
  guess?: string | undefined
}

/** A command whose words have been read by its program's row. */
export interface Call {
  command: SimpleCommand
  program: Program | null
  options: readonly Option[]
  arguments: readonly Argument[]
  operands: readonly Word[]
  /** the first operand where the program has verbs; '' where there is none, null: unknown */
  verb: string | null
  /** how many of the options stand before the verb */
  leading: number
  /** all words but the name, as they were read, and where the first operand stands among them */
  words: readonly Word[]
  start: number
  /** a word that may be options, or several, stands among the options */
  doubtful: boolean
  /** the commands in its spans */
  commands: readonly (readonly Word[])[]
}

const lists = new Map<string, readonly string[]>()
const sets = new Map<string, ReadonlySet<string>>()

/** The names of a list; rows ask with the same ones again and again. */
export function listOf(names: string): readonly string[] {
  const known = lists.get(names) ?? names.split(' ')
  lists.set(names, known)
  return known
}

/** Whether a word stands on a list. */
export function isOn(names: string, word: string): boolean {
  const known = sets.get(names) ?? new Set(names.split(' '))
  sets.set(names, known)
  return known.has(word)
}

/** Whether one of these options stands among those given. */
export function given(options: readonly Option[], names: string): boolean {
  if (options.length === 0) return false
  const wanted = listOf(names)
  return options.some(({ name }) =>
    wanted.some((one) => one === name || (one.length > 1 && name.length > 2 && one.startsWith(name))),
  )
}

/** Whether one of these options was given: letters and long names, separated by spaces; long ones may be shortened, as GNU allows. */
export const has = (call: Call, names: string): boolean => given(call.options, names)

/** Whether a call only asks for the version or for help. */
export const asks = ({ words }: Call): boolean =>
  words.length > 0 && words.every(({ literal }) => /^--?(?:version|help)$/.test(literal ?? ''))

/** The values of an option, as far as they are known. */
export function valuesOfOption(call: Call, names: string): string[] {
  return call.options.flatMap(({ name, value }) =>
    value && listOf(names).includes(name) ? (valuesOf(value) ?? []) : [],
  )
}

/** The known texts of the operands, in order. */
export const textsOf = (call: Call): string[] => call.operands.flatMap((word) => valuesOf(word) ?? [])

/** The first operand, often a verb; '' where there is none. */
export const firstOf = (call: Call): string => textsOf(call)[0] ?? ''

/** Whether some operand is like this. */
export const says = (call: Call, pattern: RegExp): boolean => textsOf(call).some((text) => pattern.test(text))

/** Beginnings of rows whose arguments start nothing: its operands are files, or only words. */
export const files = { operands: 'read', others: null } as const
export const writes = { operands: 'write', others: null } as const
export const words = { operands: 'text', others: null } as const
