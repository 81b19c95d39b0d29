/**
 * How rows are written: an object for each program, or for several that take the same words. All parts but these are those of Program:
 *
 * - `names`: `!` behind one says that it means the program wherever it stands
 * - `options`: those that take a value, by what the value is
 * - `verbs`: the options after each verb
 * - `plain`: none of its arguments starts another program
 *
 * Names stand with spaces or line breaks between them. The compiler knows the parts: one that is misspelt is an error.
 */
import type { ValueKind, Options, Program, NamedProgram } from './program.ts'

/** Options by what their values are. */
export type OptionLists = Readonly<Partial<Record<ValueKind, string>>>

/** What several rows may share. */
export interface ProgramParts extends Omit<Program, 'options' | 'verbs'> {
  options?: OptionLists
  verbs?: Readonly<Record<string, OptionLists>>
  plain?: true
}

/** A row as it is written. */
interface ProgramRow extends ProgramParts {
  names: string
}

/** The rows of a family of programs. */
export const table = (rows: readonly ProgramRow[]): NamedProgram[] => rows.map(readRow)

const wordsOf = (names: string) => names.trim().split(/\s+/)

const optionsIn = (lists: OptionLists): Options =>
  new Map(Object.entries(lists).flatMap(([kind, names]) => wordsOf(names).map((name) => [name, kind as ValueKind])))

function readRow({ names, options = {}, verbs, plain, ...parts }: ProgramRow): NamedProgram {
  const marked = wordsOf(names)
  const own = Object.entries(parts).map(([name, value]) => [
    name,
    typeof value === 'string' ? wordsOf(value).join(' ') : value,
  ])
  const behind = Object.entries(verbs ?? {}).map(([verb, lists]) => [verb, optionsIn(lists)])
  return {
    names: marked.map((name) => name.replace('!', '')),
    unmistakable: marked.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1)),
    program: {
      ...(plain ? { others: null } : {}),
      ...Object.fromEntries(own),
      ...(verbs ? { verbs: Object.fromEntries(behind) } : {}),
      options: optionsIn(options),
    },
  }
}
