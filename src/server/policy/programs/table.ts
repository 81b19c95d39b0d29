/**
 * How to write a row: one object for a program, or for several programs with the same command line. Its keys are those of `Program`
 * (program.ts), except for these four:
 *
 * - `names`: the names of the programs; append `!` to a name that means the program anywhere in a command line, `*` to match any version
 * - `options`: the options that take a value, grouped by the kind of the value: `{ text: 'n lines', write: 'o output' }`
 * - `verbs`: the same for the options after each verb; '*' is any other verb
 * - `plain`: no argument can make the program start another program
 *
 * Separate names with spaces or line breaks, and write options without dashes. The compiler rejects a misspelt key or kind.
 */
import type { ValueKind, Options, Program, NamedProgram } from './program.ts'

/** Names of options, grouped by the kind of their values. */
export type OptionLists = Readonly<Partial<Record<ValueKind, string>>>

/** The keys of a row except its names; several rows may share them. */
export interface ProgramParts extends Omit<Program, 'options' | 'verbs'> {
  options?: OptionLists
  verbs?: Readonly<Record<string, OptionLists>>
  plain?: true
}

/** A row as written in a table. */
interface ProgramRow extends ProgramParts {
  names: string
}

/** Converts the written rows of a family of programs. */
export const table = (rows: readonly ProgramRow[]): NamedProgram[] => rows.map(readRow)

const wordsOf = (names: string) => names.trim().split(/\s+/)

const optionsIn = (lists: OptionLists): Options =>
  new Map(Object.entries(lists).flatMap(([kind, names]) => wordsOf(names).map((name) => [name, kind as ValueKind])))

/** Reads the names of a row. The rest is read at the first lookup, because reading all rows would take 3 ms of every start. */
function readRow({ names, ...parts }: ProgramRow): NamedProgram {
  const marked = wordsOf(names)
  let program: Program | null = null
  return {
    names: marked.map((name) => name.replace('!', '')),
    unmistakable: marked.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1)),
    program: () => (program ??= readProgram(parts)),
  }
}

function readProgram({ options = {}, verbs, plain, ...parts }: ProgramParts): Program {
  const own = Object.entries(parts).map(([name, value]) => [
    name,
    typeof value === 'string' ? wordsOf(value).join(' ') : value,
  ])
  const behind = Object.entries(verbs ?? {}).map(([verb, lists]) => [verb, optionsIn(lists)])
  return {
    ...(plain ? { startsOthers: null } : {}),
    ...Object.fromEntries(own),
    ...(verbs ? { verbs: Object.fromEntries(behind) } : {}),
    options: optionsIn(options),
  }
}
