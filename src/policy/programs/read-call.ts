/** THE reader of options: the words of a command are split here by its program's row, and nowhere else. */
import { cutWord, literalWord, type SimpleCommand, valuesOf, type Word } from '../shell/script.ts'
import { isCommand } from './paths.ts'
import {
  type Argument,
  type Call,
  given,
  type Kind,
  listOf,
  type Option,
  type Options,
  type Program,
} from './program.ts'

const tables = new WeakMap<Options, Map<string, Kind>>()

function tableOf(options: Options): Map<string, Kind> {
  const known = tables.get(options)
  if (known) return known
  const table = new Map<string, Kind>()
  for (const [kind, names] of Object.entries(options) as [Kind, string][]) {
    for (const name of names.split(' ')) table.set(name, kind)
  }
  tables.set(options, table)
  return table
}

const isSingle = ({ literal, fields }: Word) => literal !== null || fields === null

// a word that can be options, or several words, is read as each of them
function spread(word: Word): readonly Word[] {
  if (word.literal !== null || word.fields === null) return [word]
  if (word.fields.every((fields) => fields.length === 1 && !fields[0]!.startsWith('-'))) return [word]
  return valuesOf(word)!.map((text) => ({ ...literalWord(text), source: word.source, glob: word.glob }))
}

interface State {
  program: Program | null
  table: Map<string, Kind>
  options: Option[]
  arguments: Argument[]
  operands: Word[]
  words: readonly Word[]
  doubtful: boolean
  verb: string | null
  start: number
  leading: number
  ordered: boolean
  guesses: Map<Word, string> | null
}

const none: Options = {}

/** Reads the words of a command by its program's row. */
export function readCall(command: SimpleCommand, program: Program | null): Call {
  const given = command.words.slice(1)
  const words = given.every(isSingle) ? given : given.flatMap(spread)
  const spans = program?.spans?.(words) ?? []
  const state: State = {
    program,
    table: tableOf(program?.options ?? none),
    options: [],
    arguments: [],
    operands: [],
    words,
    doubtful: false,
    verb: '',
    start: words.length,
    leading: 0,
    guesses: null,
    ordered: program?.ordered === true && !program.verbs,
  }
  let at = program?.bare && /^[A-Za-z]/.test(words[0]?.literal ?? '') ? readBare(state) : 0
  while (at < words.length) {
    const span = spans.find(({ from, to }) => at >= from && at < to)
    at = span ? span.to : readWord(at, state)
  }
  nameOperands(state)
  return { ...state, command, commands: spans.map(({ from, to }) => words.slice(from, to)) }
}

// returns the place of the next word
function readWord(at: number, state: State): number {
  const { program, words } = state
  const word = words[at]!
  if (word.literal === '--') {
    state.start = Math.min(state.start, at + 1)
    state.operands.push(...words.slice(at + 1))
    return words.length
  }
  if (isOption(word, program)) return readOption(at, state) + 1
  if (state.start === words.length) state.start = at
  if (word.splits && word.fields === null && state.operands.length === 0) state.doubtful = true
  if (state.ordered) {
    state.operands.push(...words.slice(at))
    return words.length
  }
  if (program === null) noteGuess(at, word, state)
  if (program === null) noteSetting(word, state)
  state.operands.push(word)
  if (program?.verbs && state.operands.length === 1) readVerb(word, program, state)
  return at + 1
}

// of a program without a row an option may have taken this word
function noteGuess(at: number, word: Word, state: State): void {
  const before = state.words[at - 1]?.literal ?? ''
  if (!/^-[^=]*$/.test(before) || before === '-' || before === '--') return
  state.guesses ??= new Map()
  state.guesses.set(word, before.replace(/^-+/, ''))
}

// NAME=VALUE is an option by another spelling
function noteSetting(word: Word, { options }: State): void {
  const name = /^[A-Za-z][\w.:-]*(?==)/.exec(word.prefix)?.[0]
  if (name) options.push({ name, value: cutWord(word, name.length + 1) })
}

// what an `exec` runs begins at the next operand
function readVerb(word: Word, program: Program, state: State): void {
  state.verb = word.literal
  state.table = tableOf(verbOptions(program, word.literal))
  state.leading = state.options.length
  if (!program.runs?.after?.split(' ').includes(word.literal ?? ' ')) return
  state.ordered = true
  state.start = state.words.length
}

// every letter with a value takes the next word
function readBare(state: State): number {
  let at = 1
  for (const name of state.words[0]!.literal!) {
    const kind = state.table.get(name)
    const value = kind ? (state.words[at] ?? null) : null
    state.options.push({ name, value })
    if (kind && value) addValue(value, kind, name, state)
    if (kind) at += 1
  }
  return at
}

function verbOptions(program: Program, verb: string | null): Options {
  const own = Object.entries(program.verbs!).find(([names]) => verb !== null && names.split(' ').includes(verb))
  return own?.[1] ?? program.verbs!['*'] ?? none
}

const isOption = (word: Word, program: Program | null) =>
  /^-./.test(word.prefix) || (/^\+./.test(word.prefix) && program?.shell === true)

// returns the place of the last word that belongs to the option
function readOption(at: number, state: State): number {
  const word = state.words[at]!
  if (word.prefix.startsWith('--')) return readLong(at, 2, state)
  if (state.program?.dashed) return readLong(at, 1, state)
  for (let index = 1; index < word.prefix.length; index += 1) {
    const name = word.prefix[index]!
    const kind = state.table.get(name)
    if (kind) return takeValue(at, index + 1, name, kind, state)
    state.options.push({ name, value: null })
    const rest = word.prefix.slice(index + 1)
    if (rest.startsWith('=')) return readLong(at, 1, state)
    if (/^(?:[/~@]|\.\.?\/|\w+:\/\/)/.test(rest) || (state.program === null && isGlued(rest))) {
      addValue(cutWord(word, index + 1), 'maybe', name, state)
      return at
    }
  }
  if (word.prefix.length > 2) state.options.push({ name: word.prefix.slice(1).replace(/=.*/s, ''), value: null })
  if (word.fields === null) addValue(cutWord(word, word.prefix.length), 'maybe', word.prefix.slice(1), state)
  return at
}

// no cluster of letters
const isGlued = (rest: string) => /[^\w,:+=./~@-]|^\w+\.\w+$/.test(rest) || isCommand(rest)

function readLong(at: number, dashes: number, state: State): number {
  const word = state.words[at]!
  const text = word.prefix.slice(dashes)
  const equals = text.indexOf('=')
  const given = equals < 0 ? text : text.slice(0, equals)
  const name = fullName(given, dashes, state)
  const kind = state.table.get(name)
  if (equals >= 0) {
    const value = cutWord(word, dashes + equals + 1)
    state.options.push({ name, value })
    addValue(value, kind ?? 'maybe', name, state)
    return at
  }
  if (kind) return takeValue(at, word.prefix.length, name, kind, state)
  const glued = dashes === 1 ? [...state.table.keys()].filter((key) => text.startsWith(key)).sort(byLength)[0] : null
  if (glued) return takeValue(at, 1 + glued.length, glued, state.table.get(glued)!, state)
  state.options.push({ name, value: null })
  const path = dashes === 1 ? /^[A-Za-z]{1,2}(?=[/~]|\.\.(?:\/|$))/.exec(text) : null
  if (path) addValue(cutWord(word, 1 + path[0].length), 'maybe', path[0], state)
  if (word.fields === null) addValue(cutWord(word, word.prefix.length), 'maybe', name, state)
  return at
}

const byLength = (left: string, right: string) => right.length - left.length

// GNU takes any beginning of a long name
function fullName(given: string, dashes: number, { table }: State): string {
  if (dashes === 1 || table.has(given) || given.length < 3) return given
  return [...table.keys()].find((name) => name.length > 1 && name.startsWith(given)) ?? given
}

function takeValue(at: number, from: number, name: string, kind: Kind, state: State): number {
  const word = state.words[at]!
  const isGlued = word.prefix.length > from || word.fields === null || (word.literal ?? '').length > from
  const value = isGlued ? cutWord(word, from) : (state.words[at + 1] ?? null)
  state.options.push({ name, value })
  if (value) addValue(value, kind, name, state)
  return isGlued ? at : at + 1
}

function addValue(word: Word, kind: Kind, option: string, state: State): void {
  state.arguments.push({ word, kind, option })
}

function nameOperands(state: State): void {
  const { program, operands } = state
  const all = listOf(program?.operands ?? 'maybe') as readonly Kind[]
  const skips = program?.unless !== undefined && all.length > 1 && given(state.options, program.unless)
  const kinds = skips ? all.slice(1) : all
  operands.forEach((word, index) => {
    const isLast = program?.last !== undefined && index > 0 && index === operands.length - 1
    const isVerb = program?.verbs && index === 0 && !word.prefix.includes('/')
    const kind = isVerb ? 'text' : (kinds[Math.min(index, kinds.length - 1)] ?? 'maybe')
    state.arguments.push({ word, kind: isLast ? program.last! : kind, option: null, guess: state.guesses?.get(word) })
  })
}
