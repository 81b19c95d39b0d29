/** What a command runs: itself, what its wrappers run, and the code that it hands to a shell or an interpreter. */
import {
  assigned,
  callOf,
  descriptorOf,
  programOf,
  startsPrograms,
  valuesOfOption,
  type Unwrapped,
  unwrap,
  variableOf,
} from '../programs/index.ts'
import { type Frame, record } from './frames.ts'
import { fedWords, fileText, outputOf, tidy } from './input.ts'
import { change, joinPath } from './places.ts'
import { cutWord, literalWord, type SimpleCommand, valuesOf, type Word } from './script.ts'
import type { Context, Walk } from './state.ts'
import { doubt } from './survey.ts'

const MAX_LEVELS = 8
const MAX_CANDIDATES = 8
const MAX_WRITTEN = 64

/** Records a command and everything that it runs in turn. */
export function run(frame: Frame, walk: Walk, context: Context): void {
  walk.budget.words -= frame.words.length + 1
  if (walk.budget.words < 0) {
    doubt(walk.opaque, 'too-large', 'it has more words than can be judged', frame.source)
    return
  }
  if (frame.wrappers.length > MAX_LEVELS + walk.wrappers.length) {
    doubt(walk.opaque, 'too-large', 'wrapped in too many commands', frame.source)
    return
  }
  const name = frame.words[0]
  if (name && (name.literal === null || name.glob)) runCandidates(frame, walk, context)
  const made = record(frame, walk, context)
  if (made.path === null) return
  note(made, context, walk)
  runVariables(made, walk, context)
  if (made.path) runInside(made, frame, walk, context)
}

// the name is an expansion: what it can be is tried; where that is not all, the doubt stays
function runCandidates(frame: Frame, walk: Walk, context: Context): void {
  const [name, ...others] = frame.words
  const known = /^"?\$\{?\w+\}?"?$/.test(name!.source) && name!.fields && name!.fields.length <= MAX_CANDIDATES
  if (!known || name!.fields!.some((fields) => fields.length === 0 || fields[0] === '')) {
    doubt(walk.opaque, 'dynamic-name', `which command ${name!.source} is, is only known when it runs`, frame.source)
  }
  for (const fields of name!.glob ? [] : (name!.fields ?? []).slice(0, MAX_CANDIDATES)) {
    const words = [...fields.map(literalWord), ...others]
    if (words[0] && words[0].literal !== null) run({ ...frame, words }, walk, context)
  }
}

/** Code that a variable holds, like GIT_PAGER's, is code; what else a variable can start is in doubt. */
function runVariables(made: SimpleCommand, walk: Walk, context: Context): void {
  for (const { name, word } of assigned(made)) {
    const row = variableOf(name)
    if (!row || row.is === 'search') continue
    const value = word.prefix.startsWith(`${name}=`) ? cutWord(word, name.length + 1) : word
    const texts = valuesOf(value)
    if (texts?.every((text) => text === '' || row.calm?.test(text))) continue
    if (row.is === 'command' && texts) {
      for (const text of texts) nest(text.replace(/^[|!-]+/, ''), made, [], walk, { ...context, input: null })
    } else doubt(walk.opaque, 'dynamic-code', `${name} names ${row.reason}`, made.source)
  }
}

function runInside(made: SimpleCommand, frame: Frame, walk: Walk, context: Context): void {
  if (made.name === 'alias') runAlias(made, walk, context)
  if (walk.aliases.has(made.path!)) {
    doubt(walk.opaque, 'dynamic-code', 'an alias changes what this word means', made.source)
  }
  if (made.name === 'set' && made.args.some((arg) => /^-\w*e/.test(arg) || arg === 'errexit')) {
    walk.errexit ||= !context.compound
  }
  if (made.path?.includes('/')) runFile(made, literalWord(made.path), walk, context)
  const call = callOf(made)
  if (made.name === 'trap') return runTrap(made, walk, context)
  const found = unwrap(call)
  const own = isOwn(made, walk)
  if (found.doubt && !own) doubt(walk.opaque, 'dynamic-code', `${made.name}: ${found.doubt}`, made.source)
  if (call.program?.spans && made.words.some((word) => word.splits && word.fields === null)) {
    doubt(walk.opaque, 'dynamic-code', `an unknown argument of ${made.name} can start programs`, made.source)
  }
  // env -C
  const chdir = call.program?.runs ? found.chdir : null
  const there = chdir ? { ...context, places: change(context.places, valuesOf(chdir)) } : context
  for (const words of found.code) handCode(made, words, found.positional, walk, there)
  const doubts = walk.opaque.length
  for (const words of found.commands) {
    if (call.program?.runs?.fed) runFed(made, words, frame, walk, there)
    else inner(words, made, frame, walk, there)
  }
  if (own) walk.opaque.length = doubts
  if (found.source) takeSource(made, found.source, walk)
  else if (found.file) runScript(made, found.file, walk, context)
  else if (found.readsInput) readInput(made, 0, walk, context)
}

// what an alias stands for is looked at; where its name is used, more may follow it
function runAlias(made: SimpleCommand, walk: Walk, context: Context): void {
  for (const word of made.words.slice(1)) {
    const name = /^([\w-]+)=/.exec(word.prefix)?.[1]
    if (name === undefined && !word.prefix.includes('=') && word.literal !== null) continue
    if (name === undefined || keywords.test(name)) {
      doubt(walk.opaque, 'dynamic-code', 'an alias changes what later words mean', made.source)
    } else {
      walk.aliases.add(name)
      handCode(made, [cutWord(word, name.length + 1)], [], walk, context)
    }
  }
}

const keywords =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|function|select|time|coproc|eval|exec|command|builtin)$/

// what this script writes to a file, if it is known
function note(made: SimpleCommand, context: Context, walk: Walk): void {
  if (walk.written.size >= MAX_WRITTEN) return
  const output = () => {
    const { input } = made
    const here = input?.from === 'here' ? input.text : null
    return outputOf({ ...made, redirections: [] }) ?? here
  }
  for (const { operator, descriptor, target } of made.redirections) {
    if (descriptor !== 1 || !/^>/.test(operator) || !target?.literal || target.literal.startsWith('/dev/')) continue
    const before = operator === '>>' ? (fileText(target.literal, context, walk) ?? '') : ''
    const text = output()
    walk.written.set(tidy(target.literal), text === null ? null : before + text)
  }
  const { program, operands } = callOf(made)
  if (program?.passes === 'always') {
    for (const { literal } of operands) if (literal) walk.written.set(tidy(literal), output())
  }
  if (program?.copies && operands.length === 2) {
    const [from, to] = operands
    if (from!.literal && to!.literal) walk.written.set(tidy(to!.literal), fileText(from!.literal, context, walk))
  }
}

function runTrap(made: SimpleCommand, walk: Walk, context: Context): void {
  const code = made.words.find((word, index) => index > 0 && word.literal !== '--')
  if (!code || code.literal === '-' || code.literal === '' || made.words.length === 2) return
  handCode(made, [code], [], walk, { ...context, compound: true })
}

function inner(
  words: readonly Word[],
  made: SimpleCommand,
  frame: Frame,
  walk: Walk,
  context: Context,
  fed = false,
): void {
  if (words.length === 0) return
  const source = words
    .map((word) => word.source)
    .join(' ')
    .slice(0, 500)
  run({ ...frame, words, source, wrappers: [...frame.wrappers, made.name], fed: frame.fed || fed }, walk, context)
}

// `./script` is a program of that path, not util-linux's `script`: what that would run is looked at, but raises no doubts
function isOwn({ path, places, wrappers, name }: SimpleCommand, walk: Walk): boolean {
  if (programOf(name)?.runs?.doubtful !== 'in-bin' || !path?.includes('/')) return false
  const start = walk.scope.environment.PWD ?? ''
  // where find's -execdir goes is not known
  const from = path.startsWith('/') ? ['/'] : wrappers.some((one) => programOf(one)?.spans) ? [] : (places ?? [])
  // anywhere below: Debian's /usr/bin/X11 is /usr/bin
  const inBin = (place: string) => /(?:^|\/)[a-z]*bin\//.test(joinPath(joinPath(start, place), path))
  return from.length > 0 && !from.some(inBin)
}

function runFed(made: SimpleCommand, given: readonly Word[], frame: Frame, walk: Walk, context: Context): void {
  const fed = fedWords(made)?.map(literalWord) ?? null
  const replace = made.args.some((arg) => /^-[iI]|^--replace/.test(arg))
  const words = fed && replace ? given.map((word) => filledIn(word, made)) : [...given, ...(fed ?? [])]
  const head = words[0]?.literal ?? ''
  const shifts = words.slice(1).every((word) => word.literal?.startsWith('-'))
  const row = programOf(head)
  if ((row?.shell || row?.spans || row?.runs) && (shifts || replace) && (fed === null || replace)) {
    doubt(walk.opaque, 'stdin-code', `${made.name} hands unknown words to a program that runs them`, made.source)
  }
  if (replace && words.some((word, index) => index > 0 && word.literal === head)) {
    doubt(walk.opaque, 'dynamic-name', `${made.name} puts its input in the place of a command`, made.source)
  }
  inner(words, made, frame, walk, context, fed === null)
}

// xargs -I {}: the line that it reads stands in the place of the mark
function filledIn(word: Word, made: SimpleCommand): Word {
  const mark = valuesOfOption(callOf(made), 'I replace')[0] ?? '{}'
  const lines = (made.input?.text ?? '').split('\n').filter(Boolean)
  if (!word.literal?.includes(mark)) return word
  return lines.length === 1
    ? literalWord(word.literal.replaceAll(mark, lines[0]!))
    : { ...word, literal: null, fields: null, prefix: '' }
}

function handCode(
  made: SimpleCommand,
  words: readonly Word[],
  positional: readonly Word[],
  walk: Walk,
  context: Context,
): void {
  if (words.some((word) => word.fields === null || (word.glob && word.literal === null))) {
    doubt(walk.opaque, 'dynamic-code', `the code that ${made.name} runs is only known when it runs`, made.source)
  }
  const texts = words.map((word) => word.fields?.map((fields) => fields.join(' ')) ?? [])
  const most = Math.min(MAX_CANDIDATES, Math.max(...texts.map((values) => values.length), 0))
  for (let index = 0; index < most; index += 1) {
    const code = texts.map((values) => values[Math.min(index, values.length - 1)] ?? '').join(' ')
    nest(code, made, positional, walk, context)
  }
}

// `sh FILE`, `python3 FILE`: what this script wrote, what stands behind a descriptor, or what the disk has
function runScript(made: SimpleCommand, file: Word, walk: Walk, context: Context): void {
  const descriptor = descriptorOf(file.literal)
  if (descriptor !== null) readInput(made, descriptor, walk, context)
  else runFile(made, file, walk, context)
}

function runFile(made: SimpleCommand, { literal }: Word, walk: Walk, context: Context): void {
  if (literal === null) return
  const written = walk.written.get(tidy(literal))
  const text = fileText(literal, context, walk)
  if (written === null) doubt(walk.opaque, 'dynamic-code', `${literal} is written and run in one go`, made.source)
  if (text === null || text === '') return
  const { program } = callOf(made)
  if (program?.code) {
    if (written !== undefined) takeCode(made, program.code.language, text, walk)
    return
  }
  if (/^#!/.test(text) && !/^#!.*sh\b/.test(text)) return
  if (text.includes('\0')) return
  // a file is a program like any other: what it holds is looked at, but raises no doubts
  const doubts = walk.opaque.length
  const file = written === undefined ? literal : walk.file
  nest(text, made, [], { ...walk, file, syntax: new Set() }, context)
  walk.opaque.length = doubts
}

function readInput(made: SimpleCommand, descriptor: number, walk: Walk, context: Context): void {
  const other = made.redirections.find((one) => one.descriptor === descriptor)
  const input = descriptor === 0 ? made.input : other ? { from: 'here' as const, text: other.text } : made.input
  const { program } = callOf(made)
  if (input === null) return
  if (input.text === null) {
    // `sh < FILE` is `sh FILE`
    if (input.from !== 'file') {
      doubt(walk.opaque, 'stdin-code', `${made.name} runs what it reads`, made.source)
    }
  } else if (program?.code && program.code.language !== 'sh') takeCode(made, program.code.language, input.text, walk)
  else nest(input.text, made, [], walk, { ...context, input: null })
}

function nest(code: string, made: SimpleCommand, positional: readonly Word[], walk: Walk, context: Context): void {
  if (walk.level >= MAX_LEVELS) {
    doubt(walk.opaque, 'too-large', 'code in code, nested too deep', made.source)
    return
  }
  const own = made.name === 'eval' || made.name === 'trap'
  const scope = { ...walk.scope, found: new Map(), positional: own ? walk.scope.positional : positional }
  const wrappers = [...made.wrappers, made.name]
  const inside: Walk = { ...walk, level: walk.level + 1, scope, wrappers, seen: new Map() }
  const { pipedFrom, input } = made
  walk.steps.nested(code, inside, { ...context, pipedFrom, input: context.input && input }, made.name)
}

function takeSource(made: SimpleCommand, { language, words }: NonNullable<Unwrapped['source']>, walk: Walk): void {
  const texts = words.map((word) => (word.fields?.length === 1 ? word.fields[0]!.join(' ') : null))
  takeCode(made, language, texts.includes(null) ? null : texts.join('\n').slice(0, 65_536), walk)
}

function takeCode(made: SimpleCommand, language: string, text: string | null, walk: Walk): void {
  made.code = { language, text }
  if (text === null) {
    doubt(walk.opaque, 'dynamic-code', `the code that ${made.name} runs is only known when it runs`, made.source)
  } else if (startsPrograms(language, text)) {
    doubt(walk.opaque, 'inline-code', `the code that ${made.name} runs can start programs`, made.source)
  }
}
