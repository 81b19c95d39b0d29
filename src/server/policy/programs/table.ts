/**
 * How rows are written, one a line, or on several where the next are indented:
 *
 *     NAME NAME … (operands) = flag; part: value; KIND: option option …
 *       > VERB VERB … = KIND: option option …
 *
 * `!` behind a name: it means the program wherever it stands; `(read … write)`: the last of several operands is of another kind;
 * `plain`: none of its arguments starts another program; `does`: effects by name. All other parts are those of Program.
 */
import { effectNamed } from './effect.ts'
import { type Kind, kinds, type Options, type Program, type Row } from './program.ts'

/** What a row cannot say in words; a function alone tells effects. */
type Own =
  | Partial<Pick<Program, 'spans' | 'hands' | 'prints' | 'others' | 'does' | 'effects' | 'codes'>>
  | Program['effects']

/** The rows of a table; `own` says more of some, by their first names, of several at once with spaces between them. */
export function readTable(table: string, own: Readonly<Record<string, Own>> = {}): Row[] {
  const rows = table
    .trim()
    .split(/\n(?! )/)
    .map(readRow)
  for (const [names, more] of Object.entries(own)) {
    const parts = typeof more === 'function' ? { effects: more } : more
    for (const name of names.split(' ')) Object.assign(rows.find((one) => one.names[0] === name)!.program, parts)
  }
  return rows
}

const row = /^(?<names>.+?)(?: \((?<operands>[a-z ]+?)(?: … (?<last>[a-z]+))?\))?(?: =\s+(?<parts>.*))?$/s

function readRow(text: string): Row {
  const [head, ...verbs] = text.split(/\n +> /)
  const { names, parts, ...operands } = row.exec(head!)!.groups!
  const marked = names!.split(' ')
  const all = partsOf(parts)
  const own = all.filter(([name]) => !kinds.includes(name))
  const behind = verbs.map((verb) => verb.split(' = ')).map(([names, options]) => [names!, optionsIn(partsOf(options))])
  return {
    names: marked.map((name) => name.replace('!', '')),
    unmistakable: marked.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1)),
    program: {
      ...operands,
      ...Object.fromEntries(own.map(readPart)),
      ...(behind.length > 0 ? { verbs: Object.fromEntries(behind) } : {}),
      options: optionsIn(all.filter(([name]) => kinds.includes(name))),
    },
  }
}

type Part = [name: string, value?: string]

const partsOf = (text = '') =>
  text
    .split(/;\s+/)
    .filter(Boolean)
    .map((part) => part.split(/: (.*)/s) as Part)

const optionsIn = (parts: readonly Part[]): Options =>
  new Map(parts.flatMap(([kind, names = '']) => names.split(' ').map((name) => [name, kind as Kind])))

function readPart([name, value]: Part): [string, unknown] {
  if (name === 'plain') return ['others', null]
  if (value === undefined) return [name, true]
  if (name === 'does') return [name, value.split(' ').map(effectNamed)]
  return [name, value.startsWith('/') ? patternOf(value) : /^\d+$/.test(value) ? Number(value) : value]
}

/** A regular expression as it is written: /…/ or /…/i. */
export function patternOf(text: string): RegExp {
  const [, source, flags] = /^\/(.*)\/(i?)$/.exec(text)!
  return new RegExp(source!, flags)
}
