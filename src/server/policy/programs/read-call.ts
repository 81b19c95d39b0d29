/** Splits the words of a command into options and operands according to its program's row. No other file reads options. */
import { cutWord, isAnything, literalWord, type SimpleCommand, valuesOf, type Word } from '../script/script.ts'
import {
  type Argument,
  type Call,
  has,
  isOn,
  type ValueKind,
  type Option,
  type Options,
  type Program,
} from './program.ts'
import { byName, isCommand } from './rows.ts'
import { splitString } from './split-string.ts'

const none: Options = new Map()

const isSingle = ({ literal, fields }: Word) => literal !== null || fields === null

// splits a word that can be an option or several words into one word for each value
function spread(word: Word): readonly Word[] {
  const { fields, source, glob } = word
  const isOperand = fields?.every((one) => one.length === 1 && !one[0]!.startsWith('-'))
  if (isSingle(word) || isOperand) return [word]
  return valuesOf(word)!.map((text) => ({ ...literalWord(text), source, glob }))
}

interface CallReader extends Call {
  table: Options
  words: readonly Word[]
  options: Option[]
  arguments: Argument[]
  operands: Word[]
  ordered: boolean
  guesses: Map<Word, string> // the option before an operand, which may take it as its value
}

/** Returns the row for a program's name; null if it has no row. */
export function programOf(name: string): Program | null {
  const plain = /^ld(?:-linux.*|-musl.*)?\.so/.test(name) ? 'ld.so' : name
  return byName.get(plain)?.() ?? byName.get(`${plain.replace(/[-.\d].*$/, '')}*`)?.() ?? null
}

/** Reads the words of a command according to its program's row. Cached on the command. */
export function callOf(command: SimpleCommand & { call?: Call }): Call {
  if (command.call) return command.call
  const program = programOf(command.name)
  const given = command.words.slice(1)
  const words = given.every(isSingle) ? given : given.flatMap(spread)
  const spans = program?.spans?.(words) ?? []
  const state: CallReader = {
    command,
    program,
    words,
    commands: spans.map(({ from, to }) => words.slice(from, to)),
    table: program?.options ?? none,
    options: [],
    arguments: [],
    operands: [],
    ordered: program?.ordered === true && !program.verbs,
    guesses: new Map(),
    verb: '',
    leading: Infinity,
    start: Infinity,
    doubtful: false,
  }
  let at = program?.bare && /^[A-Za-z]/.test(words[0]?.literal ?? '') ? readBare(state) : 0
  while (at < state.words.length) {
    const span = spans.find(({ from, to }) => at >= from && at < to)
    at = span ? span.to : readWord(at, state)
  }
  state.start = Math.min(state.start, state.words.length)
  nameOperands(state)
  return (command.call = state)
}

// returns the index of the next word
function readWord(at: number, state: CallReader): number {
  const { program, words, operands } = state
  const word = words[at]!
  if (word.literal === '--' || (program?.shell && word.literal === '-')) return takeRest(at + 1, state)
  if (program?.shell && word.literal === '+') return at + 1
  const { prefix } = word
  if (isAnything(word) && operands.length === 0) state.doubtful = true // also -n$x: it may be empty or several words
  const isOption = prefix[0] === '-' || (prefix[0] === '+' && program?.shell === true)
  if (isOption && prefix.length > 1) return readOption(at, state) + 1
  if (state.ordered) return takeRest(at, state)
  state.start = Math.min(state.start, at)
  if (operands.length === 0) state.leading = state.options.length
  if (program === null) guess(at, word, state)
  operands.push(word)
  if (program?.verbs && operands.length === 1) readVerb(word, program, state)
  return at + 1
}

function takeRest(at: number, state: CallReader): number {
  state.start = Math.min(state.start, at)
  if (state.operands.length === 0) state.leading = state.options.length
  state.operands.push(...state.words.slice(at))
  return state.words.length
}

// for a program without a row: an option may take this word as its value, and NAME=VALUE may be an option
function guess(at: number, word: Word, { words, guesses, options }: CallReader): void {
  const before = /^--?([^-=][^=]*)$/.exec(words[at - 1]?.literal ?? '')?.[1]
  if (before) guesses.set(word, before)
  const name = /^[A-Za-z][\w.:-]*(?==)/.exec(word.prefix)?.[0]
  if (name) options.push({ name, value: cutWord(word, name.length + 1) })
}

// selects the options that follow a verb; after a verb such as `exec`, a command starts at the next operand
function readVerb({ literal }: Word, { verbs, after }: Program, state: CallReader): void {
  const names = Object.keys(verbs!).find((one) => literal !== null && isOn(one, literal)) ?? '*'
  state.verb = literal
  state.table = verbs![names] ?? none
  if (!after || !isOn(after, literal ?? '')) return
  state.ordered = true
  state.start = Infinity
}

// reads `tar xzf FILE`: each letter that takes a value takes the next unread word
function readBare(state: CallReader): number {
  let at = 1
  for (const name of state.words[0]!.literal!) {
    const kind = state.table.get(name)
    const value = kind ? (state.words[at] ?? null) : null
    addOption(name, value, kind, state)
    if (kind) at += 1
  }
  return at
}

function addOption(name: string, value: Word | null, kind: ValueKind | undefined, state: CallReader): void {
  state.options.push({ name, value })
  if (value) state.arguments.push({ word: value, kind: kind ?? 'maybe', option: name })
}

const addGuess = (word: Word, from: number, option: string, state: CallReader) =>
  state.arguments.push({ word: cutWord(word, from), kind: 'maybe', option })

const path = /^(?:[/~@]|\.\.?\/|\w+:\/\/)/
// text that cannot be a cluster of option letters
const glued = /[^\w,:+=./~@-]|^\w+\.\w+$/

// returns the index of the last word that belongs to the option
function readOption(at: number, state: CallReader): number {
  const word = state.words[at]!
  const { prefix, fields } = word
  if (prefix.startsWith('--')) {
    const first = state.options.length
    const last = readLong(at, 2, state)
    for (const option of state.options.slice(first)) option.long = true
    return last
  }
  if (state.program?.dashed) return readLong(at, 1, state)
  for (let index = 1; index < prefix.length; index += 1) {
    const name = prefix[index]!
    const kind = kindOf(name, index + 1 < prefix.length, state)
    // node -pe: a letter that takes code, followed by another such letter
    const again = kind === 'source' && state.table.get(prefix.slice(index + 1)) === 'source'
    if (kind && !again) return takeValue(at, index + 1, name, kind, state)
    state.options.push({ name, value: null })
    const rest = prefix.slice(index + 1)
    if (rest.startsWith('=')) return readLong(at, 1, state)
    const isValue = path.test(rest) || (state.program === null && (glued.test(rest) || isCommand(rest)))
    if (!isValue) continue
    addGuess(word, index + 1, name, state)
    return at
  }
  if (prefix.length > 2) state.options.push({ name: prefix.slice(1).replace(/=.*/s, ''), value: null, cluster: true })
  if (fields === null) addGuess(word, prefix.length, prefix.slice(1), state)
  return at
}

function readLong(at: number, dashes: number, state: CallReader): number {
  const word = state.words[at]!
  const text = word.prefix.slice(dashes)
  const equals = text.indexOf('=')
  const name = fullName(equals < 0 ? text : text.slice(0, equals), dashes, state)
  const kind = dashes === 2 && name.length === 1 ? undefined : state.table.get(name) // --s is not -s
  if (equals >= 0) {
    return giveValue(at, at, cutWord(word, dashes + equals + 1), name, kind ?? kindOf(name, true, state), state)
  }
  // an abbreviation may mean another option, which takes no value: strace --stac
  if (kind && name !== text && state.program?.runs) state.doubtful = true
  if (kind) return takeValue(at, word.prefix.length, name, kind, state)
  const start = dashes === 1 ? longestStart(text, state) : undefined
  if (start) return takeValue(at, 1 + start.length, start, state.table.get(start)!, state)
  state.options.push({ name, value: null })
  const letters = dashes === 1 ? /^[A-Za-z]{1,2}(?=[/~]|\.\.(?:\/|$))/.exec(text)?.[0] : undefined
  const from = letters ? 1 + letters.length : word.prefix.length
  if (letters || word.fields === null) addGuess(word, from, letters ?? name, state)
  return at
}

const longestStart = (text: string, { table }: CallReader) =>
  [...table.keys()].filter((key) => text.startsWith(key)).sort((left, right) => right.length - left.length)[0]

// GNU accepts any unambiguous abbreviation of a long option, with one dash for programs such as gdb
function fullName(given: string, dashes: number, { table, program }: CallReader): string {
  if (dashes === 1 && (!program?.dashed || given.length < 2)) return given
  if (table.has(given) && given.length > 1) return given
  const full = [...table.keys()].find((name) => name.length > 2 && name.startsWith(given))
  return full?.replace('?', '') ?? given
}

function takeValue(at: number, from: number, name: string, kind: ValueKind, state: CallReader): number {
  const word = state.words[at]!
  const isGlued = word.prefix.length > from || word.fields === null || (word.literal ?? '').length > from
  // sh -o -c CODE: mksh prints its options and continues with the next option
  const isNone = state.program?.shell === true && !isGlued && /^[-+]/.test(state.words[at + 1]?.prefix ?? '')
  if (isNone) return giveValue(at, at, null, name, kind, state)
  const last = isGlued ? at : at + 1
  return giveValue(at, last, isGlued ? cutWord(word, from) : (state.words[last] ?? null), name, kind, state)
}

// `at`: the index of the option; `last`: the index of the last word that belongs to the option
function giveValue(
  at: number,
  last: number,
  value: Word | null,
  name: string,
  kind: ValueKind | undefined,
  state: CallReader,
) {
  addOption(name, value, kind, state)
  if (kind !== 'words' || !value) return last
  const text = value.fields?.length === 1 ? value.fields[0]!.join(' ') : null
  const words = text === null ? null : splitString(text)
  if (words) state.words = [...state.words.slice(0, at + 1), ...words, ...state.words.slice(last + 1)]
  else state.doubtful = true
  return words ? at : last
}

const kindOf = (name: string, isGlued: boolean, { table }: CallReader): ValueKind | undefined =>
  table.get(name) ?? (isGlued ? table.get(`${name}?`) : undefined)

function nameOperands(state: CallReader): void {
  const { program, operands, guesses } = state
  const all = (program?.operands ?? 'maybe').split(' ') as ValueKind[]
  const skips = program?.unless !== undefined && all.length > 1 && has(state, program.unless)
  const kinds = skips ? all.slice(1) : all
  const last = operands.length > 1 ? program?.last : undefined
  for (const [index, word] of operands.entries()) {
    const isVerb = program?.verbs && index === 0 && !word.prefix.includes('/')
    const own = isVerb ? 'text' : (kinds[Math.min(index, kinds.length - 1)] ?? 'maybe')
    const kind = last && index === operands.length - 1 ? last : own
    state.arguments.push({ word, kind, option: null, guess: guesses.get(word) })
  }
}
